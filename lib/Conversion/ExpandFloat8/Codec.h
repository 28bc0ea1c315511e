// Between the bits of 8-bit floats, as i8, and wider floats.

#ifndef TILEWRIGHT_LIB_CONVERSION_EXPANDFLOAT8_CODEC_H
#define TILEWRIGHT_LIB_CONVERSION_EXPANDFLOAT8_CODEC_H

#include "tilewright/Conversion/MathBuilder.h"
#include "tilewright/Hardware/Nvidia.h"

namespace tilewright {

/// Whether the type, or its elements', is one of the four: f8E5M2, f8E4M3FN and their variants without infinities and
/// negative zero, f8E5M2FNUZ and f8E4M3FNUZ.
bool isFloat8(mlir::Type type);

class Float8Codec {
public:
  /// `format` is one of the four types; `info`, which may be null, says which conversions the target has.
  Float8Codec(mlir::ImplicitLocOpBuilder &builder, mlir::Type format, const hardware::NvidiaInfo *info);

  /// i8 to f16, bf16, f32 or f64 (the element's type), exactly.
  mlir::Value decode(mlir::Value bits, mlir::Type element);

  /// A float to i8: to nearest even; what is beyond the greatest number, infinity too, becomes the greatest.
  mlir::Value encode(mlir::Value x);

private:
  mlir::Value decodeToSingle(MathBuilder &m, mlir::Value bits);
  mlir::Value encodeSingle(MathBuilder &m, mlir::Value x);
  mlir::Value decodeInPairs(mlir::Value bits);
  mlir::Value encodeInPairs(mlir::Value x);

  mlir::ImplicitLocOpBuilder &b;
  mlir::Type format;
  bool hasInstructions; ///< vectors are converted by the processor, two elements at once
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_EXPANDFLOAT8_CODEC_H
