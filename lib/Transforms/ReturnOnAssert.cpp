// return-on-assert: a failed assertion returns a distinct status from the function:
//
//     cf.assert %ok, "n is positive"        cf.cond_br %ok, ^next, ^failed
//     ...                                 ^failed:
//                                           return %c1
//                                         ^next:
//                                           ...
//
// The function's attribute `tile.asserts` lists the message and position of each assertion in the order of the
// statuses. Assertions with the attribute `tile.status` return that value and are not listed.

#include "AssertDescription.h"

#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright {
#define GEN_PASS_DEF_RETURNONASSERT
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

void returnWhereItFails(OpBuilder &b, cf::AssertOp op, int32_t code) {
  Location loc = op.getLoc();
  Block *before = op->getBlock();
  Block *next = before->splitBlock(op->getNextNode());
  Block *failed = b.createBlock(before->getParent(), before->getParent()->end());
  Value status = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(code));
  func::ReturnOp::create(b, loc, status);
  b.setInsertionPoint(op);
  cf::CondBranchOp::create(b, loc, op.getArg(), next, failed);
  op.erase();
}

struct ReturnOnAssert : impl::ReturnOnAssertBase<ReturnOnAssert> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    SmallVector<cf::AssertOp> asserts;
    function.walk([&](cf::AssertOp op) { asserts.push_back(op); });
    if (asserts.empty()) {
      return;
    }
    if (function.getResultTypes() != ArrayRef<Type>(IntegerType::get(&getContext(), 32))) {
      function.emitOpError("has assertions but does not return an i32 status");
      return signalPassFailure();
    }
    OpBuilder b(&getContext());
    SmallVector<Attribute> descriptions;
    for (cf::AssertOp op : asserts) {
      if (auto status = op->getAttrOfType<IntegerAttr>("tile.status")) {
        returnWhereItFails(b, op, static_cast<int32_t>(status.getInt()));
        continue;
      }
      descriptions.push_back(describeAssert(op, op.getMsgAttr()));
      returnWhereItFails(b, op, static_cast<int32_t>(descriptions.size()));
    }
    if (!descriptions.empty()) {
      function->setAttr(tile::TileDialect::kAssertsAttr, b.getArrayAttr(descriptions));
    }
  }
};

} // namespace
} // namespace tilewright
