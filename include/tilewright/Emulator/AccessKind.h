// The kinds of memory accesses, and the memory spaces they go to.

#ifndef TILEWRIGHT_EMULATOR_ACCESSKIND_H
#define TILEWRIGHT_EMULATOR_ACCESSKIND_H

#include <cstdint>

namespace tilewright::emulator {

/// Copy is the write to shared memory by an asynchronous copy that has not completed.
enum class AccessKind : uint8_t { Read, Write, Atomic, Copy };
enum class MemorySpace : uint8_t { Global, Shared };
inline constexpr MemorySpace kMemorySpaces[] = {MemorySpace::Global, MemorySpace::Shared};

/// Sets of memory spaces have a bit for each.
constexpr uint8_t bitOf(MemorySpace space) { return static_cast<uint8_t>(1 << static_cast<int>(space)); }
inline constexpr uint8_t kAllSpaces = bitOf(MemorySpace::Global) | bitOf(MemorySpace::Shared);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_ACCESSKIND_H
