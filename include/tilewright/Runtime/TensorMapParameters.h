// The parameters of a kernel that are tensor maps (TensorMap.h), which the launcher makes from the launch's arguments:
//
//     kernel(x, rows, columns)            steps   0  Argument 2               columns
//     map of x, in boxes of 64 x 128              1  Argument 1               rows
//       type fp16, slot 0                         2  Constant 2
//       extents = steps 0, 1                      3  Multiply 0 2             bytes from row to row
//       strides = step 3
//
// The steps are those of LaunchConditions.h. Each has a range in a launch, and its value is known if that is one
// number: so it is where nothing wraps and nothing depends on the program.
//
// A launch for which a map can't be made, because a value is unknown or the hardware can't take the map, runs a variant
// of the kernel without maps. The same holds if a check among the steps fails.

#ifndef TILEWRIGHT_RUNTIME_TENSORMAPPARAMETERS_H
#define TILEWRIGHT_RUNTIME_TENSORMAPPARAMETERS_H

#include "tilewright/Runtime/LaunchConditions.h"
#include "tilewright/Runtime/TensorMap.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::runtime {

/// How a launch makes one map. Dimensions are ordered as in TensorMap, the innermost first.
struct TensorMapParameter {
  static constexpr int64_t kNoStep = -1;

  DataType type = DataType::FP32;
  unsigned rank = 0;
  int64_t slot = 0;                                   ///< of the argument that is the base address
  int64_t offset = kNoStep;                           ///< the step whose value is added to the address, in bytes
  std::array<int64_t, TensorMap::kMaxRank> extents{}; ///< steps, in elements
  std::array<int64_t, TensorMap::kMaxRank> strides{}; ///< steps, in bytes; that of dimension 0 is not used
  std::array<uint32_t, TensorMap::kMaxRank> box{};
  BoxSwizzle swizzle = BoxSwizzle::None;
  BoxFill fill = BoxFill::Zeros;
};

/// Why a map can't be made for a launch.
struct TensorMapRefusal {
  size_t map; ///< the index of the parameter
  std::string reason;
};

/// All maps of a kernel, in the order of its parameters.
class TensorMapParameters {
public:
  /// The most maps and steps that a kernel has: launches keep the values of the steps on the stack.
  static constexpr size_t kMaxMaps = 16, kMaxSteps = 256;

  TensorMapParameters() = default;
  TensorMapParameters(LaunchConditions steps, std::vector<TensorMapParameter> maps)
      : steps(std::move(steps)), maps(std::move(maps)) {}

  /// Returns nullopt if the words are not a valid encoding, or if `problem` has something to say.
  static std::optional<TensorMapParameters> decode(const int64_t *words, size_t count);
  std::vector<int64_t> encode() const;

  bool empty() const { return maps.empty(); }
  size_t size() const { return maps.size(); }
  const TensorMapParameter &operator[](size_t map) const { return maps[map]; }
  size_t slotCount() const; ///< the least number of slots of a launch

  /// What is wrong with the description itself, so that no launch could make the maps: a step that does not exist, or a
  /// box that the hardware can't copy. Nothing if it is right.
  std::optional<std::string> problem() const;

  /// Makes the maps of a launch, `size()` of them, which the hardware can take. Returns the first one that can't be
  /// made. Requires at least `slotCount()` slots.
  std::optional<TensorMapRefusal> make(const uint64_t *slots, const Grid &grid, TensorMap *made) const;

private:
  LaunchConditions steps;
  std::vector<TensorMapParameter> maps;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_TENSORMAPPARAMETERS_H
