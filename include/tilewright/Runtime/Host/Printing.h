// The lines that kernels print.

#ifndef TILEWRIGHT_RUNTIME_HOST_PRINTING_H
#define TILEWRIGHT_RUNTIME_HOST_PRINTING_H

#include <cstdint>

namespace tilewright::runtime {

/// Prints a line for each element of tiles, in row-major order, for the program (x, y, z):
///
///     "[2,16] x = %i32:d; of %f32:;"        pid (1, 0, 0) idx (0, 3) x = 7 of 0.25
///     "[]? n = %u64:08x;"                   pid (1, 0, 0) idx () n = 000000ff
///     "- here"                              pid (1, 0, 0) here
///
/// `format` is the tiles' shape, or a minus sign without operands, and the text of a line. In the text, a percent sign
/// starts the conversion of the next operand: its type in memory (f32, f64, i8 to i64, u8 to u64), a colon, the flags,
/// width, precision and letter of printf, and a semicolon. A float without a letter is the shortest text that reads as
/// the same value. Two percent signs are one. A question mark after the shape says that the first of `operands`, the
/// addresses of their elements, is a mask: one byte for each element, of which those that are zero are skipped.
void print(const char *format, int32_t x, int32_t y, int32_t z, const void *const *operands);

/// Flushes the lines that kernels have printed.
void flushPrinted();

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_HOST_PRINTING_H
