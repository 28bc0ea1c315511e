#include "tilewright/Runtime/Cuda/TensorMaps.h"

namespace tilewright::runtime::cuda {

//===----------------------------------------------------------------------===//
// The driver's encoding
//===----------------------------------------------------------------------===//

/// The driver's type of elements that copies move as they are; only floats are filled with NaN.
static TensorMapType typeOf(DataType type) {
  switch (type) {
  case DataType::FP16:
    return TensorMapType::Float16;
  case DataType::BF16:
    return TensorMapType::BFloat16;
  case DataType::FP32:
    return TensorMapType::Float32;
  case DataType::FP64:
    return TensorMapType::Float64;
  case DataType::I32:
    return TensorMapType::Int32;
  case DataType::I64:
    return TensorMapType::Int64;
  default:
    break;
  }
  switch (bytesOf(type)) {
  case 1:
    return TensorMapType::UInt8;
  case 2:
    return TensorMapType::UInt16;
  case 4:
    return TensorMapType::UInt32;
  default:
    return TensorMapType::UInt64;
  }
}

static TensorMapSwizzle swizzleOf(BoxSwizzle swizzle) {
  switch (swizzle) {
  case BoxSwizzle::None:
    return TensorMapSwizzle::None;
  case BoxSwizzle::Bytes32:
    return TensorMapSwizzle::Bytes32;
  case BoxSwizzle::Bytes64:
    return TensorMapSwizzle::Bytes64;
  case BoxSwizzle::Bytes128:
    return TensorMapSwizzle::Bytes128;
  }
  return TensorMapSwizzle::None;
}

std::string TensorMapEncoder::encodeByDriver(const TensorMap &map, EncodedTensorMap &encoded) const {
  const Driver &driver = device.platform.driver();
  if (!driver.tensorMapEncodeTiled) {
    return device.label() + ": the driver, that of CUDA " + versionText(device.platform.driverVersion()) +
           ", has no cuTensorMapEncodeTiled; that of CUDA 12.0 is the first that has it";
  }
  ContextScope scope(device);
  if (scope.status != Status::Success) {
    return device.explain("cuDevicePrimaryCtxRetain", scope.status);
  }
  const unsigned elementStrides[TensorMap::kMaxRank] = {1, 1, 1, 1, 1};
  // The driver takes no stride of the innermost dimension. What a copy misses in the L2 cache is fetched by lines of
  // 128 bytes: boxes are read as a whole.
  Status status = driver.tensorMapEncodeTiled(
      encoded.bytes.data(), typeOf(map.type), map.rank, reinterpret_cast<void *>(map.address), map.extents.data(),
      map.strides.data() + 1, map.box.data(), elementStrides, TensorMapInterleave::None, swizzleOf(map.swizzle),
      TensorMapL2Promotion::Bytes128, map.fill == BoxFill::NaN ? TensorMapFill::NaN : TensorMapFill::Zeros);
  return status == Status::Success
             ? ""
             : device.explain("cuTensorMapEncodeTiled", status) + "; the tensor map is " + describe(map);
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

namespace {
struct Entry {
  TensorMap map; // of rank 0 while unused
  EncodedTensorMap encoded;
};
} // namespace

/// The maps with one remainder of their hashes. The oldest one is replaced.
struct TensorMapEncoder::Set {
  Entry entries[kWays];
  size_t oldest = 0;
};

TensorMapEncoder::TensorMapEncoder(Device &device) : device(device) {}
TensorMapEncoder::~TensorMapEncoder() = default;

/// Of what launches of a kernel vary.
static uint64_t hashOf(const TensorMap &map) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15; // 2^64 divided by the golden ratio
  uint64_t hash = map.address;
  for (unsigned i = 0; i < map.rank; ++i) {
    hash = (hash ^ map.extents[i]) * kFactor;
    hash = (hash ^ map.strides[i] ^ hash >> 32) * kFactor;
  }
  return hash >> 32;
}

std::string TensorMapEncoder::encode(const TensorMap &map, EncodedTensorMap &encoded) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!sets) {
    sets = std::make_unique<Set[]>(kSets);
  }
  Set &set = sets[hashOf(map) % kSets];
  for (const Entry &entry : set.entries) {
    if (entry.map == map) {
      encoded = entry.encoded;
      return "";
    }
  }
  std::string problem = encodeByDriver(map, encoded);
  if (problem.empty()) {
    set.entries[set.oldest] = {map, encoded};
    set.oldest = (set.oldest + 1) % kWays;
  }
  return problem;
}

} // namespace tilewright::runtime::cuda
