// Verifies combiners of reductions and scans, and the functions that they call.

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

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

static bool isPure(Operation *op, SymbolTableCollection &symbols) {
  auto call = dyn_cast<CallOpInterface>(op);
  if (!call) {
    return wouldOpBeTriviallyDead(op);
  }
  auto callee = dyn_cast_or_null<CallableOpInterface>(call.resolveCallableInTable(&symbols));
  Region *body = callee ? callee.getCallableRegion() : nullptr;
  auto isImpure = [&](Operation *inner) {
    return WalkResult(failure(!inner->hasTrait<OpTrait::IsTerminator>() && !isPure(inner, symbols)));
  };
  return body && !body->walk(isImpure).wasInterrupted();
}

/// Whether the operation only computes what nothing uses, such as a value of which a kernel reads the dtype. Passes
/// remove it.
static bool isDead(Operation *op, SymbolTableCollection &symbols) {
  return isPure(op, symbols) && llvm::all_of(op->getUsers(), [&](Operation *user) { return isDead(user, symbols); });
}

/// Emits an error on the first operation in `region`, or in functions it calls, that is not allowed in a combiner.
static LogicalResult verifyBody(Region &region, StringRef what, SymbolTableCollection &symbols,
                                SmallPtrSetImpl<Operation *> &called) {
  WalkResult result = region.walk([&](Operation *op) -> WalkResult {
    if (isDead(op, symbols)) {
      return WalkResult::advance();
    }
    if (auto call = dyn_cast<CallOpInterface>(op)) {
      auto callee = dyn_cast_or_null<CallableOpInterface>(call.resolveCallableInTable(&symbols));
      if (callee && callee.getCallableRegion() && called.insert(callee).second) {
        return verifyBody(*callee.getCallableRegion(), what, symbols, called);
      }
      return WalkResult::advance();
    }
    if (isa<PrintOp, AssertOp>(op)) {
      return op->emitError() << what << " must not " << (isa<PrintOp>(op) ? "print" : "assert");
    }
    if (accessesMemory(op)) {
      return op->emitError() << what << " must not access memory";
    }
    if (hasTile(op->getOperandTypes()) || hasTile(op->getResultTypes())) {
      return op->emitError() << what << " operates on scalars and must not create tiles";
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult verifyCombiners(ModuleOp module) {
  SymbolTableCollection symbols;
  SmallPtrSet<Operation *, 4> called;
  WalkResult result = module->walk([&](Operation *op) -> WalkResult {
    if (isa<ReduceOp, ScanOp>(op)) {
      return verifyBody(op->getRegion(0), "the combine function of a reduction or scan", symbols, called);
    }
    return isa<MapOp>(op) ? verifyBody(op->getRegion(0), "the function of a map", symbols, called) : success();
  });
  return failure(result.wasInterrupted());
}

} // namespace tilewright::tile
