// Shape operations: no data move between threads; at most, registers are permuted.

#include "TileGPUToThread.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

using layout::LinearLayout;

/// Element i of a range is start + i.
struct MakeRange : OpConversionPattern<tile::MakeRangeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::MakeRangeOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    const LinearLayout &map = tilegpu::mapOf(op.getType());
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    bool disjoint = areDisjoint(map, layout::dimName(0));
    SmallVector<int32_t> offsets;
    for (const auto &image : registerImages(map)) {
      // A disjoint image is added to the thread's, so the start can be included here.
      offsets.push_back(static_cast<int32_t>(image[0] + (disjoint ? int32_t(op.getStart()) : 0)));
    }
    Value thread = vector::BroadcastOp::create(builder, type, threadImages(builder, map)[0]);
    Value constant = arith::ConstantOp::create(builder, DenseElementsAttr::get(type, ArrayRef(offsets)));
    if (disjoint) {
      rewriter.replaceOpWithNewOp<arith::AddIOp>(op, thread, constant, arith::IntegerOverflowFlags::nsw);
      return success();
    }
    Value range = arith::XOrIOp::create(builder, thread, constant);
    Value start = arith::ConstantOp::create(builder, DenseElementsAttr::get(type, int32_t(op.getStart())));
    rewriter.replaceOpWithNewOp<arith::AddIOp>(op, range, start, arith::IntegerOverflowFlags::nsw);
    return success();
  }
};

template <typename Op, typename ThreadOp> struct Grid : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ThreadOp>(op, static_cast<uint32_t>(op.getAxis()));
    return success();
  }
};

/// Maps coordinates of the result to those of the source.
using CoordinateMap = llvm::function_ref<LinearLayout::Point(LinearLayout::Point)>;

/// For each register of the result, the register of the source that holds the same element. Layouts have the same
/// elements in each thread (LayoutRules.h), so it is sufficient to look at thread 0.
SmallVector<int64_t> matchRegisters(const LinearLayout &result, const LinearLayout &source, CoordinateMap toSource) {
  llvm::DenseMap<uint64_t, int64_t> holder;
  for (int64_t reg = source.inSize(layout::kRegister) - 1; reg >= 0; --reg) {
    holder[source.apply(uint64_t(reg) << source.inStart(layout::kRegister))] = reg;
  }
  SmallVector<int64_t> order;
  for (int64_t reg = 0; reg < result.inSize(layout::kRegister); ++reg) {
    LinearLayout::Point at = result.unpackOut(result.apply(uint64_t(reg) << result.inStart(layout::kRegister)));
    LinearLayout::Point from = toSource(at);
    uint64_t packed = 0;
    for (auto [out, coordinate] : llvm::zip_equal(source.outs(), from)) {
      packed |= uint64_t(coordinate) << source.outStart(out.name);
    }
    auto found = holder.find(packed);
    if (found == holder.end()) {
      return {};
    }
    order.push_back(found->second);
  }
  return order;
}

template <typename Op> struct Reshaping : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    SmallVector<int64_t> order = matchRegisters(tilegpu::mapOf(op.getType()), tilegpu::mapOf(op.getSrc().getType()),
                                                [&](const LinearLayout::Point &point) { return sourceOf(op, point); });
    if (order.empty()) {
      return rewriter.notifyMatchFailure(op, "the layout of the source does not match that of the result");
    }
    rewriter.replaceOp(op, selectRegisters(builder, adaptor.getSrc(), order));
    return success();
  }

private:
  static LinearLayout::Point sourceOf(tile::ExpandDimsOp op, LinearLayout::Point point) {
    point.erase(point.begin() + op.getAxis());
    return point;
  }
  static LinearLayout::Point sourceOf(tile::BroadcastOp op, LinearLayout::Point point) {
    for (auto [dim, size] : llvm::enumerate(tile::getShape(op.getSrc().getType()))) {
      point[dim] = size == 1 ? 0 : point[dim];
    }
    return point;
  }
  static LinearLayout::Point sourceOf(tile::TransOp op, const LinearLayout::Point &point) {
    LinearLayout::Point source(point.size());
    for (auto [index, dim] : llvm::enumerate(op.getOrder())) {
      source[dim] = point[index];
    }
    return source;
  }
  static LinearLayout::Point sourceOf(tilegpu::ExtractSliceOp op, LinearLayout::Point point) {
    for (auto [coordinate, start] : llvm::zip_equal(point, op.getStart())) {
      coordinate += start;
    }
    return point;
  }
  static LinearLayout::Point sourceOf(tile::ReshapeOp op, const LinearLayout::Point &point) {
    int64_t index = 0;
    for (auto [size, coordinate] : llvm::zip_equal(tile::getShape(op.getType()), point)) {
      index = index * size + coordinate;
    }
    ArrayRef<int64_t> shape = tile::getShape(op.getSrc().getType());
    LinearLayout::Point source(shape.size());
    for (size_t dim = shape.size(); dim-- > 0; index /= shape[dim]) {
      source[dim] = index % shape[dim];
    }
    return source;
  }
};

/// Pairs are in adjacent registers: see LayoutRules.h.
struct Join : OpConversionPattern<tile::JoinOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::JoinOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    SmallVector<Value> elements;
    for (auto [lhs, rhs] : llvm::zip_equal(unpack(builder, adaptor.getLhs()), unpack(builder, adaptor.getRhs()))) {
      elements.append({lhs, rhs});
    }
    rewriter.replaceOp(op, pack(builder, elements));
    return success();
  }
};

struct Split : OpConversionPattern<tile::SplitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::SplitOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    SmallVector<int64_t> even, odd;
    for (int64_t i = 0, size = cast<VectorType>(adaptor.getSrc().getType()).getNumElements(); i < size; i += 2) {
      even.push_back(i);
      odd.push_back(i + 1);
    }
    rewriter.replaceOp(
        op, {selectRegisters(builder, adaptor.getSrc(), even), selectRegisters(builder, adaptor.getSrc(), odd)});
    return success();
  }
};

/// The second tile's elements are in the upper half of the registers.
struct Cat : OpConversionPattern<tile::CatOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::CatOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    SmallVector<Value> elements = unpack(builder, adaptor.getLhs());
    llvm::append_range(elements, unpack(builder, adaptor.getRhs()));
    rewriter.replaceOp(op, pack(builder, elements));
    return success();
  }
};

} // namespace

void addShapePatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns
      .add<MakeRange, Grid<tile::ProgramIdOp, thread::ProgramIdOp>, Grid<tile::NumProgramsOp, thread::NumProgramsOp>,
           Reshaping<tile::ExpandDimsOp>, Reshaping<tile::BroadcastOp>, Reshaping<tile::TransOp>,
           Reshaping<tile::ReshapeOp>, Reshaping<tilegpu::ExtractSliceOp>, Join, Split, Cat>(types,
                                                                                             patterns.getContext());
}

} // namespace tilewright::gpu
