#include "tilewright/Runtime/Cuda/Mailbox.h"

#include <algorithm>

namespace tilewright::runtime::cuda {

/// Many mailboxes share an allocation, which locks a page in memory and may wait for the device.
static Status reserve(const Driver &driver, MailboxMemory &memory) {
  constexpr unsigned kPortable = 1, kDeviceMap = 2;
  constexpr size_t kWords = 4096 / sizeof(uint64_t);
  void *page = nullptr;
  Status status = driver.memHostAlloc(&page, kWords * sizeof(uint64_t), kPortable | kDeviceMap);
  if (status == Status::Success) {
    status = driver.memHostGetDevicePointer(&memory.onDevice, page, 0);
  }
  if (status == Status::Success) {
    memory.words = static_cast<uint64_t *>(page);
    memory.count = kWords;
    std::fill_n(memory.words, kWords, 0);
  }
  return status;
}

Status Mailbox::allocate(Device &device) {
  const Driver &driver = device.platform.driver();
  RelaxedCapture relaxed(driver);
  ContextScope scope(device);
  Status status = scope.status;
  std::lock_guard<std::mutex> lock(device.mutex);
  MailboxMemory &memory = device.mailboxes;
  if (status == Status::Success && memory.count < kMailboxWords) {
    status = reserve(driver, memory);
  }
  if (status == Status::Success) {
    words = memory.words;
    onDevice = memory.onDevice;
    memory.words += kMailboxWords;
    memory.onDevice += kMailboxWords * sizeof(uint64_t);
    memory.count -= kMailboxWords;
  }
  return status;
}

} // namespace tilewright::runtime::cuda
