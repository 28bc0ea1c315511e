// Matrix instructions. MLIR has an operation for each; LLVM's intrinsics, which the rows of the table name, are called.

#include "ThreadToRocdl.h"

#include "tilewright/Hardware/AmdInstructions.h"

using namespace mlir;

namespace tilewright::amd {
namespace {

using hardware::AmdMmaForm;

/// The operands of the intrinsic.
SmallVector<Value> operandsOf(Builder &builder, AmdMmaForm form, Value a, Value b, Value c) {
  auto integer = [&](unsigned bits, int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, builder.getIntegerType(bits), value);
  };
  switch (form) {
  case AmdMmaForm::Mfma:
    return {a, b, c, integer(32, 0), integer(32, 0), integer(32, 0)};
  case AmdMmaForm::Wmma:
    return {a, b, c};
  case AmdMmaForm::WmmaInteger: {
    Value isSigned = integer(1, 1), saturates = integer(1, 0);
    return {isSigned, a, isSigned, b, c, saturates};
  }
  case AmdMmaForm::WmmaModified: {
    Value no = integer(1, 0);
    return {no, a, no, b, integer(16, 0), c, no, no};
  }
  }
  return {};
}

struct Mma : OpRewritePattern<thread::MmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::MmaOp op, PatternRewriter &rewriter) const override {
    const hardware::AmdMma *row = hardware::lookupAmdMma(op.getInstruction());
    if (!row) {
      return op.emitError("the target has no instruction ") << op.getInstruction();
    }
    Builder builder(op.getLoc(), rewriter);
    Value a = op.getA().front(), b = op.getB().front(), c = op.getC().front(); // each operand is one value
    if (row->swapsOperands) {
      std::swap(a, b);
    }
    SmallVector<Value> operands = operandsOf(builder, row->form, a, b, c);
    rewriter.replaceOp(op, callIntrinsic(builder, row->intrinsic, op.getResultTypes().front(), operands));
    return success();
  }
};

} // namespace

void addMmaPatterns(RewritePatternSet &patterns) { patterns.add<Mma>(patterns.getContext()); }

} // namespace tilewright::amd
