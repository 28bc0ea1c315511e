// return-on-assert: a failed assertion returns a distinct status from the function, and from those that call it:
//
//     cf.assert %ok, "n is positive"        cf.cond_br %ok, ^next, ^failed
//     ...                                 ^failed:
//                                           return %c1
//                                         ^next:
//                                           ...
//
// See Passes.td.

#include "AssertDescription.h"

#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tilewright {
#define GEN_PASS_DEF_RETURNONASSERT
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

/// Ends the function with a status after `op` unless `succeeds`.
void returnUnless(OpBuilder &b, Operation *op, Value succeeds, llvm::function_ref<Value(OpBuilder &)> status) {
  Location loc = op->getLoc();
  auto function = op->getParentOfType<func::FuncOp>();
  Block *before = op->getBlock();
  Block *next = before->splitBlock(op->getNextNode());
  Block *failed = b.createBlock(before->getParent(), before->getParent()->end());
  SmallVector<Value> results = {status(b)};
  for (Type type : llvm::drop_begin(function.getResultTypes())) {
    results.push_back(LLVM::PoisonOp::create(b, loc, type));
  }
  func::ReturnOp::create(b, loc, results);
  b.setInsertionPointToEnd(before);
  cf::CondBranchOp::create(b, loc, succeeds, next, failed);
}

/// The assertions and calls of a function.
struct Contents {
  explicit Contents(func::FuncOp function) {
    function.walk([&](Operation *op) {
      if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
        asserts.push_back(assertion);
      } else if (auto call = dyn_cast<func::CallOp>(op)) {
        calls.push_back(call);
      }
    });
  }

  SmallVector<cf::AssertOp> asserts;
  SmallVector<func::CallOp> calls;
};

struct ReturnOnAssert : impl::ReturnOnAssertBase<ReturnOnAssert> {
  void runOnOperation() override {
    llvm::MapVector<func::FuncOp, Contents> functions;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      functions.try_emplace(function, function);
    }
    llvm::DenseSet<StringRef> failing = findFailing(functions);
    SmallVector<Attribute> descriptions;
    for (auto &[function, contents] : functions) {
      if (!failing.contains(function.getName())) {
        continue;
      }
      if (function.getNumResults() == 0 || !function.getResultTypes().front().isInteger(32)) {
        function.emitOpError("has assertions but does not return an i32 status");
        return signalPassFailure();
      }
      replace(contents, failing, descriptions);
    }
    if (descriptions.empty()) {
      return;
    }
    for (auto &[function, contents] : functions) {
      if (function.isPublic() && failing.contains(function.getName())) {
        function->setAttr(tile::TileDialect::kAssertsAttr, ArrayAttr::get(&getContext(), descriptions));
      }
    }
  }

  /// The functions that have assertions, or call such functions.
  static llvm::DenseSet<StringRef> findFailing(const llvm::MapVector<func::FuncOp, Contents> &functions) {
    llvm::DenseSet<StringRef> failing;
    bool changed = true;
    while (changed) {
      changed = false;
      for (const auto &[function, contents] : functions) {
        bool fails = !contents.asserts.empty() || llvm::any_of(contents.calls, [&](func::CallOp call) {
          return failing.contains(call.getCallee());
        });
        changed |= fails && failing.insert(func::FuncOp(function).getName()).second;
      }
    }
    return failing;
  }

  static void replace(const Contents &contents, const llvm::DenseSet<StringRef> &failing,
                      SmallVectorImpl<Attribute> &descriptions) {
    for (cf::AssertOp op : contents.asserts) {
      auto status = op->getAttrOfType<IntegerAttr>("tile.status");
      if (!status) {
        descriptions.push_back(describeAssert(op, op.getMsgAttr()));
        status = IntegerAttr::get(IntegerType::get(op.getContext(), 32), int64_t(descriptions.size()));
      }
      OpBuilder b(op);
      returnUnless(b, op, op.getArg(), [&](OpBuilder &b) { return arith::ConstantOp::create(b, op.getLoc(), status); });
      op.erase();
    }
    for (func::CallOp call : contents.calls) {
      if (!failing.contains(call.getCallee())) {
        continue;
      }
      OpBuilder b(call->getContext());
      b.setInsertionPointAfter(call);
      Value zero = arith::ConstantOp::create(b, call.getLoc(), b.getI32IntegerAttr(0));
      Value status = call.getResult(0);
      Value succeeds = arith::CmpIOp::create(b, call.getLoc(), arith::CmpIPredicate::eq, status, zero);
      returnUnless(b, succeeds.getDefiningOp(), succeeds, [&](OpBuilder &) { return status; });
    }
  }
};

} // namespace
} // namespace tilewright
