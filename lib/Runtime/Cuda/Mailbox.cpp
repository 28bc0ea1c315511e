#include "tilewright/Runtime/Cuda/Mailbox.h"

#include <algorithm>

namespace tilewright::runtime::cuda {

std::optional<MailboxReport> readMailbox(const volatile uint64_t *words) {
  constexpr int kProgramBits = 48, kSideBits = 32;
  uint64_t first = words[0], sides = words[1];
  int64_t access = static_cast<int64_t>(first >> kProgramBits);
  int64_t program = static_cast<int64_t>(first & ((uint64_t(1) << kProgramBits) - 1));
  // Avoid a division by zero if the mailbox is empty. In a report the sizes are not zero, since the second word is
  // written before the first one.
  int64_t columns = std::max<int64_t>(1, sides & UINT32_MAX), rows = std::max<int64_t>(1, sides >> kSideBits);
  if (access == 0) {
    return std::nullopt;
  }
  return MailboxReport{static_cast<int32_t>(access - 1),
                       {program % columns, program / columns % rows, program / columns / rows}};
}

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
