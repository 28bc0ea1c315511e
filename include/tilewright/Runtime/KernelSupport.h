// Functions that compiled kernels call. They are found by name when a kernel is
// loaded and are not symbols of the process.

#ifndef TILEWRIGHT_RUNTIME_KERNELSUPPORT_H
#define TILEWRIGHT_RUNTIME_KERNELSUPPORT_H

#include <cstdint>

namespace tilewright::runtime {

struct SupportFunction {
  const char *name;
  void *address;
};

/// A null-terminated table of all of them.
///
///   void tilewright_print(const char *format, int32_t x, int32_t y, int32_t z, const void *elements)
///     Prints one line for each element of a tile, in row-major order, for the program (x, y, z).
///     `format` is the elements' type and shape, and the text before each value: "f32[2,16] sum: ".
///     Types are f32, f64, integers i8 to i64 (signed), u8 to u64 and x8 to x64 (hexadecimal);
///     "-" stands for no elements, only the text.
///   int32_t tilewright_may_access(void *checks, int64_t program, int32_t site, const uint64_t *addresses,
///                                 uint64_t first, const uint8_t *mask, int64_t count)
///     Whether the elements of an access are in bounds (AccessChecks.h): those at `addresses`, or, where that
///     is null, `count` consecutive ones from `first`; those whose byte of `mask` is not 0, or all where it is null.
///   __extendhfsf2, __truncsfhf2, __truncdfhf2, __truncsfbf2, __truncdfbf2
///     Conversions of 16-bit floats that the code generator calls by these names on processors without them;
///     the process has others under these names, or none.
extern const SupportFunction supportFunctions[];

/// Hands the lines printed so far to the system.
void flushPrinted();

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_KERNELSUPPORT_H
