// Verifies combiners of reductions and scans, and the functions that they call.

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

/// Emits an error on the first operation in `region`, or in functions it calls, that is not allowed in a combiner.
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
      return op->emitError("the combine function of a reduction or scan must not access memory");
    }
    if (hasTile(op->getOperandTypes()) || hasTile(op->getResultTypes())) {
      return op->emitError("the combine function of a reduction or scan operates on scalars and must not create tiles");
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
