// The part of the HIP runtime's interface that Tilewright uses, declared by hand from its documentation. See README.md.

#ifndef TILEWRIGHT_THIRD_PARTY_HIP_RUNTIME_H
#define TILEWRIGHT_THIRD_PARTY_HIP_RUNTIME_H

#include <cstddef>
#include <cstdint>

namespace tilewright::runtime::hip {

/// hipError_t: the codes that Tilewright handles or explains.
enum class Status : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  Deinitialized = 4,
  InvalidConfiguration = 9,
  InsufficientDriver = 35,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  NoBinaryForGpu = 209,
  EccNotCorrectable = 214,
  NotFound = 500,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchTimeout = 702,
  Assert = 710,
  LaunchFailure = 719,
  CooperativeLaunchTooLarge = 720,
  StreamCaptureUnsupported = 900,
  StreamCaptureInvalidated = 901,
  StreamCaptureImplicit = 906,
  Unknown = 999,
  RuntimeMemory = 1052,
  RuntimeOther = 1053
};

/// hipDeviceAttribute_t
enum class DeviceAttribute : int {
  ClockKilohertz = 5,
  MaxGridX = 29,
  MaxGridY = 30,
  MaxGridZ = 31,
  MaxThreadsPerBlock = 56,
  MemoryBusBits = 59,
  MemoryClockKilohertz = 60,
  Multiprocessors = 63,
  MaxRegistersPerBlock = 71,
  MaxSharedPerBlock = 74,
  WarpSize = 87
};

/// hipFunction_attribute
enum class FunctionAttribute : int { MaxThreadsPerBlock = 0, StaticSharedBytes = 1, LocalBytes = 3, Registers = 4 };

/// hipPointer_attribute
enum class PointerAttribute : int { DevicePointer = 3, DeviceOrdinal = 9 };

/// hipStreamCaptureMode
enum class CaptureMode : int { Global = 0, ThreadLocal = 1, Relaxed = 2 };

using DevicePointer = uint64_t;
using Module = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;

/// hipDeviceProp_t of HIP 6, of which only the name of the architecture is used: "gfx942:sramecc+:xnack-". No attribute
/// reports it.
struct DeviceProp {
  char before[1160];
  char architecture[256];
  char after[56];
};
static_assert(sizeof(DeviceProp) == 1472, "the runtime writes this many bytes");

/// The flags of hipHostMalloc: all devices may access the memory, and see the host's writes while they run.
constexpr unsigned kHostPortable = 0x1, kHostMapped = 0x2, kHostCoherent = 0x40000000;

/// What precedes a value in the array `extra` of a launch, whose arguments are one buffer:
/// kLaunchBuffer, buffer, kLaunchBufferBytes, &bytes, kLaunchEnd.
constexpr uintptr_t kLaunchBuffer = 1, kLaunchBufferBytes = 2, kLaunchEnd = 3;

/// X(result, member, symbol, parameters) for each function.
#define TILEWRIGHT_HIP_FUNCTIONS(X)                                                                                    \
  X(Status, init, "hipInit", (unsigned flags))                                                                         \
  X(Status, runtimeGetVersion, "hipRuntimeGetVersion", (int *version))                                                 \
  X(const char *, getErrorName, "hipGetErrorName", (Status status))                                                    \
  X(const char *, getErrorString, "hipGetErrorString", (Status status))                                                \
  X(Status, getLastError, "hipGetLastError", ())                                                                       \
  X(Status, getDeviceCount, "hipGetDeviceCount", (int *count))                                                         \
  X(Status, deviceGetName, "hipDeviceGetName", (char *name, int length, int device))                                   \
  X(Status, deviceGetAttribute, "hipDeviceGetAttribute", (int *value, DeviceAttribute attribute, int device))          \
  X(Status, deviceTotalMem, "hipDeviceTotalMem", (size_t *bytes, int device))                                          \
  X(Status, getDeviceProperties, "hipGetDevicePropertiesR0600", (DeviceProp * properties, int device))                 \
  X(Status, getDevice, "hipGetDevice", (int *device))                                                                  \
  X(Status, setDevice, "hipSetDevice", (int device))                                                                   \
  X(Status, moduleLoadData, "hipModuleLoadData", (Module * module, const void *image))                                 \
  X(Status, moduleUnload, "hipModuleUnload", (Module module))                                                          \
  X(Status, moduleGetFunction, "hipModuleGetFunction", (Function * function, Module module, const char *name))         \
  X(Status, moduleGetGlobal, "hipModuleGetGlobal",                                                                     \
    (DevicePointer * variable, size_t *bytes, Module module, const char *name))                                        \
  X(Status, memcpyHtoD, "hipMemcpyHtoD", (DevicePointer to, const void *from, size_t bytes))                           \
  X(Status, funcGetAttribute, "hipFuncGetAttribute", (int *value, FunctionAttribute attribute, Function function))     \
  X(Status, occupancyMaxActiveBlocks, "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor",                            \
    (int *blocks, Function function, int threads, size_t dynamicSharedBytes))                                          \
  X(Status, moduleLaunchKernel, "hipModuleLaunchKernel",                                                               \
    (Function function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,              \
     unsigned blockZ, unsigned sharedBytes, Stream stream, void **parameters, void **extra))                           \
  X(Status, moduleLaunchCooperativeKernel, "hipModuleLaunchCooperativeKernel",                                         \
    (Function function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,              \
     unsigned blockZ, unsigned sharedBytes, Stream stream, void **parameters))                                         \
  X(Status, hostMalloc, "hipHostMalloc", (void **memory, size_t bytes, unsigned flags))                                \
  X(Status, hostGetDevicePointer, "hipHostGetDevicePointer", (void **pointer, void *memory, unsigned flags))           \
  X(Status, pointerGetAttribute, "hipPointerGetAttribute",                                                             \
    (void *value, PointerAttribute attribute, DevicePointer pointer))                                                  \
  X(Status, threadExchangeStreamCaptureMode, "hipThreadExchangeStreamCaptureMode", (CaptureMode * mode))

} // namespace tilewright::runtime::hip

#endif // TILEWRIGHT_THIRD_PARTY_HIP_RUNTIME_H
