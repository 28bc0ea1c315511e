// Functions that compiled kernels call. They are resolved by name when a kernel is loaded, and are not exported symbols
// of the process.

#ifndef TILEWRIGHT_RUNTIME_HOST_KERNELSUPPORT_H
#define TILEWRIGHT_RUNTIME_HOST_KERNELSUPPORT_H

#include <cstdint>

namespace tilewright::runtime {

struct SupportFunction {
  const char *name;
  void *address;
};

/// A null-terminated table of all of them.
///
///   void tilewright_print(const char *format, int32_t x, int32_t y, int32_t z, const void *const *operands)
///     Prints the lines of tl.device_print; see Printing.h.
///   int32_t tilewright_may_access(void *checks, int64_t program, int32_t site, const uint64_t *addresses,
///                                 uint64_t first, const uint8_t *mask, int64_t count)
///     Whether the elements of an access are in bounds (AccessChecks.h). The elements are those at `addresses`, or, if
///     it is null, `count` consecutive ones from `first`. Elements whose byte of `mask` is 0 are skipped, if it is not
///     null.
///   void tilewright_fail(int64_t program)
///     Names the program whose assertion failed, before it returns; see takeFailedProgram.
///   int64_t tilewright_clock()
///     A clock in nanoseconds, which all programs share.
///   void tilewright_yield()
///     Lets other threads run on this processor, while a program waits for one of them.
///   __extendhfsf2, __truncsfhf2, __truncdfhf2, __truncsfbf2, __truncdfbf2
///     Conversions of 16-bit floats, which the code generator calls on processors without instructions for them.
///     The process may have no functions of these names, or others with another calling convention.
extern const SupportFunction supportFunctions[];

/// The linear number of the program that last called tilewright_fail on this thread, or -1 if none has since the last
/// call.
int64_t takeFailedProgram();

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_HOST_KERNELSUPPORT_H
