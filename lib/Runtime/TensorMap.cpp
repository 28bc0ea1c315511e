#include "tilewright/Runtime/TensorMap.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <tuple>

namespace tilewright::runtime {

namespace {

// The limits of cuTensorMapEncodeTiled.
constexpr uint64_t kUnit = 16; ///< global addresses, strides and the lines of a box are multiples of it, in bytes
constexpr uint64_t kMaxExtent = uint64_t(1) << 32, kStrideLimit = uint64_t(1) << 40;
constexpr uint32_t kMaxBox = 256;

std::string dimension(const char *what, unsigned index) { return what + std::to_string(index); }

std::string boxName(const TensorMap &map) {
  std::string name;
  for (unsigned i = 0; i < map.rank; ++i) {
    name += (i == 0 ? "" : " x ") + std::to_string(map.box[i]);
  }
  return name;
}

std::optional<std::string> invalidExtents(const TensorMap &map) {
  for (unsigned i = 0; i < map.rank; ++i) {
    if (map.extents[i] < 1 || map.extents[i] > kMaxExtent) {
      return dimension("the extent of dimension ", i) + " must be from 1 to 2^32, and is " +
             std::to_string(map.extents[i]);
    }
    if (map.box[i] < 1 || map.box[i] > kMaxBox) {
      return dimension("the box's extent of dimension ", i) + " must be from 1 to " + std::to_string(kMaxBox) +
             ", and is " + std::to_string(map.box[i]);
    }
  }
  return std::nullopt;
}

std::optional<std::string> invalidAddresses(const TensorMap &map) {
  if (map.address % kUnit != 0) {
    return "the address must be a multiple of 16 bytes, and is " + std::to_string(map.address);
  }
  for (unsigned i = 1; i < map.rank; ++i) {
    if (map.strides[i] % kUnit != 0 || map.strides[i] >= kStrideLimit) {
      return dimension("the stride of dimension ", i) + " must be a multiple of 16 bytes and less than 2^40, and is " +
             std::to_string(map.strides[i]);
    }
  }
  return std::nullopt;
}

std::optional<std::string> invalidLine(const TensorMap &map) {
  uint64_t line = uint64_t(map.box[0]) * bytesOf(map.type), span = static_cast<uint64_t>(map.swizzle);
  // Called only for an invalid line, because every launch checks its maps.
  auto found = [&] {
    return " bytes, and those of a box of " + boxName(map) + " " + std::string(nameOf(map.type)) + " have " +
           std::to_string(line);
  };
  if (line % kUnit != 0) {
    return "the lines of a box must have a multiple of 16" + found();
  }
  if (span != 0 && line > span) {
    return "the lines of a box must have at most the swizzle's " + std::to_string(span) + found();
  }
  return std::nullopt;
}

} // namespace

uint64_t TensorMap::boxBytes() const {
  uint64_t bytes = bytesOf(type);
  for (unsigned i = 0; i < rank; ++i) {
    bytes *= box[i];
  }
  return bytes;
}

unsigned TensorMap::boxAlignment() const {
  constexpr unsigned kPlain = 128, kLines = 8; // the pattern of a swizzle repeats after eight times its span
  return std::max(kPlain, kLines * static_cast<unsigned>(swizzle));
}

bool TensorMap::operator==(const TensorMap &other) const {
  auto all = [](const TensorMap &map) {
    return std::tie(map.type, map.rank, map.address, map.extents, map.strides, map.box, map.swizzle, map.fill);
  };
  return all(*this) == all(other);
}

uint64_t swizzled(BoxSwizzle swizzle, uint64_t offset) {
  constexpr unsigned kDistance = 3; // from a bit to the higher one that it is xored with
  uint64_t low = (static_cast<uint64_t>(swizzle) - 1) / kUnit * kUnit; // 16, 48 or 112
  return swizzle == BoxSwizzle::None ? offset : offset ^ (offset >> kDistance & low);
}

std::optional<std::string> invalid(const TensorMap &map) {
  if (map.rank < 1 || map.rank > TensorMap::kMaxRank) {
    return "a tensor map has from 1 to 5 dimensions, and this one " + std::to_string(map.rank);
  }
  if (map.fill == BoxFill::NaN && (isInteger(map.type) || bytesOf(map.type) == 1)) {
    return "only floats of at least 16 bits can be filled with NaN, and these are " + std::string(nameOf(map.type));
  }
  for (auto check : {invalidExtents, invalidAddresses, invalidLine}) {
    if (auto reason = check(map)) {
      return reason;
    }
  }
  return std::nullopt;
}

std::string describe(const TensorMap &map) {
  std::ostringstream text;
  text << boxName(map) << " of ";
  for (unsigned i = 0; i < map.rank; ++i) {
    text << (i == 0 ? "" : " x ") << map.extents[i];
  }
  text << " " << nameOf(map.type) << " at 0x" << std::hex << map.address << std::dec;
  for (unsigned i = 1; i < map.rank; ++i) {
    text << (i == 1 ? ", strides " : ", ") << map.strides[i];
  }
  if (map.swizzle != BoxSwizzle::None) {
    text << ", swizzle " << static_cast<int>(map.swizzle);
  }
  text << (map.fill == BoxFill::NaN ? ", filled with NaN" : "");
  return text.str();
}

//===----------------------------------------------------------------------===//
// The format of emulated GPUs
//===----------------------------------------------------------------------===//

namespace {

constexpr uint64_t kMagic = 0x50414d5253544c54; // "TLTSRMAP"
constexpr uint32_t kVersion = 1;

struct Format {
  uint64_t magic, checksum; ///< the checksum is of all that follows
  uint32_t version;
  uint8_t type, rank, swizzle, fill;
  uint64_t address;
  uint64_t strides[TensorMap::kMaxRank - 1];
  uint32_t lastIndices[TensorMap::kMaxRank]; ///< the extents less one, which have 32 bits
  uint16_t box[TensorMap::kMaxRank];
};
static_assert(sizeof(Format) <= EncodedTensorMap::kBytes);

/// FNV-1a, of all bytes behind the checksum.
uint64_t checksum(const EncodedTensorMap &encoded) {
  uint64_t sum = 0xcbf29ce484222325;
  for (size_t i = offsetof(Format, version); i < EncodedTensorMap::kBytes; ++i) {
    sum = (sum ^ static_cast<uint64_t>(encoded.bytes[i])) * 0x100000001b3;
  }
  return sum;
}

} // namespace

EncodedTensorMap encode(const TensorMap &map) {
  EncodedTensorMap encoded;
  Format format;
  std::memset(&format, 0, sizeof format); // the padding, too, which the checksum covers
  format.magic = kMagic;
  format.version = kVersion;
  format.type = static_cast<uint8_t>(map.type);
  format.rank = static_cast<uint8_t>(map.rank);
  format.swizzle = static_cast<uint8_t>(map.swizzle);
  format.fill = static_cast<uint8_t>(map.fill);
  format.address = map.address;
  for (unsigned i = 0; i < map.rank; ++i) {
    format.lastIndices[i] = static_cast<uint32_t>(map.extents[i] - 1);
    format.box[i] = static_cast<uint16_t>(map.box[i]);
    if (i > 0) {
      format.strides[i - 1] = map.strides[i];
    }
  }
  std::memcpy(encoded.bytes.data(), &format, sizeof format);
  format.checksum = checksum(encoded);
  std::memcpy(encoded.bytes.data(), &format, sizeof format);
  return encoded;
}

std::optional<TensorMap> decode(const void *bytes) {
  EncodedTensorMap encoded;
  Format format;
  std::memcpy(encoded.bytes.data(), bytes, EncodedTensorMap::kBytes);
  std::memcpy(&format, encoded.bytes.data(), sizeof format);
  if (format.magic != kMagic || format.version != kVersion || format.checksum != checksum(encoded) ||
      format.rank > TensorMap::kMaxRank) {
    return std::nullopt;
  }
  TensorMap map;
  map.type = static_cast<DataType>(format.type);
  map.rank = format.rank;
  map.swizzle = static_cast<BoxSwizzle>(format.swizzle);
  map.fill = static_cast<BoxFill>(format.fill);
  map.address = format.address;
  for (unsigned i = 0; i < map.rank; ++i) {
    map.extents[i] = uint64_t(format.lastIndices[i]) + 1;
    map.box[i] = format.box[i];
    if (i > 0) {
      map.strides[i] = format.strides[i - 1];
    }
  }
  return map;
}

} // namespace tilewright::runtime
