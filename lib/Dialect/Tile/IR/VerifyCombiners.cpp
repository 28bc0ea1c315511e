// Combiners of reductions and scans: what the functions that they call may do.

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;

namespace tilewright::tile {

static bool accessesMemory(Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface) {
    return false;
  }
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return effect.getResource()->getResourceID() == Memory::getResourceID();
  });
}

static bool hasTile(TypeRange types) { return llvm::any_of(types, llvm::IsaPred<RankedTensorType>); }

/// Reports the first operation below `region`, and in what it calls, that a combiner must not have.
static LogicalResult verifyBody(Region &region, SymbolTableCollection &symbols, SmallPtrSetImpl<Operation *> &called) {
  WalkResult result = region.walk([&](Operation *op) -> WalkResult {
    if (auto call = dyn_cast<CallOpInterface>(op)) {
      auto callee = dyn_cast_or_null<CallableOpInterface>(call.resolveCallableInTable(&symbols));
      if (callee && callee.getCallableRegion() && called.insert(callee).second) {
        return verifyBody(*callee.getCallableRegion(), symbols, called);
      }
      return WalkResult::advance();
    }
    if (accessesMemory(op)) {
      return op->emitError("the function with which a reduction or scan combines must not access memory");
    }
    if (hasTile(op->getOperandTypes()) || hasTile(op->getResultTypes())) {
      return op->emitError(
          "the function with which a reduction or scan combines works on scalars, and must not make tiles");
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult verifyCombiners(ModuleOp module) {
  SymbolTableCollection symbols;
  SmallPtrSet<Operation *, 4> called;
  WalkResult result = module->walk([&](Operation *op) -> WalkResult {
    return isa<ReduceOp, ScanOp>(op) ? verifyBody(op->getRegion(0), symbols, called) : success();
  });
  return failure(result.wasInterrupted());
}

} // namespace tilewright::tile
