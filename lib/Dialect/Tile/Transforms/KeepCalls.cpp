// tile-keep-calls: keeps calls of functions that the user wants to stay functions. See Passes.td.
//
//     %y = func.call @f(%x)              tile.barrier
//                                   ->   %y = tile.call @f(%x)
//                                        tile.barrier
//
// All other calls are inlined later.

#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEKEEPCALLS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// Whether a value of the type can be passed to a function: a scalar, or a tile that each thread holds a part of.
static bool canBePassed(Type type) {
  bool hasPowersOfTwo = llvm::all_of(getShape(type), [](int64_t size) { return llvm::isPowerOf2_64(size); });
  Type element = getElementType(type);
  bool isFloat8 = isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8;
  return hasPowersOfTwo && !isFloat8 && (element.isIntOrFloat() || isa<PtrType>(element));
}

namespace {

/// What the decision depends on, for all functions of a module.
class Functions {
public:
  explicit Functions(ModuleOp module) {
    module.walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls) {
      if (!isExecutedByAllThreads(call)) {
        noteInlined(calleeOf(call));
      }
    }
  }

  /// Whether the function may stay one. Functions that a combiner calls become a part of it.
  bool mayStay(func::FuncOp function) const {
    return function.getNoInline() && !inlined.contains(function) &&
           llvm::all_of(function.getArgumentTypes(), canBePassed) &&
           llvm::all_of(function.getResultTypes(), canBePassed);
  }

  /// Whether the function neither accesses memory nor has tiles, whose layouts may be converted in shared memory. A
  /// pointer that it returns may be any.
  bool isPure(func::FuncOp function) {
    auto [known, isNew] = pure.try_emplace(function, llvm::none_of(function.getResultTypes(), llvm::IsaPred<PtrType>));
    if (isNew && known->second) {
      WalkResult result = function.getBody().walk([&](Operation *op) {
        auto call = dyn_cast<func::CallOp>(op);
        bool isHarmless = call ? isPure(calleeOf(call)) : op->getNumRegions() != 0 || isMemoryEffectFree(op);
        return isHarmless && !hasTile(op) ? WalkResult::advance() : WalkResult::interrupt();
      });
      pure[function] = !result.wasInterrupted();
    }
    return pure.lookup(function);
  }

  static func::FuncOp calleeOf(func::CallOp call) {
    return call->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(call.getCallee());
  }

  SmallVector<func::CallOp> calls;

private:
  static bool hasTile(Operation *op) {
    return llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
           llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  }

  static bool isExecutedByAllThreads(Operation *op) {
    Operation *around = op->getParentOp();
    while (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(around)) {
      around = around->getParentOp();
    }
    return isa<func::FuncOp>(around);
  }

  void noteInlined(func::FuncOp function) {
    if (inlined.insert(function).second) {
      function.walk([&](func::CallOp call) { noteInlined(calleeOf(call)); });
    }
  }

  DenseSet<Operation *> inlined; ///< functions that are executed for single elements
  DenseMap<Operation *, bool> pure;
};

struct TileKeepCalls : tilewright::tile::impl::TileKeepCallsBase<TileKeepCalls> {
  using TileKeepCallsBase::TileKeepCallsBase;

  void runOnOperation() override {
    Functions functions(getOperation());
    SmallVector<func::CallOp> kept;
    for (func::CallOp call : functions.calls) {
      if (keep && functions.mayStay(functions.calleeOf(call))) {
        (void)functions.isPure(functions.calleeOf(call)); // looks at calls, which are replaced below
        kept.push_back(call);
      }
    }
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!keep || !functions.mayStay(function)) {
        function.setNoInline(false);
      }
    }
    for (func::CallOp call : kept) {
      replace(call, functions.isPure(functions.calleeOf(call)));
    }
  }

  /// Barriers around a call order its accesses, of any memory and by any thread, with those of the caller and of other
  /// calls.
  static void replace(func::CallOp call, bool isPure) {
    OpBuilder b(call);
    Location loc = call.getLoc();
    if (!isPure && !isa_and_nonnull<BarrierOp>(call->getPrevNode())) {
      BarrierOp::create(b, loc);
    }
    auto made = CallOp::create(b, loc, call.getResultTypes(), call.getCallee(), isPure, call.getOperands());
    if (!isPure) {
      BarrierOp::create(b, loc);
    }
    call.replaceAllUsesWith(made);
    call.erase();
  }
};

} // namespace
