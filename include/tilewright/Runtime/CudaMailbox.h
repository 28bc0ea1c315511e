// Where a GPU's code with checks leaves word of the first access out of bounds, before it stops the device: memory of
// the host that the device writes, so that it can still be read when the device is lost.
//
//     word 0    bits 0 to 47: the program's number; bits 48 to 63: the access's, from 1; all zero: nothing was found
//     word 1    the grid's first side, and above it the second: bits 0 to 31, 32 to 63

#ifndef TILEWRIGHT_RUNTIME_CUDAMAILBOX_H
#define TILEWRIGHT_RUNTIME_CUDAMAILBOX_H

#include "tilewright/Runtime/CudaPlatform.h"

#include <array>
#include <cstdint>
#include <optional>

namespace tilewright::runtime::cuda {

constexpr size_t kMailboxWords = 2;

struct MailboxReport {
  int32_t access = 0; ///< counted from 0
  std::array<int64_t, 3> program = {};
};

std::optional<MailboxReport> readMailbox(const volatile uint64_t *words);

/// One that a device writes. It stays as long as the process runs.
struct Mailbox {
  const volatile uint64_t *words = nullptr;
  DevicePointer onDevice = 0;

  Status allocate(Device &device);
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDAMAILBOX_H
