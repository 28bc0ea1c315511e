#include "tilewright/Conversion/TileToVector/MemoryOrder.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilewright::cpu {

/// The pointer an address is derived from: a function argument, or null where
/// it came out of memory or an integer.
static Value findRoot(Value pointer, llvm::SmallPtrSetImpl<void *> &seen) {
  while (pointer) {
    if (!seen.insert(pointer.getAsOpaquePointer()).second) {
      return {};
    }
    if (auto arg = dyn_cast<BlockArgument>(pointer)) {
      if (isa<FunctionOpInterface>(arg.getOwner()->getParentOp())) {
        return arg;
      }
      // A pointer carried around a loop only moves within its memory, unless the
      // loop swaps pointers: then the yielded one has another root.
      auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
      OpOperand *init = loop ? loop.getTiedLoopInit(arg) : nullptr;
      if (!init) {
        return {};
      }
      Value fromInit = findRoot(init->get(), seen);
      Value yielded = loop.getTiedLoopYieldedValue(arg)->get();
      Value fromBody = seen.contains(yielded.getAsOpaquePointer()) ? Value() : findRoot(yielded, seen);
      return !fromBody || fromBody == fromInit ? fromInit : Value();
    }
    Operation *op = pointer.getDefiningOp();
    if (!isa<tile::AddPtrOp, tile::PtrCastOp, tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp,
             tile::TransOp>(op)) {
      return {};
    }
    pointer = op->getOperand(0);
  }
  return {};
}

static Value findRoot(Value pointer) {
  llvm::SmallPtrSet<void *, 8> seen;
  return findRoot(pointer, seen);
}

static Value getPointer(Operation *op) {
  if (isa<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp, tile::AtomicCASOp>(op)) {
    return op->getOperand(0);
  }
  return {};
}

static bool isExclusive(Value root) {
  auto arg = dyn_cast_or_null<BlockArgument>(root);
  auto function = arg ? dyn_cast<func::FuncOp>(arg.getOwner()->getParentOp()) : nullptr;
  return function && function.getArgAttr(arg.getArgNumber(), tile::TileDialect::kNoAliasAttr);
}

bool MemoryOrder::writes(Operation *op) {
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>()) {
    return llvm::any_of(op->getRegions(), [](Region &region) {
      return llvm::any_of(region.getOps(), [](Operation &inner) { return writes(&inner); });
    });
  }
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op)) {
    return effects.hasEffect<MemoryEffects::Write>();
  }
  return false;
}

bool MemoryOrder::touches(Operation *op) { return !isMemoryEffectFree(op); }

bool MemoryOrder::conflict(Operation *a, Operation *b) const {
  if (!writes(a) && !writes(b)) {
    return false;
  }
  Value pointerA = getPointer(a), pointerB = getPointer(b);
  if (!pointerA || !pointerB) {
    return touches(a) && touches(b);
  }
  Value rootA = findRoot(pointerA), rootB = findRoot(pointerB);
  bool apart = rootA && rootB && rootA != rootB && isExclusive(rootA) && isExclusive(rootB);
  return !apart;
}

bool MemoryOrder::mayShareNest(Operation *a, Operation *b) const {
  Value pointer = getPointer(a);
  if (!pointer || pointer != getPointer(b) || isa<tile::AtomicRMWOp, tile::AtomicCASOp>(a) ||
      isa<tile::AtomicRMWOp, tile::AtomicCASOp>(b)) {
    return false;
  }
  // All pointers differ if they are consecutive along the only real dimension.
  ArrayRef<int64_t> shape = tile::getShape(pointer.getType());
  int wide = -1;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (size == 1) {
      continue;
    }
    if (wide >= 0) {
      return false;
    }
    wide = dim;
  }
  return wide < 0 || axis.get(pointer).getContiguity(wide) >= shape[wide];
}

} // namespace tilewright::cpu
