// The lines of a box: the runs of elements along its innermost dimension, and where they are in memory.
//
//     array of 5 columns, box of 4 at column 3       line: before 0, bytes 2 elements, then 2 elements of fill
//     box at column -1                               line: before 1 element of fill, then 3 elements

#ifndef TILEWRIGHT_EMULATOR_INSTRUCTIONS_BOXLINES_H
#define TILEWRIGHT_EMULATOR_INSTRUCTIONS_BOXLINES_H

#include "tilewright/Emulator/Boxes.h"

#include <algorithm>

namespace tilewright::emulator {

struct BoxLine {
  uint64_t offset = 0;  ///< in the box, without the swizzle
  uint64_t address = 0; ///< in global memory, of the first element that lies in the array
  uint64_t before = 0;  ///< bytes of the line in front of that element
  uint64_t bytes = 0;   ///< of the elements in the array; 0 if there are none
};

/// The bytes of a line of the map's box.
inline uint64_t lineBytes(const runtime::TensorMap &map) { return uint64_t(map.box[0]) * bytesOf(map.type); }

/// Calls visit(const BoxLine &) for each line of the box.
template <typename Visit> void forLines(const BoxCopy &copy, Visit &&visit) {
  const runtime::TensorMap &map = copy.map;
  int64_t size = bytesOf(map.type), extent = static_cast<int64_t>(map.extents[0]), first = copy.coordinates[0];
  int64_t begin = std::max<int64_t>(first, 0), end = std::min<int64_t>(first + map.box[0], extent);
  std::array<uint32_t, runtime::TensorMap::kMaxRank> at{}; // of the line in the box
  uint64_t count = map.boxBytes() / lineBytes(map);
  for (uint64_t number = 0; number < count; ++number) {
    BoxLine line;
    line.offset = number * lineBytes(map);
    bool isInside = begin < end;
    line.address = map.address + static_cast<uint64_t>(begin * size);
    for (unsigned i = 1; i < map.rank; ++i) {
      int64_t index = int64_t(copy.coordinates[i]) + at[i];
      isInside &= index >= 0 && index < static_cast<int64_t>(map.extents[i]);
      line.address += static_cast<uint64_t>(index) * map.strides[i];
    }
    if (isInside) {
      line.before = static_cast<uint64_t>((begin - first) * size);
      line.bytes = static_cast<uint64_t>((end - begin) * size);
    }
    visit(static_cast<const BoxLine &>(line));
    for (unsigned i = 1; i < map.rank && ++at[i] == map.box[i]; ++i) {
      at[i] = 0;
    }
  }
}

/// The bytes of a line that a store writes: whole units of 16 bytes, also the one in which the array's extent ends. An
/// H200 does that: with an extent of 13 halves, it writes elements 13 to 15, too.
inline uint64_t storedBytes(const BoxLine &line, const runtime::TensorMap &map) {
  constexpr uint64_t kUnit = 16;
  uint64_t end = (line.before + line.bytes + kUnit - 1) / kUnit * kUnit;
  return line.bytes == 0 ? 0 : std::min(end, lineBytes(map)) - line.before;
}

/// Reads the box from global memory, and writes it to shared memory.
void loadBox(const BoxCopy &copy);
/// The bytes of the box in shared memory, without the swizzle.
std::vector<unsigned char> readBox(const BoxCopy &copy);
/// Writes those of the elements that lie in the array to global memory, and as many more as `storedBytes` counts, or
/// combines them with what is there.
void writeBox(const BoxCopy &copy, const std::vector<unsigned char> &bytes);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_INSTRUCTIONS_BOXLINES_H
