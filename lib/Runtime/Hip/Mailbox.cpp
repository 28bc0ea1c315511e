// The memory of a HIP device's mailboxes; see Runtime/Mailbox.h.

#include "tilewright/Runtime/Hip/Platform.h"

namespace tilewright::runtime::hip {

bool Device::allocatePage(MailboxPage &page, KernelProblem &problem) {
  // Coherent, because the host reads it while the kernel that wrote it may still run.
  constexpr unsigned kFlags = kHostPortable | kHostMapped | kHostCoherent;
  const Library &library = platform.library();
  RelaxedCapture relaxed(library);
  DeviceScope scope(*this);
  void *onDevice = nullptr;
  Status status = scope.status;
  if (status == Status::Success) {
    status = library.hostMalloc(&page.memory, MailboxPage::kBytes, kFlags);
  }
  if (status == Status::Success) {
    status = library.hostGetDevicePointer(&onDevice, page.memory, 0);
  }
  page.onDevice = reinterpret_cast<uintptr_t>(onDevice);
  return status == Status::Success || fail("hipHostMalloc", status, problem);
}

} // namespace tilewright::runtime::hip
