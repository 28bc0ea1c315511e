#include "tilewright/Runtime/TensorMapParameters.h"

#include <algorithm>
#include <cstddef>

namespace tilewright::runtime {

//===----------------------------------------------------------------------===//
// Encoding
//===----------------------------------------------------------------------===//

// The number of words of the steps and these words, and for each map kMapWords: type, rank, slot, offset, swizzle and
// fill, and for each of the five dimensions the steps of extent and stride, and the box.
static constexpr size_t kFields = 6, kDimensionWords = 3;
static constexpr size_t kMapWords = kFields + TensorMap::kMaxRank * kDimensionWords;

std::vector<int64_t> TensorMapParameters::encode() const {
  if (maps.empty()) {
    return {};
  }
  std::vector<int64_t> stepWords = steps.encode(), words = {static_cast<int64_t>(stepWords.size())};
  words.insert(words.end(), stepWords.begin(), stepWords.end());
  for (const TensorMapParameter &map : maps) {
    words.insert(words.end(), {static_cast<int64_t>(map.type), map.rank, map.slot, map.offset,
                               static_cast<int64_t>(map.swizzle), static_cast<int64_t>(map.fill)});
    for (unsigned i = 0; i < TensorMap::kMaxRank; ++i) {
      words.insert(words.end(), {map.extents[i], map.strides[i], map.box[i]});
    }
  }
  return words;
}

static bool isSwizzle(int64_t value) { return value == 0 || value == 32 || value == 64 || value == 128; }

static std::optional<TensorMapParameter> decodeMap(const int64_t *words) {
  auto isBelow = [](int64_t value, int64_t end) { return value >= 0 && value < end; };
  if (!isBelow(words[0], static_cast<int64_t>(DataType::FP64) + 1) || !isBelow(words[1], TensorMap::kMaxRank + 1) ||
      !isSwizzle(words[4]) || !isBelow(words[5], static_cast<int64_t>(BoxFill::NaN) + 1)) {
    return std::nullopt;
  }
  TensorMapParameter map;
  map.type = static_cast<DataType>(words[0]);
  map.rank = static_cast<unsigned>(words[1]);
  map.slot = words[2];
  map.offset = words[3];
  map.swizzle = static_cast<BoxSwizzle>(words[4]);
  map.fill = static_cast<BoxFill>(words[5]);
  for (unsigned i = 0; i < TensorMap::kMaxRank; ++i) {
    const int64_t *dimension = words + kFields + i * kDimensionWords;
    if (!isBelow(dimension[2], int64_t(1) << 32)) {
      return std::nullopt;
    }
    map.extents[i] = dimension[0];
    map.strides[i] = dimension[1];
    map.box[i] = static_cast<uint32_t>(dimension[2]);
  }
  return map;
}

std::optional<TensorMapParameters> TensorMapParameters::decode(const int64_t *words, size_t count) {
  if (count == 0) {
    return TensorMapParameters();
  }
  if (words[0] < 0 || static_cast<size_t>(words[0]) > count - 1 || (count - 1 - words[0]) % kMapWords != 0) {
    return std::nullopt;
  }
  auto steps = LaunchConditions::decode(words + 1, words[0]);
  std::vector<TensorMapParameter> maps;
  for (const int64_t *at = words + 1 + words[0]; at != words + count; at += kMapWords) {
    auto map = decodeMap(at);
    if (!map) {
      return std::nullopt;
    }
    maps.push_back(*map);
  }
  if (!steps || maps.empty()) {
    return std::nullopt;
  }
  TensorMapParameters decoded(std::move(*steps), std::move(maps));
  return decoded.problem() ? std::nullopt : std::optional(std::move(decoded));
}

//===----------------------------------------------------------------------===//
// Static checks
//===----------------------------------------------------------------------===//

size_t TensorMapParameters::slotCount() const {
  size_t count = steps.slotCount();
  for (const TensorMapParameter &map : maps) {
    count = std::max(count, static_cast<size_t>(map.slot) + 1);
  }
  return count;
}

/// A map of the parameter's form, whose values from the launch are some that the hardware takes.
static TensorMap prototypeOf(const TensorMapParameter &parameter) {
  TensorMap map;
  map.type = parameter.type;
  map.rank = parameter.rank;
  map.box = parameter.box;
  map.swizzle = parameter.swizzle;
  map.fill = parameter.fill;
  std::fill_n(map.extents.begin(), parameter.rank, 1);
  return map;
}

static std::optional<std::string> problemOf(const TensorMapParameter &map, const LaunchConditions &steps) {
  if (auto reason = invalid(prototypeOf(map))) {
    return reason;
  }
  if (map.slot < 0) {
    return "the slot of its address must not be negative, and is " + std::to_string(map.slot);
  }
  auto missing = [&](const char *what, int64_t step) {
    return std::string(what) + " is step " + std::to_string(step) + ", which is not one of the " +
           std::to_string(steps.size()) + " steps that has a value";
  };
  if (map.offset != TensorMapParameter::kNoStep && !steps.hasValue(map.offset)) {
    return missing("the offset", map.offset);
  }
  for (unsigned i = 0; i < map.rank; ++i) {
    if (!steps.hasValue(map.extents[i])) {
      return missing("an extent", map.extents[i]);
    }
    if (i > 0 && !steps.hasValue(map.strides[i])) {
      return missing("a stride", map.strides[i]);
    }
  }
  return std::nullopt;
}

std::optional<std::string> TensorMapParameters::problem() const {
  if (maps.size() > kMaxMaps) {
    return "a kernel has at most " + std::to_string(kMaxMaps) + " tensor maps, and this one " +
           std::to_string(maps.size());
  }
  if (steps.size() > kMaxSteps) {
    return "tensor maps have at most " + std::to_string(kMaxSteps) + " steps, and these " +
           std::to_string(steps.size());
  }
  for (size_t i = 0; i < maps.size(); ++i) {
    if (auto reason = problemOf(maps[i], steps)) {
      return "tensor map " + std::to_string(i) + ": " + *reason;
    }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {
/// Makes one map from the ranges of the steps. A value that is unknown or negative is the reason of a refusal.
class TensorMapBuilder {
public:
  TensorMapBuilder(const TensorMapParameter &parameter, const Range *ranges) : parameter(parameter), ranges(ranges) {}

  std::optional<std::string> make(const uint64_t *slots, TensorMap &map) {
    map = prototypeOf(parameter);
    map.address = slots[parameter.slot];
    if (parameter.offset != TensorMapParameter::kNoStep) {
      map.address += valueOf(parameter.offset, "offset of the address", true);
    }
    for (unsigned i = 0; i < map.rank; ++i) {
      map.extents[i] = valueOf(parameter.extents[i], "extent", false, i);
      map.strides[i] = i == 0 ? 0 : valueOf(parameter.strides[i], "stride", false, i);
    }
    if (map.address == 0 && reason.empty()) {
      reason = "the address is null";
    }
    return reason.empty() ? invalid(map) : reason;
  }

private:
  uint64_t valueOf(int64_t step, const char *what, bool mayBeNegative, int dimension = -1) {
    Range range = ranges[step];
    bool isKnown = range.lo == range.hi;
    if (reason.empty() && (!isKnown || (range.lo < 0 && !mayBeNegative))) {
      reason = std::string("the ") + what + (dimension < 0 ? "" : " of dimension " + std::to_string(dimension)) +
               (isKnown ? " is negative: " + std::to_string(range.lo) : " is not known");
    }
    return static_cast<uint64_t>(range.lo);
  }

  const TensorMapParameter &parameter;
  const Range *ranges;
  std::string reason; // the first one
};
} // namespace

std::optional<TensorMapRefusal> TensorMapParameters::make(const uint64_t *slots, const Grid &grid,
                                                          TensorMap *made) const {
  alignas(Range) std::byte memory[kMaxSteps * sizeof(Range)]; // uninitialized: most kernels have few steps
  auto *ranges = reinterpret_cast<Range *>(memory);
  if (!steps.hold(slots, grid, ranges)) {
    return TensorMapRefusal{0, "a condition of its values does not hold"};
  }
  for (size_t i = 0; i < maps.size(); ++i) {
    if (auto reason = TensorMapBuilder(maps[i], ranges).make(slots, made[i])) {
      return TensorMapRefusal{i, std::move(*reason)};
    }
  }
  return std::nullopt;
}

} // namespace tilewright::runtime
