// The arithmetic operations that the expansions are built from.

#include "tilewright/Transforms/MathBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace tilewright;

Type MathBuilder::shaped(Type element) const {
  auto shaped = dyn_cast<ShapedType>(shape);
  return shaped ? Type(shaped.clone(element)) : element;
}

static Value splat(ImplicitLocOpBuilder &b, Type type, TypedAttr element) {
  if (auto shaped = dyn_cast<ShapedType>(type)) {
    element = SplatElementsAttr::get(shaped, Attribute(element));
  }
  return arith::ConstantOp::create(b, element);
}

Value MathBuilder::constant(Type type, double value) {
  return splat(b, type, b.getFloatAttr(getElementTypeOrSelf(type), value));
}

Value MathBuilder::constant(Type type, int64_t value) {
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  APInt bits(64, static_cast<uint64_t>(value));
  return splat(b, type, b.getIntegerAttr(getElementTypeOrSelf(type), bits.trunc(width)));
}

Value MathBuilder::add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
Value MathBuilder::sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
Value MathBuilder::mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
Value MathBuilder::div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
Value MathBuilder::neg(Value x) { return arith::NegFOp::create(b, x); }
Value MathBuilder::abs(Value x) { return math::AbsFOp::create(b, x); }
Value MathBuilder::sqrt(Value x) { return math::SqrtOp::create(b, x); }
Value MathBuilder::fma(Value x, Value y, Value z) { return math::FmaOp::create(b, x, y, z); }
Value MathBuilder::copysign(Value magnitude, Value sign) { return math::CopySignOp::create(b, magnitude, sign); }

Value MathBuilder::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum = constant(x.getType(), coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back())) {
    sum = fma(sum, x, constant(x.getType(), coefficient));
  }
  return sum;
}

Value MathBuilder::compare(arith::CmpFPredicate predicate, Value x, Value y) {
  return arith::CmpFOp::create(b, predicate, x, y);
}
Value MathBuilder::compare(arith::CmpIPredicate predicate, Value x, Value y) {
  return arith::CmpIOp::create(b, predicate, x, y);
}
Value MathBuilder::select(Value condition, Value ifTrue, Value ifFalse) {
  return arith::SelectOp::create(b, condition, ifTrue, ifFalse);
}

Value MathBuilder::iadd(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
Value MathBuilder::isub(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
Value MathBuilder::imul(Value x, Value y) { return arith::MulIOp::create(b, x, y); }
Value MathBuilder::iand(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
Value MathBuilder::ior(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
Value MathBuilder::ixor(Value x, Value y) { return arith::XOrIOp::create(b, x, y); }
Value MathBuilder::shl(Value x, Value amount) { return arith::ShLIOp::create(b, x, amount); }
Value MathBuilder::lshr(Value x, Value amount) { return arith::ShRUIOp::create(b, x, amount); }
Value MathBuilder::shl(Value x, int64_t amount) { return shl(x, constant(x.getType(), amount)); }
Value MathBuilder::lshr(Value x, int64_t amount) { return lshr(x, constant(x.getType(), amount)); }
Value MathBuilder::ashr(Value x, int64_t amount) { return arith::ShRSIOp::create(b, x, constant(x.getType(), amount)); }

Value MathBuilder::bits(Value x) {
  bool isDouble = getElementTypeOrSelf(x.getType()).isF64();
  return arith::BitcastOp::create(b, isDouble ? i64() : i32(), x);
}
Value MathBuilder::asFloat(Value x) {
  bool isDouble = getElementTypeOrSelf(x.getType()).isInteger(64);
  return arith::BitcastOp::create(b, isDouble ? f64() : f32(), x);
}
Value MathBuilder::widen(Value x) { return arith::ExtFOp::create(b, f64(), x); }
Value MathBuilder::narrow(Value x) { return arith::TruncFOp::create(b, f32(), x); }
Value MathBuilder::widenUnsigned(Value x) { return arith::ExtUIOp::create(b, i64(), x); }
Value MathBuilder::narrowInteger(Value x) { return arith::TruncIOp::create(b, i32(), x); }
Value MathBuilder::toFloat(Type type, Value signedInteger) { return arith::SIToFPOp::create(b, type, signedInteger); }

Value MathBuilder::anyOf(Value condition) {
  auto vector = dyn_cast<VectorType>(condition.getType());
  if (!vector) {
    return condition;
  }
  if (vector.getRank() != 1) {
    auto flat = VectorType::get(vector.getNumElements(), vector.getElementType());
    condition = vector::ShapeCastOp::create(b, flat, condition);
  }
  return vector::ReductionOp::create(b, vector::CombiningKind::OR, condition);
}
