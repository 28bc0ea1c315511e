#include "tilewright/Runtime/Cuda/Status.h"

#include "tilewright/Runtime/StatusAdvice.h"

namespace tilewright::runtime::cuda {

constexpr bool kDeadly = true, kHarmless = false;

constexpr StatusAdvice<Status> kRows[] = {
    {Status::OutOfMemory, kHarmless,
     "the device's memory is full; torch.cuda.empty_cache() frees the memory that PyTorch caches"},
    {Status::Deinitialized, kHarmless, "the process is ending"},
    {Status::StubLibrary, kHarmless,
     "the library found is the CUDA toolkit's stub, which is only for linking; the driver's library must come before "
     "it "
     "in LD_LIBRARY_PATH"},
    {Status::DeviceUnavailable, kHarmless, "another process has exclusive access to the device"},
    {Status::NoDevice, kHarmless, "CUDA_VISIBLE_DEVICES may hide it"},
    {Status::InvalidImage, kHarmless,
     "the driver cannot load this code; it may be older than the assembler that produced the code"},
    {Status::NoBinaryForGpu, kHarmless, "the code was compiled for another architecture"},
    {Status::EccUncorrectable, kDeadly, "the device's memory has an uncorrectable error"},
    {Status::NvlinkUncorrectable, kDeadly, "an NVLink connection has an uncorrectable error"},
    {Status::UnsupportedPtxVersion, kHarmless,
     "the driver is too old for this version of PTX; a newer driver supports it"},
    {Status::IllegalAddress, kDeadly, "a kernel accessed memory that is not allocated"},
    {Status::LaunchOutOfResources, kHarmless, "a program needs more registers or stack than the device has left"},
    {Status::LaunchTimeout, kDeadly, "a kernel ran longer than is allowed on a device that also drives a display"},
    {Status::Assert, kDeadly, "an assertion failed in a kernel; its message is in the standard error stream"},
    {Status::HardwareStackError, kDeadly, "a kernel's call stack was corrupted or overflowed"},
    {Status::IllegalInstruction, kDeadly, "a kernel executed an illegal instruction"},
    {Status::MisalignedAddress, kDeadly, "a kernel used an address that is not a multiple of the access's size"},
    {Status::InvalidAddressSpace, kDeadly, "a kernel used an address of the wrong memory space"},
    {Status::InvalidPc, kDeadly, "a kernel jumped to an invalid address"},
    {Status::LaunchFailed, kDeadly, "a kernel failed on the device"},
    {Status::CooperativeLaunchTooLarge, kHarmless,
     "with launch_cooperative_grid=True all programs run at the same time, and these do not fit on the device; launch "
     "fewer, or programs with fewer warps, registers or bytes of shared memory"},
    {Status::SystemNotReady, kHarmless, "the system service for the devices (nvidia-fabricmanager) is not running"},
    {Status::SystemDriverMismatch, kHarmless,
     "the driver's library and its kernel module are of two versions; restarting the machine often helps"},
    {Status::CompatNotSupported, kHarmless, "the libraries of CUDA's forward compatibility do not support this device"},
    {Status::StreamCaptureUnsupported, kHarmless, "the stream is being captured"},
    {Status::StreamCaptureInvalidated, kHarmless, "an earlier error ended the capture of the stream"},
    {Status::StreamCaptureImplicit, kHarmless,
     "a stream that is being captured would depend on the default stream; launch within torch.cuda.stream(...)"},
};
bool isFatal(Status status) {
  const auto *row = findAdvice(kRows, status);
  return row && row->isFatal;
}

const char *adviceOn(Status status) {
  const auto *row = findAdvice(kRows, status);
  return row ? row->advice : nullptr;
}

} // namespace tilewright::runtime::cuda
