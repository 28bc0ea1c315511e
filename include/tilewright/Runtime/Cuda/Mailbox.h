// GPU code with bounds checks reports the first access out of bounds in a mailbox before it stops the device. The
// mailbox is host memory that is mapped into the device, so that the host can read it after the device is lost.
//
//     word 0    bits 0 to 47: the program's number; bits 48 to 63: the access's number, from 1; zero: no report
//     word 1    bits 0 to 31: the grid's size along axis 0; bits 32 to 63: along axis 1

#ifndef TILEWRIGHT_RUNTIME_CUDA_MAILBOX_H
#define TILEWRIGHT_RUNTIME_CUDA_MAILBOX_H

#include "tilewright/Runtime/Cuda/Platform.h"

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

/// A mailbox of a device. Its memory is never freed.
struct Mailbox {
  const volatile uint64_t *words = nullptr;
  DevicePointer onDevice = 0;

  Status allocate(Device &device);
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_MAILBOX_H
