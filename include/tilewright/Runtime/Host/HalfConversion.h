// Conversions between 16-bit and wider floats, in integer arithmetic.

#ifndef TILEWRIGHT_RUNTIME_HOST_HALFCONVERSION_H
#define TILEWRIGHT_RUNTIME_HOST_HALFCONVERSION_H

#include <cstdint>

namespace tilewright::runtime {

/// The bits of the nearest float16, with ties to even.
uint16_t toHalf(double wide);
/// The bits of the nearest bfloat16, with ties to even.
uint16_t toBfloat16(double wide);
/// The value of a float16.
float fromHalf(uint16_t bits);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_HOST_HALFCONVERSION_H
