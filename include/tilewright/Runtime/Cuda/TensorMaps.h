// Encodes tensor maps for the hardware by the driver. A kernel is usually launched with few different maps, so each
// kernel on a device keeps the ones that it was launched with last.

#ifndef TILEWRIGHT_RUNTIME_CUDA_TENSORMAPS_H
#define TILEWRIGHT_RUNTIME_CUDA_TENSORMAPS_H

#include "tilewright/Runtime/Cuda/Platform.h"
#include "tilewright/Runtime/TensorMap.h"

#include <memory>
#include <mutex>
#include <string>

namespace tilewright::runtime::cuda {

/// Several threads may use it at the same time.
class TensorMapEncoder {
public:
  /// The most maps that are kept.
  static constexpr size_t kSets = 16, kWays = 4;

  explicit TensorMapEncoder(Device &device);
  ~TensorMapEncoder();

  /// Encodes a map that is not `invalid`. This also works while a stream is being captured. Returns an empty string, or
  /// the reason of the failure, with the values of the map.
  std::string encode(const TensorMap &map, EncodedTensorMap &encoded);

private:
  struct Set;
  std::string encodeByDriver(const TensorMap &map, EncodedTensorMap &encoded) const;

  Device &device;
  std::mutex mutex;
  std::unique_ptr<Set[]> sets; // allocated by the first call, guarded by the mutex
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_TENSORMAPS_H
