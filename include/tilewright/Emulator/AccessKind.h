// What a thread does to memory, and to which.

#ifndef TILEWRIGHT_EMULATOR_ACCESSKIND_H
#define TILEWRIGHT_EMULATOR_ACCESSKIND_H

#include <cstdint>

namespace tilewright::emulator {

/// A copy is the write of an asynchronous copy that has not completed.
enum class AccessKind : uint8_t { Read, Write, Atomic, Copy };
enum class MemorySpace : uint8_t { Global, Shared };

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_ACCESSKIND_H
