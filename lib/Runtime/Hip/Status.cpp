#include "tilewright/Runtime/Hip/Status.h"

#include "tilewright/Runtime/StatusAdvice.h"

namespace tilewright::runtime::hip {

constexpr bool kFatal = true, kHarmless = false;

constexpr StatusAdvice<Status> kRows[] = {
    {Status::OutOfMemory, kHarmless,
     "the device's memory is full; torch.cuda.empty_cache() frees the memory that PyTorch caches, on ROCm too"},
    {Status::Deinitialized, kHarmless, "the process is ending"},
    {Status::InvalidConfiguration, kHarmless, "the grid or the number of threads is beyond what the runtime takes"},
    {Status::InsufficientDriver, kHarmless, "the kernel driver (amdgpu) is older than this version of ROCm needs"},
    {Status::NoDevice, kHarmless,
     "HIP_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES may hide it, and /dev/kfd must be accessible: its user is in the "
     "groups render and video"},
    {Status::InvalidImage, kHarmless, "the runtime cannot load this code; it may be older than the code object format"},
    {Status::NoBinaryForGpu, kHarmless, "the code was compiled for another architecture"},
    {Status::EccNotCorrectable, kFatal, "the device's memory has an uncorrectable error"},
    {Status::IllegalAddress, kFatal, "a kernel accessed memory that is not allocated"},
    {Status::LaunchOutOfResources, kHarmless, "a program needs more registers, LDS or scratch than the device has"},
    {Status::LaunchTimeout, kFatal, "a kernel ran longer than is allowed"},
    {Status::Assert, kFatal, "an assertion failed in a kernel; its message is in the standard error stream"},
    {Status::LaunchFailure, kFatal, "a kernel failed on the device"},
    {Status::CooperativeLaunchTooLarge, kHarmless,
     "with launch_cooperative_grid=True all programs run at the same time, and these do not fit on the device; launch "
     "fewer, or programs with fewer warps, registers or bytes of shared memory"},
    {Status::StreamCaptureUnsupported, kHarmless, "the stream is being captured"},
    {Status::StreamCaptureInvalidated, kHarmless, "an earlier error ended the capture of the stream"},
    {Status::StreamCaptureImplicit, kHarmless,
     "a stream that is being captured would depend on the default stream; launch within torch.cuda.stream(...), which "
     "is the name on ROCm too"},
    {Status::RuntimeMemory, kHarmless, "the ROCm runtime could not allocate memory"},
    {Status::RuntimeOther, kHarmless, "the ROCm runtime failed; AMD_LOG_LEVEL=3 makes it report why"},
};

bool isFatal(Status status) {
  const auto *row = findAdvice(kRows, status);
  return row && row->isFatal;
}

const char *adviceOn(Status status) {
  const auto *row = findAdvice(kRows, status);
  return row ? row->advice : nullptr;
}

} // namespace tilewright::runtime::hip
