// The part of DLPack's stable interface (version 1) that launches use, declared by hand from the specification. See
// README.md.

#ifndef TILEWRIGHT_THIRD_PARTY_DLPACK_DLPACK_H
#define TILEWRIGHT_THIRD_PARTY_DLPACK_DLPACK_H

#include <cstdint>

namespace tilewright::dlpack {

enum DeviceType : int32_t {
  CPU = 1,
  CUDA = 2,
  CUDAHost = 3,
  OpenCL = 4,
  Vulkan = 7,
  Metal = 8,
  ROCm = 10,
  ROCmHost = 11,
  CUDAManaged = 13,
  OneAPI = 14
};

struct Device {
  int32_t type;
  int32_t id;
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Tensor {
  void *data;
  Device device;
  int32_t rank;
  DataType type;
  int64_t *shape;
  int64_t *strides; // in elements; null for a contiguous array
  uint64_t byteOffset;
};

/// In a capsule named "dltensor".
struct ManagedTensor {
  Tensor tensor;
  void *context;
  void (*deleter)(ManagedTensor *);
};

struct Version {
  uint32_t major;
  uint32_t minor;
};

/// A flag of a VersionedTensor.
constexpr uint64_t kReadOnly = 1;

/// In a capsule named "dltensor_versioned".
struct VersionedTensor {
  Version version;
  void *context;
  void (*deleter)(VersionedTensor *);
  uint64_t flags;
  Tensor tensor;
};

/// The C functions of a framework, in a capsule named "dlpack_exchange_api" on its tensor's type.
struct ExchangeTable {
  Version version;
  ExchangeTable *previous;
  void *allocate;
  void *managedFromObject;
  void *managedToObject;
  /// Describes an object's memory without owning it; may be null.
  int (*tensorFromObject)(void *object, Tensor *out);
  /// Returns the framework's current stream; may be null.
  int (*currentStream)(int32_t deviceType, int32_t device, void **stream);
};

} // namespace tilewright::dlpack

#endif // TILEWRIGHT_THIRD_PARTY_DLPACK_DLPACK_H
