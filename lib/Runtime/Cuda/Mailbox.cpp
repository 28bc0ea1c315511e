#include "tilewright/Runtime/Cuda/Mailbox.h"

#include <algorithm>

namespace tilewright::runtime::cuda {

Status Mailbox::allocate(Device &device) {
  constexpr unsigned kPortable = 1, kDeviceMap = 2;
  const Driver &driver = device.platform.driver();
  ContextScope scope(device);
  void *memory = nullptr;
  Status status = scope.status;
  if (status == Status::Success) {
    status = driver.memHostAlloc(&memory, kMailboxWords * sizeof(uint64_t), kPortable | kDeviceMap);
  }
  if (status == Status::Success) {
    std::fill_n(static_cast<uint64_t *>(memory), kMailboxWords, 0);
    words = static_cast<uint64_t *>(memory);
    status = driver.memHostGetDevicePointer(&onDevice, memory, 0);
  }
  return status;
}

} // namespace tilewright::runtime::cuda
