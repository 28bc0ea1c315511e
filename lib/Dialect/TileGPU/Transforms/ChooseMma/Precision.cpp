#include "Precision.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace tilewright;
using tile::DotOp;

static bool isByteFloat(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8; }

bool tilegpu::canWidenToHalf(DotOp dot) {
  Type a = tile::getElementType(dot.getA().getType()), b = tile::getElementType(dot.getB().getType());
  auto fits = [](Type type) { return isByteFloat(type) || type.isF16(); };
  return fits(a) && fits(b) && !(a.isF16() && b.isF16());
}

void tilegpu::widenToHalf(DotOp dot) {
  OpBuilder builder(dot);
  for (OpOperand *operand : {&dot.getAMutable(), &dot.getBMutable()}) {
    Type type = operand->get().getType();
    if (isByteFloat(tile::getElementType(type))) {
      Type half = tile::withElementType(type, builder.getF16Type());
      operand->set(arith::ExtFOp::create(builder, dot.getLoc(), half, operand->get()));
    }
  }
}

static Value splat(ImplicitLocOpBuilder &builder, Type type, Attribute value) {
  auto shaped = cast<ShapedType>(type);
  return arith::ConstantOp::create(builder, shaped, DenseElementsAttr::get(shaped, value));
}

static Value zero(ImplicitLocOpBuilder &builder, Type type) {
  return splat(builder, type, builder.getZeroAttr(tile::getElementType(type)));
}

/// Splits x into (big, small). For an infinite x, small is zero, since inf - inf is NaN. For a NaN, big is x + x, which
/// is quiet: cutting could leave the bits of an infinity.
static std::pair<Value, Value> split(ImplicitLocOpBuilder &builder, Value x) {
  constexpr int32_t kKept = static_cast<int32_t>(0xFFFFE000); // sign, exponent and 10 bits of the fraction
  Type type = x.getType(), bitsType = tile::withElementType(type, builder.getI32Type());
  Value bits = arith::BitcastOp::create(builder, bitsType, x);
  bits = arith::AndIOp::create(builder, bits, splat(builder, bitsType, builder.getI32IntegerAttr(kKept)));
  Value cut = arith::BitcastOp::create(builder, type, bits);
  Attribute infinity = builder.getF32FloatAttr(std::numeric_limits<float>::infinity());
  Value isFinite = arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT, math::AbsFOp::create(builder, x),
                                         splat(builder, type, infinity));
  Value big = arith::SelectOp::create(builder, isFinite, cut, arith::AddFOp::create(builder, x, x));
  Value rest = arith::SubFOp::create(builder, x, cut);
  return {big, arith::SelectOp::create(builder, isFinite, rest, zero(builder, type))};
}

SmallVector<DotOp> tilegpu::splitIntoThree(DotOp dot) {
  ImplicitLocOpBuilder builder(dot.getLoc(), dot);
  auto [aBig, aSmall] = split(builder, dot.getA());
  auto [bBig, bSmall] = split(builder, dot.getB());
  Type type = dot.getType();
  auto product = [&](Value a, Value b, Value acc) {
    return DotOp::create(builder, type, a, b, acc, tile::InputPrecision::TF32);
  };
  DotOp first = product(aBig, bSmall, zero(builder, type));
  DotOp second = product(aSmall, bBig, first);
  // A NaN in the small terms comes from NaNs or infinities of the operands, such as 0 * inf. It is dropped, as the dot
  // of the big parts determines the result then.
  Value isNaN = arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, second, second);
  Value small = arith::SelectOp::create(builder, isNaN, zero(builder, type), second);
  DotOp third = product(aBig, bBig, arith::AddFOp::create(builder, small, dot.getAcc()));
  dot.replaceAllUsesWith(third.getResult());
  dot.erase();
  return {first, second, third};
}
