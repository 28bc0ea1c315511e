// Builds elementwise arithmetic of one shape, so that every expansion is written once for scalars and vectors of any
// width.

#ifndef TILEWRIGHT_TRANSFORMS_MATHBUILDER_H
#define TILEWRIGHT_TRANSFORMS_MATHBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

class MathBuilder {
public:
  /// `like` is a scalar, vector or tensor type with the shape. `hasExp`: expansions use math.exp, which the target
  /// lowers accurately enough.
  MathBuilder(mlir::ImplicitLocOpBuilder &builder, mlir::Type like, bool hasExp = false)
      : hasExp(hasExp), b(builder), shape(like) {}

  const bool hasExp;

  mlir::ImplicitLocOpBuilder &builder() { return b; }

  /// The shape of this builder with the given element type; the element type itself for scalars.
  mlir::Type shaped(mlir::Type element) const;
  mlir::Type f32() { return shaped(b.getF32Type()); }
  mlir::Type f64() { return shaped(b.getF64Type()); }
  mlir::Type i32() { return shaped(b.getI32Type()); }
  mlir::Type i64() { return shaped(b.getI64Type()); }

  mlir::Value constant(mlir::Type type, double value);
  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value f(double value) { return constant(f32(), value); }
  mlir::Value d(double value) { return constant(f64(), value); }
  /// `value` as a constant of the type of x.
  mlir::Value like(mlir::Value x, double value) { return constant(x.getType(), value); }
  mlir::Value i(int64_t value) { return constant(i32(), value); }

  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value neg(mlir::Value x);
  mlir::Value abs(mlir::Value x);
  mlir::Value sqrt(mlir::Value x);
  /// x * y + z, rounded once.
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z);
  mlir::Value copysign(mlir::Value magnitude, mlir::Value sign);
  /// The sum of coefficients[i] * x^i, by Horner's rule.
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients);

  mlir::Value less(mlir::Value x, mlir::Value y) { return compare(mlir::arith::CmpFPredicate::OLT, x, y); }
  mlir::Value equal(mlir::Value x, mlir::Value y) { return compare(mlir::arith::CmpFPredicate::OEQ, x, y); }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value x, mlir::Value y);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value condition, mlir::Value ifTrue, mlir::Value ifFalse);
  /// Whether the condition holds for any element; i1.
  mlir::Value anyOf(mlir::Value condition);
  /// min(x, bound) and max(x, bound) that keep a NaN of x; one instruction each on x86.
  mlir::Value atMost(mlir::Value x, mlir::Value bound) { return select(less(bound, x), bound, x); }
  mlir::Value atLeast(mlir::Value x, mlir::Value bound) { return select(less(x, bound), bound, x); }

  mlir::Value iadd(mlir::Value x, mlir::Value y);
  mlir::Value isub(mlir::Value x, mlir::Value y);
  mlir::Value imul(mlir::Value x, mlir::Value y);
  mlir::Value iand(mlir::Value x, mlir::Value y);
  mlir::Value ior(mlir::Value x, mlir::Value y);
  mlir::Value ixor(mlir::Value x, mlir::Value y);
  mlir::Value shl(mlir::Value x, mlir::Value amount);
  mlir::Value lshr(mlir::Value x, mlir::Value amount);
  /// Shifts by a constant: left, right filling with zeros, right filling with the sign.
  mlir::Value shl(mlir::Value x, int64_t amount);
  mlir::Value lshr(mlir::Value x, int64_t amount);
  mlir::Value ashr(mlir::Value x, int64_t amount);

  /// Bitcasts and conversions.
  mlir::Value bits(mlir::Value x);          // f32 to i32, f64 to i64
  mlir::Value asFloat(mlir::Value x);       // i32 to f32, i64 to f64
  mlir::Value widen(mlir::Value x);         // f32 to f64
  mlir::Value narrow(mlir::Value x);        // f64 to f32
  mlir::Value widenUnsigned(mlir::Value x); // i32 to i64
  mlir::Value narrowInteger(mlir::Value x); // i64 to i32
  mlir::Value toFloat(mlir::Type type, mlir::Value signedInteger);

private:
  mlir::ImplicitLocOpBuilder &b;
  mlir::Type shape;
};

} // namespace tilewright

#endif // TILEWRIGHT_TRANSFORMS_MATHBUILDER_H
