// Elementwise operations: the same operations on the thread's registers.

#include "TileGPUToThread.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

/// Operations of arith and math keep their names and attributes.
struct Elementwise : ConversionPattern {
  Elementwise(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) || isa<arith::ConstantOp>(op)) {
      return failure();
    }
    SmallVector<Type> results;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), results))) {
      return rewriter.notifyMatchFailure(op, "a result without a layout");
    }
    OperationState state(op->getLoc(), op->getName(), operands, results, op->getAttrs());
    rewriter.replaceOp(op, rewriter.create(state)->getResults());
    return success();
  }
};

/// The register bits along which the result of a comparison is constant.
int64_t equalRegisters(const layout::LinearLayout &map, ArrayRef<int64_t> constancy) {
  int64_t bits = 0;
  for (int bit = 0; bit < map.inBits(layout::kRegister); ++bit) {
    bool isWithin = true;
    for (auto [dim, equal] : llvm::enumerate(constancy)) {
      isWithin &= map.basis(layout::kRegister, bit, layout::dimName(static_cast<int>(dim))) < equal;
    }
    bits |= isWithin ? int64_t(1) << bit : 0;
  }
  return bits;
}

/// Comparisons with `tilegpu.constancy`, whose results may be equal for several of a thread's registers.
struct EqualComparisons : OpConversionPattern<arith::CmpIOp> {
  EqualComparisons(const TypeConverter &types, MLIRContext *context)
      : OpConversionPattern(types, context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(arith::CmpIOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto constancy = op->getAttrOfType<DenseI64ArrayAttr>(tilegpu::TileGPUDialect::kConstancyAttr);
    if (!constancy) {
      return failure();
    }
    int64_t equal = equalRegisters(tilegpu::mapOf(op.getResult()), constancy.asArrayRef());
    Builder builder(op.getLoc(), rewriter);
    Value all = arith::CmpIOp::create(builder, op.getPredicate(), adaptor.getLhs(), adaptor.getRhs());
    SmallVector<int64_t> registers;
    for (int64_t reg = 0; reg < cast<VectorType>(all.getType()).getNumElements(); ++reg) {
      registers.push_back(reg & ~equal);
    }
    rewriter.replaceOp(op, equal == 0 ? all : vector::ShuffleOp::create(builder, all, all, registers).getResult());
    return success();
  }
};

/// Only splat constants are supported: their values do not depend on the layout.
struct Constant : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    auto elements = dyn_cast<SplatElementsAttr>(op.getValue());
    auto type = dyn_cast_or_null<VectorType>(getTypeConverter()->convertType(op.getType()));
    if (!elements || !type) {
      return op.emitError("on a GPU, the elements of a constant tile must all be equal");
    }
    auto value = DenseElementsAttr::get(type, elements.getSplatValue<Attribute>());
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
    return success();
  }
};

struct Poison : OpConversionPattern<ub::PoisonOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ub::PoisonOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ub::PoisonOp>(op, getTypeConverter()->convertType(op.getType()), op.getValue());
    return success();
  }
};

struct Splat : OpConversionPattern<tile::SplatOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::SplatOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(op, type, adaptor.getSrc());
    return success();
  }
};

/// Offsets count elements of the pointee type.
struct AddPtr : OpConversionPattern<tile::AddPtrOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::AddPtrOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type pointee = tile::getElementType(tile::getPointeeType(op.getType()));
    Type step = memoryType(getTypeConverter()->convertType(pointee));
    Type type = getTypeConverter()->convertType(op.getType());
    auto add = rewriter.replaceOpWithNewOp<LLVM::GEPOp>(op, type, step, adaptor.getPtr(), adaptor.getOffset());
    keepMark(op, add);
    return success();
  }
};

/// Applies the function to one group of `pack` registers after the other. If there are fewer registers, they repeat.
struct Map : OpConversionPattern<tile::MapOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::MapOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    auto builder = ImplicitLocOpBuilder(op.getLoc(), rewriter);
    SmallVector<SmallVector<Value>> operands =
        llvm::map_to_vector(adaptor.getSources(), [&](Value operand) { return unpack(builder, operand); });
    auto pack = static_cast<size_t>(op.getPack());
    size_t registers = operands.front().size();
    SmallVector<SmallVector<Value>> results(op.getNumResults());
    for (size_t first = 0; first < registers; first += pack) {
      SmallVector<Value> arguments;
      for (const SmallVector<Value> &operand : operands) {
        for (size_t i = 0; i < pack; ++i) {
          arguments.push_back(operand[(first + i) % registers]);
        }
      }
      SmallVector<Value> yielded = applyToScalars(builder, op.getBody().front(), arguments);
      for (auto [index, result] : llvm::enumerate(results)) {
        for (size_t i = 0; i < std::min(pack, registers); ++i) {
          result.push_back(yielded[index * pack + i]);
        }
      }
    }
    rewriter.replaceOp(op, llvm::map_to_vector(results, [&](const SmallVector<Value> &elements) {
                         return tilewright::gpu::pack(builder, elements);
                       }));
    return success();
  }
};

template <typename Op, typename LLVMOp> struct Cast : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = this->getTypeConverter()->convertType(op.getType());
    if (type == adaptor.getSrc().getType()) {
      rewriter.replaceOp(op, adaptor.getSrc());
    } else {
      rewriter.replaceOpWithNewOp<LLVMOp>(op, type, adaptor.getSrc());
    }
    return success();
  }
};

} // namespace

void addElementwisePatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns
      .add<Elementwise, EqualComparisons, Constant, Poison, Splat, AddPtr, Map, Cast<tile::PtrCastOp, LLVM::BitcastOp>,
           Cast<tile::IntToPtrOp, LLVM::IntToPtrOp>, Cast<tile::PtrToIntOp, LLVM::PtrToIntOp>>(types,
                                                                                               patterns.getContext());
}

} // namespace tilewright::gpu
