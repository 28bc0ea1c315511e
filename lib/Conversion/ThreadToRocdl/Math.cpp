// Approximations, and conversions of 8-bit floats.

#include "ThreadToRocdl.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::amd {
namespace {

struct Reciprocal : OpRewritePattern<thread::ReciprocalOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::ReciprocalOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!vector) {
      rewriter.replaceOpWithNewOp<ROCDL::ROCDLRcp>(op, op.getType(), op.getX());
      return success();
    }
    SmallVector<Value> elements(vector::ToElementsOp::create(builder, op.getX()).getResults());
    for (Value &element : elements) {
      element = ROCDL::ROCDLRcp::create(builder, element.getType(), element);
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, vector, elements);
    return success();
  }
};

/// "fp8" or "bf8". On gfx942 the formats of these names lack infinity and negative zero.
StringRef nameOf(Type format) { return isa<Float8E4M3FNType, Float8E4M3FNUZType>(format) ? "fp8" : "bf8"; }

Value boolean(Builder &builder, bool value) {
  return arith::ConstantIntOp::create(builder, builder.getI1Type(), value);
}

/// v_cvt_pk_f32_fp8 takes the lower or the upper half of a word.
struct ExtendPairs : OpRewritePattern<thread::ExtendPairsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::ExtendPairsOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    int64_t count = op.getType().getNumElements();
    Value word = LLVM::BitcastOp::create(builder, builder.getIntegerType(8 * count), op.getBytes());
    if (count == 2) {
      word = arith::ExtUIOp::create(builder, builder.getI32Type(), word);
    }
    auto pair = VectorType::get(2, builder.getF32Type());
    std::string name = ("llvm.amdgcn.cvt.pk.f32." + nameOf(op.getFormat())).str();
    SmallVector<Value> elements;
    for (int64_t half = 0; half < count / 2; ++half) {
      Value converted = callIntrinsic(builder, name, pair, {word, boolean(builder, half == 1)});
      llvm::append_range(elements, vector::ToElementsOp::create(builder, converted).getResults());
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, op.getType(), elements);
    return success();
  }
};

/// Moves numbers out of the format's range into it. The conversion would make them NaN or infinite, and v_med3_f32
/// makes a NaN a number, so that a selection keeps it. This NaN is the one whose leading bits are those of the
/// format's.
Value clamp(Builder &builder, Value x, FloatType format) {
  llvm::APFloat largest = llvm::APFloat::getLargest(format.getFloatSemantics());
  auto constant = [&](const llvm::APFloat &value) -> Value {
    return arith::ConstantFloatOp::create(builder, builder.getF32Type(), value);
  };
  llvm::APFloat bound(largest.convertToFloat());
  Value inside =
      callIntrinsic(builder, "llvm.amdgcn.fmed3", builder.getF32Type(), {x, constant(-bound), constant(bound)});
  Value isNaN = arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, x, x);
  llvm::APFloat nan(llvm::APFloat::IEEEsingle(), llvm::APInt(32, 0x7fffffff));
  return arith::SelectOp::create(builder, isNaN, constant(nan), inside);
}

/// v_cvt_pk_fp8_f32 fills the lower or the upper half of a word.
struct TruncatePairs : OpRewritePattern<thread::TruncatePairsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::TruncatePairsOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    auto format = cast<FloatType>(op.getFormat());
    std::string name = ("llvm.amdgcn.cvt.pk." + nameOf(format) + ".f32").str();
    Value word = LLVM::UndefOp::create(builder, builder.getI32Type());
    auto count = static_cast<int64_t>(op.getValues().size());
    for (int64_t i = 0; i < count; i += 2) {
      Value first = clamp(builder, op.getValues()[i], format), second = clamp(builder, op.getValues()[i + 1], format);
      word = callIntrinsic(builder, name, builder.getI32Type(), {first, second, word, boolean(builder, i == 2)});
    }
    if (count == 2) {
      word = arith::TruncIOp::create(builder, builder.getI16Type(), word);
    }
    rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, op.getType(), word);
    return success();
  }
};

} // namespace

void addMathPatterns(RewritePatternSet &patterns) {
  patterns.add<Reciprocal, ExtendPairs, TruncatePairs>(patterns.getContext());
}

} // namespace tilewright::amd
