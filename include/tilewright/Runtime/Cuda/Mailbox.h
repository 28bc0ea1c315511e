// The mailbox of a CUDA device; see Runtime/Mailbox.h.

#ifndef TILEWRIGHT_RUNTIME_CUDA_MAILBOX_H
#define TILEWRIGHT_RUNTIME_CUDA_MAILBOX_H

#include "tilewright/Runtime/Cuda/Platform.h"
#include "tilewright/Runtime/Mailbox.h"

namespace tilewright::runtime::cuda {

/// Its memory is never freed.
struct Mailbox {
  const volatile uint64_t *words = nullptr;
  DevicePointer onDevice = 0;

  Status allocate(Device &device);
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_MAILBOX_H
