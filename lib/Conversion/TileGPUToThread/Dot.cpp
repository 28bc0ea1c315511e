// Dots by multiply-adds, for those that no matrix instruction computes.
//
//     for k:                                   an outer product: each thread holds all of K for
//       c[i, j] += a[i, k] * b[k, j]           the rows and columns of its accumulators

#include "TileGPUToThread.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

using layout::LinearLayout;

/// The registers of an operand or accumulator, by coordinates relative to the thread's register 0.
struct Elements {
  const LinearLayout &map;
  std::map<LinearLayout::Point, int64_t> registers;

  explicit Elements(Type tile) : map(tilegpu::mapOf(tile)) {
    for (auto [index, image] : llvm::enumerate(registerImages(map))) {
      registers[LinearLayout::Point(image.begin(), image.end())] = static_cast<int64_t>(index);
    }
  }

  /// Whether threads are distributed as those of the accumulators, and not along dimension `k`.
  bool fits(const Elements &accumulators, size_t k) const {
    for (std::string_view in : {layout::kLane, layout::kWarp}) {
      for (int bit = 0; bit < map.inBits(in); ++bit) {
        for (size_t dim = 0; dim < map.outs().size(); ++dim) {
          std::string name = layout::dimName(static_cast<int>(dim));
          if (map.basis(in, bit, name) != (dim == k ? 0 : accumulators.map.basis(in, bit, name))) {
            return false;
          }
        }
      }
    }
    return true;
  }

  /// For each accumulator, the register with coordinate `k` along `dim` and the accumulator's other coordinates; empty
  /// if one is missing.
  SmallVector<int64_t> operandsOf(const Elements &accumulators, size_t dim, int64_t k) const {
    SmallVector<int64_t> result(accumulators.registers.size());
    for (const auto &[point, index] : accumulators.registers) {
      LinearLayout::Point at = point;
      at[dim] = k;
      auto found = registers.find(at);
      if (found == registers.end()) {
        return {};
      }
      result[index] = found->second;
    }
    return result;
  }
};

/// Converts elements to a wider or narrower float or integer type.
Value convertElements(Builder &builder, Value value, Type element) {
  auto type = cast<VectorType>(value.getType());
  VectorType result = type.clone(element);
  if (type == result) {
    return value;
  }
  bool isWider = element.getIntOrFloatBitWidth() > type.getElementTypeBitWidth();
  if (isa<FloatType>(element)) {
    return isWider ? arith::ExtFOp::create(builder, result, value).getResult()
                   : arith::TruncFOp::create(builder, result, value).getResult();
  }
  return isWider ? arith::ExtSIOp::create(builder, result, value).getResult()
                 : arith::TruncIOp::create(builder, result, value).getResult();
}

Value multiplyAdd(Builder &builder, Value a, Value b, Value sum) {
  if (isa<FloatType>(getElementTypeOrSelf(sum.getType()))) {
    return math::FmaOp::create(builder, a, b, sum);
  }
  return arith::AddIOp::create(builder, arith::MulIOp::create(builder, a, b), sum);
}

struct Dot : OpConversionPattern<tile::DotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::DotOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Elements a(op.getA().getType()), b(op.getB().getType()), c(op.getType());
    size_t last = c.map.outs().size() - 1;
    if (!a.fits(c, last) || !b.fits(c, last - 1)) {
      return op.emitError("a thread does not hold all operands of its part of the result");
    }
    Builder builder(op.getLoc(), rewriter);
    Type element = tile::getElementType(op.getType());
    Type exact = element.isBF16() ? builder.getF32Type() : element; // bf16 is too imprecise to accumulate in
    SmallVector<Value> left = unpack(builder, convertElements(builder, adaptor.getA(), exact));
    SmallVector<Value> right = unpack(builder, convertElements(builder, adaptor.getB(), exact));
    Value sum = convertElements(builder, adaptor.getAcc(), exact);
    for (int64_t k = 0, depth = tile::getShape(op.getA().getType()).back(); k < depth; ++k) {
      SmallVector<int64_t> ofA = a.operandsOf(c, last, k), ofB = b.operandsOf(c, last - 1, k);
      if (ofA.empty() || ofB.empty()) {
        return op.emitError("a thread does not hold all operands of its part of the result");
      }
      sum = multiplyAdd(builder, gather(builder, left, ofA), gather(builder, right, ofB), sum);
    }
    rewriter.replaceOp(op, convertElements(builder, sum, element));
    return success();
  }

private:
  /// Builds a vector from elements rather than by a shuffle of the operand, so that elements can be loaded right before
  /// the step that uses them.
  static Value gather(Builder &builder, ArrayRef<Value> elements, ArrayRef<int64_t> order) {
    SmallVector<Value> chosen;
    llvm::transform(order, std::back_inserter(chosen), [&](int64_t index) { return elements[index]; });
    return pack(builder, chosen);
  }
};

} // namespace

void addDotPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<Dot>(types, patterns.getContext());
}

} // namespace tilewright::gpu
