// Conversions between the bits of 8-bit floats, as i8, and wider floats.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_EXPANDFLOAT8_CODEC_H
#define TILEWRIGHT_LIB_TRANSFORMS_EXPANDFLOAT8_CODEC_H

#include "tilewright/Hardware/Gpu.h"
#include "tilewright/Transforms/MathBuilder.h"

namespace tilewright {

/// Whether the type or its element type is one of f8E5M2, f8E4M3FN and their variants without infinities and negative
/// zero, f8E5M2FNUZ and f8E4M3FNUZ.
bool isFloat8(mlir::Type type);

class Float8Codec {
public:
  /// `format` is one of the four types; `info`, which may be null, is the target, for its conversion instructions.
  Float8Codec(mlir::ImplicitLocOpBuilder &builder, mlir::Type format, const hardware::GpuInfo *info);

  /// Converts i8 to `element`, which is f16, bf16, f32 or f64, exactly.
  mlir::Value decode(mlir::Value bits, mlir::Type element);

  /// Converts a float to i8, rounding to nearest even. Values beyond the largest finite number, including infinity,
  /// saturate.
  mlir::Value encode(mlir::Value x);

private:
  mlir::Value decodeToSingle(MathBuilder &m, mlir::Value bits);
  mlir::Value encodeSingle(MathBuilder &m, mlir::Value x);
  mlir::Value decodeInPairs(mlir::Value bits);
  mlir::Value encodeInPairs(mlir::Value x);

  mlir::ImplicitLocOpBuilder &b;
  mlir::Type format;
  const hardware::PairConversion *instruction; ///< null if the target has none
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TRANSFORMS_EXPANDFLOAT8_CODEC_H
