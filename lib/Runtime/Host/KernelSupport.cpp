// Functions that compiled kernels call.

#include "tilewright/Runtime/Host/KernelSupport.h"

#include "tilewright/Runtime/AccessChecks.h"
#include "tilewright/Runtime/Host/HalfConversion.h"
#include "tilewright/Runtime/Host/Printing.h"

#include <chrono>
#include <thread>
#include <utility>

namespace tilewright::runtime {

namespace {

//===----------------------------------------------------------------------===//
// Bounds checks
//===----------------------------------------------------------------------===//

int32_t mayAccess(AccessChecks *checks, int64_t program, int32_t site, const uint64_t *addresses, uint64_t first,
                  const uint8_t *mask, int64_t count) {
  return checks->mayAccess(program, site, addresses, first, mask, count);
}

//===----------------------------------------------------------------------===//
// Assertions
//===----------------------------------------------------------------------===//

thread_local int64_t failedProgram = -1;

void fail(int64_t program) { failedProgram = program; }

//===----------------------------------------------------------------------===//
// 16-bit floats, for processors without instructions for them
//===----------------------------------------------------------------------===//

/// The ABI passes and returns a 16-bit float in element 0 of a vector register.
typedef uint16_t HalfRegister __attribute__((vector_size(16)));

HalfRegister inRegister(uint16_t bits) { return HalfRegister{bits}; }

float extendHalf(HalfRegister half) { return fromHalf(half[0]); }
HalfRegister truncateToHalf(float wide) { return inRegister(toHalf(wide)); }
HalfRegister truncateDoubleToHalf(double wide) { return inRegister(toHalf(wide)); }
HalfRegister truncateToBfloat16(float wide) { return inRegister(toBfloat16(wide)); }
HalfRegister truncateDoubleToBfloat16(double wide) { return inRegister(toBfloat16(wide)); }

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

int64_t readClock() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void letOthersRun() { std::this_thread::yield(); }

} // namespace

int64_t takeFailedProgram() { return std::exchange(failedProgram, -1); }

const SupportFunction supportFunctions[] = {
    {"tilewright_print", reinterpret_cast<void *>(&print)},
    {"tilewright_may_access", reinterpret_cast<void *>(&mayAccess)},
    {"tilewright_fail", reinterpret_cast<void *>(&fail)},
    {"tilewright_clock", reinterpret_cast<void *>(&readClock)},
    {"tilewright_yield", reinterpret_cast<void *>(&letOthersRun)},
    {"__extendhfsf2", reinterpret_cast<void *>(&extendHalf)},
    {"__truncsfhf2", reinterpret_cast<void *>(&truncateToHalf)},
    {"__truncdfhf2", reinterpret_cast<void *>(&truncateDoubleToHalf)},
    {"__truncsfbf2", reinterpret_cast<void *>(&truncateToBfloat16)},
    {"__truncdfbf2", reinterpret_cast<void *>(&truncateDoubleToBfloat16)},
    {nullptr, nullptr},
};

} // namespace tilewright::runtime
