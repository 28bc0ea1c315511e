#include "tilewright/Runtime/CudaStatus.h"

#include <algorithm>
#include <iterator>

namespace tilewright::runtime::cuda {

namespace {
struct Row {
  Status status;
  bool deadly;
  const char *advice;
};

constexpr bool kDeadly = true, kHarmless = false;

constexpr Row kRows[] = {
    {Status::OutOfMemory, kHarmless,
     "the device's memory is full; torch.cuda.empty_cache() gives back what PyTorch keeps"},
    {Status::Deinitialized, kHarmless, "the process is ending"},
    {Status::StubLibrary, kHarmless,
     "the library found is the toolkit's stub, which is only there to link with; the driver's own must come before it "
     "in LD_LIBRARY_PATH"},
    {Status::DeviceUnavailable, kHarmless, "another process has the device for itself"},
    {Status::NoDevice, kHarmless, "CUDA_VISIBLE_DEVICES may hide it"},
    {Status::InvalidImage, kHarmless,
     "the driver does not know this code; it may be older than the assembler that made it"},
    {Status::NoBinaryForGpu, kHarmless, "the code was compiled for another architecture"},
    {Status::EccUncorrectable, kDeadly, "the device's memory failed"},
    {Status::NvlinkUncorrectable, kDeadly, "the link between devices failed"},
    {Status::UnsupportedPtxVersion, kHarmless, "the driver is older than the PTX; a newer driver takes it"},
    {Status::IllegalAddress, kDeadly, "a kernel read or wrote memory that is not there"},
    {Status::LaunchOutOfResources, kHarmless, "a program needs more registers or stack than the device has left"},
    {Status::LaunchTimeout, kDeadly, "a kernel ran longer than a device that also drives a display allows"},
    {Status::Assert, kDeadly, "an assertion failed in a kernel; the standard error stream says which"},
    {Status::HardwareStackError, kDeadly, "a kernel's call stack broke"},
    {Status::IllegalInstruction, kDeadly, "a kernel came to an instruction that does not exist"},
    {Status::MisalignedAddress, kDeadly, "a kernel used an address that is not a multiple of the access's size"},
    {Status::InvalidAddressSpace, kDeadly, "a kernel used an address of the wrong kind of memory"},
    {Status::InvalidPc, kDeadly, "a kernel jumped to where there is no code"},
    {Status::LaunchFailed, kDeadly, "a kernel failed on the device"},
    {Status::SystemNotReady, kHarmless, "the system's services for the devices (nvidia-fabricmanager) do not run"},
    {Status::SystemDriverMismatch, kHarmless,
     "the driver's library and its part in the operating system are of two versions; restarting the machine often "
     "mends it"},
    {Status::CompatNotSupported, kHarmless, "the libraries of CUDA's forward compatibility do not support this device"},
    {Status::StreamCaptureUnsupported, kHarmless, "the stream is being captured"},
    {Status::StreamCaptureInvalidated, kHarmless, "an earlier error ended the capture of the stream"},
    {Status::StreamCaptureImplicit, kHarmless,
     "a stream that is being captured would depend on the default stream; launch within torch.cuda.stream(...)"},
};
} // namespace

static const Row *find(Status status) {
  const Row *row =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row &row) { return row.status == status; });
  return row == std::end(kRows) ? nullptr : row;
}

bool isFatal(Status status) {
  const Row *row = find(status);
  return row && row->deadly;
}

const char *adviceOn(Status status) {
  const Row *row = find(status);
  return row ? row->advice : nullptr;
}

} // namespace tilewright::runtime::cuda
