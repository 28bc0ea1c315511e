// The mailboxes of a HIP device; see Runtime/Mailbox.h.

#include "tilewright/Runtime/Hip/Platform.h"

namespace tilewright::runtime::hip {

static Status replacePage(const Library &library, MailboxMemory &memory) {
  void *page = nullptr, *onDevice = nullptr;
  // Coherent, because the host reads it while the kernel that wrote it may still run.
  Status status = library.hostMalloc(&page, MailboxMemory::kPageBytes, kHostPortable | kHostMapped | kHostCoherent);
  if (status == Status::Success) {
    status = library.hostGetDevicePointer(&onDevice, page, 0);
  }
  if (status == Status::Success) {
    memory.replacePage(page, reinterpret_cast<uintptr_t>(onDevice));
  }
  return status;
}

bool Device::allocateMailbox(Mailbox &mailbox, KernelProblem &problem) {
  RelaxedCapture relaxed(platform.library());
  DeviceScope scope(*this);
  Status status = scope.status;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (status == Status::Success && mailboxes.isFull()) {
      status = replacePage(platform.library(), mailboxes);
    }
    if (status == Status::Success) {
      mailbox = mailboxes.take();
      return true;
    }
  }
  return fail("hipHostMalloc", status, problem);
}

} // namespace tilewright::runtime::hip
