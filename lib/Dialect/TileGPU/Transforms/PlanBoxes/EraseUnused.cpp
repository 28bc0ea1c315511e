#include "EraseUnused.h"

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilewright::tilegpu {

void eraseUnused(SmallVector<Operation *> todo) {
  while (!todo.empty()) {
    Operation *op = todo.pop_back_val();
    if (!isOpTriviallyDead(op)) {
      continue;
    }
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (source && !llvm::is_contained(todo, source)) {
        todo.push_back(source);
      }
    }
    llvm::erase(todo, op);
    op->erase();
  }
}

void eraseUnreadBuffers(func::FuncOp function) {
  SmallVector<LocalAllocOp> unread;
  function.walk([&](LocalAllocOp alloc) {
    if (!alloc->use_empty() && llvm::all_of(alloc->getUsers(), llvm::IsaPred<LocalStoreOp>)) {
      unread.push_back(alloc);
    }
  });
  for (LocalAllocOp alloc : unread) {
    for (Operation *user : llvm::make_early_inc_range(alloc->getUsers())) {
      user->erase();
    }
    alloc.erase();
  }
}

} // namespace tilewright::tilegpu
