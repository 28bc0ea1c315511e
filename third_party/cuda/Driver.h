// The part of the CUDA driver's interface that the runtime uses, declared by hand from its documentation. See
// README.md.

#ifndef TILEWRIGHT_THIRD_PARTY_CUDA_DRIVER_H
#define TILEWRIGHT_THIRD_PARTY_CUDA_DRIVER_H

#include <cstddef>
#include <cstdint>

namespace tilewright::runtime::cuda {

/// CUresult: the codes that Tilewright handles or explains.
enum class Status : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  Deinitialized = 4,
  StubLibrary = 34,
  DeviceUnavailable = 46,
  NoDevice = 100,
  InvalidImage = 200,
  InvalidContext = 201,
  NoBinaryForGpu = 209,
  EccUncorrectable = 214,
  InvalidPtx = 218,
  NvlinkUncorrectable = 220,
  UnsupportedPtxVersion = 222,
  OperatingSystem = 304,
  InvalidHandle = 400,
  NotFound = 500,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchTimeout = 702,
  Assert = 710,
  HardwareStackError = 714,
  IllegalInstruction = 715,
  MisalignedAddress = 716,
  InvalidAddressSpace = 717,
  InvalidPc = 718,
  LaunchFailed = 719,
  CooperativeLaunchTooLarge = 720,
  NotPermitted = 800,
  SystemNotReady = 802,
  SystemDriverMismatch = 803,
  CompatNotSupported = 804,
  StreamCaptureUnsupported = 900,
  StreamCaptureInvalidated = 901,
  StreamCaptureImplicit = 906,
  Unknown = 999
};

/// CUdevice_attribute
enum class DeviceAttribute : int {
  MaxThreadsPerBlock = 1,
  MaxGridX = 5,
  MaxGridY = 6,
  MaxGridZ = 7,
  WarpSize = 10,
  MaxRegistersPerBlock = 12,
  ClockKilohertz = 13,
  Multiprocessors = 16,
  MemoryClockKilohertz = 36,
  MemoryBusBits = 37,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxSharedPerBlockOptIn = 97
};

/// CUfunction_attribute
enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  StaticSharedBytes = 1,
  LocalBytes = 3,
  Registers = 4,
  MaxDynamicSharedBytes = 8
};

/// CUjit_option
enum class JitOption : int { ErrorLog = 5, ErrorLogBytes = 6 };

/// CUpointer_attribute
enum class PointerAttribute : int { DevicePointer = 3, DeviceOrdinal = 9 };

/// CUstreamCaptureMode
enum class CaptureMode : int { Global = 0, ThreadLocal = 1, Relaxed = 2 };

/// CUtensorMapDataType
enum class TensorMapType : int {
  UInt8 = 0,
  UInt16 = 1,
  UInt32 = 2,
  Int32 = 3,
  UInt64 = 4,
  Int64 = 5,
  Float16 = 6,
  Float32 = 7,
  Float64 = 8,
  BFloat16 = 9
};

/// CUtensorMapInterleave
enum class TensorMapInterleave : int { None = 0 };

/// CUtensorMapSwizzle
enum class TensorMapSwizzle : int { None = 0, Bytes32 = 1, Bytes64 = 2, Bytes128 = 3 };

/// CUtensorMapL2promotion
enum class TensorMapL2Promotion : int { None = 0, Bytes64 = 1, Bytes128 = 2, Bytes256 = 3 };

/// CUtensorMapFloatOOBfill
enum class TensorMapFill : int { Zeros = 0, NaN = 1 };

using DeviceHandle = int;
using DevicePointer = uint64_t;
using Context = struct ContextTag *;
using Module = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;

/// CUlaunchAttributeID
enum class LaunchAttributeId : int { Cooperative = 2, ProgrammaticStreamSerialization = 6 };

/// CUlaunchAttribute. The value is a union of 64 bytes; those of the attributes above are flags.
struct LaunchAttribute {
  LaunchAttributeId id;
  char padding[4];
  int value;
  char rest[60];
};

/// CUlaunchConfig
struct LaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ;
  unsigned sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

/// X(member, symbol, parameters) for each function.
#define TILEWRIGHT_CUDA_FUNCTIONS(X)                                                                                   \
  X(init, "cuInit", (unsigned flags))                                                                                  \
  X(driverGetVersion, "cuDriverGetVersion", (int *version))                                                            \
  X(getErrorName, "cuGetErrorName", (Status status, const char **name))                                                \
  X(getErrorString, "cuGetErrorString", (Status status, const char **text))                                            \
  X(deviceGetCount, "cuDeviceGetCount", (int *count))                                                                  \
  X(deviceGet, "cuDeviceGet", (DeviceHandle * device, int ordinal))                                                    \
  X(deviceGetName, "cuDeviceGetName", (char *name, int length, DeviceHandle device))                                   \
  X(deviceGetAttribute, "cuDeviceGetAttribute", (int *value, DeviceAttribute attribute, DeviceHandle device))          \
  X(deviceTotalMem, "cuDeviceTotalMem_v2", (size_t *bytes, DeviceHandle device))                                       \
  X(devicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (Context * context, DeviceHandle device))                      \
  X(ctxGetCurrent, "cuCtxGetCurrent", (Context * context))                                                             \
  X(ctxGetDevice, "cuCtxGetDevice", (DeviceHandle * device))                                                           \
  X(ctxPushCurrent, "cuCtxPushCurrent_v2", (Context context))                                                          \
  X(ctxPopCurrent, "cuCtxPopCurrent_v2", (Context * context))                                                          \
  X(moduleLoadDataEx, "cuModuleLoadDataEx",                                                                            \
    (Module * module, const void *image, unsigned optionCount, JitOption *options, void **values))                     \
  X(moduleUnload, "cuModuleUnload", (Module module))                                                                   \
  X(moduleGetFunction, "cuModuleGetFunction", (Function * function, Module module, const char *name))                  \
  X(funcGetAttribute, "cuFuncGetAttribute", (int *value, FunctionAttribute attribute, Function function))              \
  X(funcSetAttribute, "cuFuncSetAttribute", (Function function, FunctionAttribute attribute, int value))               \
  X(occupancyMaxActiveBlocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                           \
    (int *blocks, Function function, int threads, size_t dynamicSharedBytes))                                          \
  X(launchKernel, "cuLaunchKernel",                                                                                    \
    (Function function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,              \
     unsigned blockZ, unsigned sharedBytes, Stream stream, void **parameters, void **extra))                           \
  X(launchKernelEx, "cuLaunchKernelEx",                                                                                \
    (const LaunchConfig *config, Function function, void **parameters, void **extra))                                  \
  X(memHostAlloc, "cuMemHostAlloc", (void **memory, size_t bytes, unsigned flags))                                     \
  X(memHostGetDevicePointer, "cuMemHostGetDevicePointer_v2", (DevicePointer * pointer, void *memory, unsigned flags))  \
  X(pointerGetAttribute, "cuPointerGetAttribute", (void *value, PointerAttribute attribute, DevicePointer pointer))    \
  X(threadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode", (CaptureMode * mode))

/// The same for functions that older drivers lack; they are null then.
#define TILEWRIGHT_CUDA_NEWER_FUNCTIONS(X)                                                                             \
  X(tensorMapEncodeTiled, "cuTensorMapEncodeTiled",                                                                    \
    (void *map, TensorMapType type, unsigned rank, void *address, const uint64_t *extents, const uint64_t *strides,    \
     const unsigned *box, const unsigned *elementStrides, TensorMapInterleave interleave, TensorMapSwizzle swizzle,    \
     TensorMapL2Promotion promotion, TensorMapFill fill))

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_THIRD_PARTY_CUDA_DRIVER_H
