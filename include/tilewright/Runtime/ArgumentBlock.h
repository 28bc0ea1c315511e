// The values of a launch's arguments: 8-byte slots, which host code reads and whose addresses the CUDA driver gets.
//
// A number, an address or a constant takes one slot. A structure that is passed by value, such as a CUDA tensor map,
// takes as many slots as it has bytes, and starts at a slot whose address has the structure's alignment:
//
//     kernel(x, map, n) with a map of 128 bytes aligned to 64
//     slot   0   1 .. 7   8 .. 23   24
//            x   unused   map       n

#ifndef TILEWRIGHT_RUNTIME_ARGUMENTBLOCK_H
#define TILEWRIGHT_RUNTIME_ARGUMENTBLOCK_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilewright::runtime {

/// A short block needs no heap memory.
class ArgumentBlock {
public:
  static constexpr size_t kSlotBytes = sizeof(uint64_t);
  /// The largest structure that is passed by value, and the largest alignment.
  static constexpr size_t kMostBytes = 128;
  static constexpr size_t kMostAlignment = 64;

  /// The slots of a structure, whose first one is a multiple of its alignment.
  struct Structure {
    size_t slot;
    size_t slots;
  };

  /// Whether a structure of this size and alignment can be passed: sizes are multiples of the alignment, which is a
  /// power of two of at least 8.
  static bool canHold(size_t bytes, size_t alignment);

  /// `hidden` slots, initially zero, precede slot 0.
  explicit ArgumentBlock(size_t hidden = 0);
  /// The same arguments, after hidden slots.
  ArgumentBlock(const ArgumentBlock &other, size_t hidden);
  ArgumentBlock(const ArgumentBlock &) = delete;
  ArgumentBlock &operator=(const ArgumentBlock &) = delete;

  void push_back(uint64_t value) {
    reserve(count + 1);
    data()[count++] = value;
  }
  /// Appends a structure that is passed by value.
  void append(const void *structure, size_t bytes, size_t alignment);

  /// Slot 0, which is aligned to kMostAlignment.
  uint64_t *data() { return words + origin; }
  const uint64_t *data() const { return words + origin; }
  size_t size() const { return count; }
  uint64_t &operator[](size_t slot) { return data()[slot]; }
  /// The value of a hidden slot; `index` counts backwards from slot 0, from 0.
  uint64_t &hidden(size_t index) { return data()[-1 - static_cast<ptrdiff_t>(index)]; }

  const std::vector<Structure> &structures() const { return byValue; }
  /// The first slot of each argument in order.
  std::vector<size_t> leaves() const;

private:
  void reserve(size_t slots);

  struct alignas(kMostAlignment) Line {
    uint64_t words[kMostAlignment / kSlotBytes];
  };
  static constexpr size_t kInlineLines = 4;

  Line inlineLines[kInlineLines];
  std::unique_ptr<Line[]> heap;
  uint64_t *words = inlineLines[0].words;
  size_t capacity = sizeof(inlineLines) / kSlotBytes; // of `words`
  size_t origin = 0;                                  // the index of slot 0
  size_t count = 0;
  std::vector<Structure> byValue;
  std::vector<Structure> padding; // unused slots before structures
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_ARGUMENTBLOCK_H
