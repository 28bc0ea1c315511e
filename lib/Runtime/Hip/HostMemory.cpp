// Memory of the host that a HIP device can access: mailboxes (Runtime/Mailbox.h) and printed lines
// (Runtime/PrintBuffer.h).

#include "tilewright/Runtime/Hip/Platform.h"

namespace tilewright::runtime::hip {

bool Device::allocateForHost(size_t bytes, void *&memory, uint64_t &onDevice, KernelProblem &problem) {
  // Coherent, because the host reads it while the kernel that wrote it may still run.
  constexpr unsigned kFlags = kHostPortable | kHostMapped | kHostCoherent;
  const Library &library = platform.library();
  RelaxedCapture relaxed(library);
  DeviceScope scope(*this);
  void *mapped = nullptr;
  Status status = scope.status;
  if (status == Status::Success) {
    status = library.hostMalloc(&memory, bytes, kFlags);
  }
  if (status == Status::Success) {
    status = library.hostGetDevicePointer(&mapped, memory, 0);
  }
  onDevice = reinterpret_cast<uintptr_t>(mapped);
  return status == Status::Success || fail("hipHostMalloc", status, problem);
}

bool Device::allocatePage(MailboxPage &page, KernelProblem &problem) {
  return allocateForHost(MailboxPage::kBytes, page.memory, page.onDevice, problem);
}

bool Device::connectPrints(Module module, KernelProblem &problem) {
  std::lock_guard<std::mutex> lock(printsMutex);
  if (printsOnDevice == 0) {
    void *memory = nullptr;
    if (!allocateForHost(PrintBuffer::kBytes, memory, printsOnDevice, problem)) {
      return false;
    }
    prints.use(memory);
  }
  DevicePointer variable = 0;
  size_t bytes = 0;
  Status status = platform.library().moduleGetGlobal(&variable, &bytes, module, kPrintBufferVariable);
  if (status != Status::Success) {
    return fail("hipModuleGetGlobal", status, problem);
  }
  status = platform.library().memcpyHtoD(variable, &printsOnDevice, sizeof printsOnDevice);
  return status == Status::Success || fail("hipMemcpyHtoD", status, problem);
}

} // namespace tilewright::runtime::hip
