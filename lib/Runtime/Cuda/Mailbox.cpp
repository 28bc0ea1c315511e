// The memory of a CUDA device's mailboxes; see Runtime/Mailbox.h.

#include "tilewright/Runtime/Cuda/Platform.h"

namespace tilewright::runtime::cuda {

bool Device::allocatePage(MailboxPage &page, KernelProblem &problem) {
  constexpr unsigned kPortable = 1, kDeviceMap = 2;
  const Driver &driver = platform.driver();
  RelaxedCapture relaxed(driver);
  ContextScope scope(*this);
  Status status = scope.status;
  if (status == Status::Success) {
    status = driver.memHostAlloc(&page.memory, MailboxPage::kBytes, kPortable | kDeviceMap);
  }
  if (status == Status::Success) {
    status = driver.memHostGetDevicePointer(&page.onDevice, page.memory, 0);
  }
  if (status != Status::Success) {
    problem.message = explain("cuMemHostAlloc", status);
    problem.isAssertion = status == Status::Assert;
  }
  return status == Status::Success;
}

} // namespace tilewright::runtime::cuda
