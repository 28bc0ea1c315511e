// The mailboxes of a CUDA device; see Runtime/Mailbox.h.

#include "tilewright/Runtime/Cuda/Platform.h"

namespace tilewright::runtime::cuda {

static Status replacePage(const Driver &driver, MailboxMemory &memory) {
  constexpr unsigned kPortable = 1, kDeviceMap = 2;
  void *page = nullptr;
  DevicePointer onDevice = 0;
  Status status = driver.memHostAlloc(&page, MailboxMemory::kPageBytes, kPortable | kDeviceMap);
  if (status == Status::Success) {
    status = driver.memHostGetDevicePointer(&onDevice, page, 0);
  }
  if (status == Status::Success) {
    memory.replacePage(page, onDevice);
  }
  return status;
}

bool Device::allocateMailbox(Mailbox &mailbox, KernelProblem &problem) {
  RelaxedCapture relaxed(platform.driver());
  ContextScope scope(*this);
  Status status = scope.status;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (status == Status::Success && mailboxes.isFull()) {
      status = replacePage(platform.driver(), mailboxes);
    }
    if (status == Status::Success) {
      mailbox = mailboxes.take();
      return true;
    }
  }
  problem.message = explain("cuMemHostAlloc", status);
  problem.isAssertion = status == Status::Assert;
  return false;
}

} // namespace tilewright::runtime::cuda
