#include "tilewright/Layout/ChooseSwizzle.h"

#include "tilewright/Layout/Algebra.h"
#include "tilewright/Layout/Shared.h"

#include <algorithm>

namespace tilewright::layout {

static void append(Columns &to, const Columns &from) { to.insert(to.end(), from.begin(), from.end()); }

static bool contains(const Columns &columns, uint64_t column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

namespace {

/// Builds a candidate in which the elements of `vector`, register bits of `first`, are contiguous.
class Builder {
public:
  Builder(const LinearLayout &first, const LinearLayout &second, const Columns &vector, int elementBits,
          const SharedMemoryBanks &memory)
      : first(first), second(second), vector(vector), elementBytes(elementBits / 8), memory(memory) {
    Span used(vector);
    for (std::string_view in : {kLane, kRegister, kWarp}) {
      for (uint64_t column : first.columnsOf(in)) {
        if (used.add(column)) {
          outside.push_back(column);
        }
      }
    }
    total = used.rank();
  }

  /// The columns of the offset.
  Columns build() const {
    Columns columns = vector;
    Span used(vector);
    auto take = [&](const Columns &from, size_t limit) {
      for (uint64_t column : from) {
        if (columns.size() < limit && used.add(column)) {
          columns.push_back(column);
        }
      }
    };
    // If elements are smaller than a word, lanes should share words before they share banks.
    Columns lanes = first.columnsOf(kLane), others = intersection(second.columnsOf(kLane), outside);
    take(intersection(lanes, others), wordBits());
    take(outside, wordBits());
    Columns word = columns;
    word.resize(std::min(wordBits(), word.size()));

    Columns segment = segmentAbove(reached(first, word), reached(second, word));
    used.addAll(segment);
    for (const Columns &rest : {others, outside}) {
      take(rest, total);
    }
    append(columns, segment);
    return columns;
  }

private:
  /// The bits accessed by one wavefront of `side`, without those of the vector.
  Columns reached(const LinearLayout &side, const Columns &word) const {
    Columns span = word, registers = side.columnsOf(kRegister);
    int64_t bytes = elementBytes;
    for (size_t i = 0; i < vector.size() && contains(registers, vector[i]); ++i) {
      span.push_back(vector[i]);
      bytes *= 2;
    }
    append(span, lanesOfWavefront(side, bytes, memory));
    return intersection(span, outside);
  }

  /// The highest bits of the offset, those above the bank bits.
  Columns segmentAbove(const Columns &ofFirst, const Columns &ofSecond) const {
    Columns segment = commonComplement(outside, ofFirst, ofSecond);
    int above = total - log2Exact(memory.banks) - log2Exact(memory.bankBytes) + log2Exact(elementBytes);
    segment.resize(std::min<size_t>(segment.size(), std::max(0, above)));
    return segment;
  }

  /// The number of offset bits within a word.
  size_t wordBits() const { return log2Exact(std::max<int64_t>(1, memory.bankBytes / elementBytes)); }

  const LinearLayout &first, &second;
  const Columns &vector;
  int64_t elementBytes;
  const SharedMemoryBanks &memory;
  Columns outside; ///< a complement of the vector's bits; all other offset bits are from its span
  int total = 0;
};

} // namespace

/// Register bits of both sides, followed by those of `first` only.
static Columns vectorBits(const LinearLayout &first, const LinearLayout &second) {
  Columns vector, registers = second.columnsOf(kRegister);
  for (bool common : {true, false}) {
    for (uint64_t column : first.columnsOf(kRegister)) {
      if (contains(registers, column) == common) {
        vector.push_back(column);
      }
    }
  }
  return vector;
}

static SwizzleChoice evaluate(const LinearLayout &write, const LinearLayout &read, Columns columns, int elementBits,
                              const SharedMemoryBanks &memory) {
  SwizzleChoice choice;
  choice.shared = {{{std::string(kOffset), static_cast<int>(columns.size())}}, write.outs(), std::move(columns)};
  int64_t widest = memory.widestBytes * 8 / elementBits;
  LinearLayout writeOffsets = offsetsOf(write, choice.shared), readOffsets = offsetsOf(read, choice.shared);
  choice.writeVector = widestAccess(writeOffsets, kOffset, widest);
  choice.readVector = widestAccess(readOffsets, kOffset, widest);
  choice.write = costOfAccess(writeOffsets, choice.writeVector, elementBits, memory);
  choice.read = costOfAccess(readOffsets, choice.readVector, elementBits, memory);
  return choice;
}

/// Fewer wavefronts, then fewer instructions.
static bool isBetter(const SwizzleChoice &choice, const SwizzleChoice &other) {
  auto costs = [](const SwizzleChoice &c) { return std::pair(c.total(), c.write.accesses + c.read.accesses); };
  return costs(choice) < costs(other);
}

SwizzleChoice chooseSwizzle(const LinearLayout &write, const LinearLayout &read, int elementBits,
                            const SharedMemoryBanks &memory) {
  LinearLayout from = dropRepeatedRegisters(write), to = dropRepeatedRegisters(read);
  size_t most = log2Exact(memory.widestBytes * 8 / elementBits);
  SwizzleChoice best;
  for (auto [first, second] : {std::pair(&from, &to), std::pair(&to, &from)}) {
    Columns vector = vectorBits(*first, *second);
    for (size_t bits = std::min(most, vector.size()) + 1; bits-- > 0;) {
      vector.resize(bits);
      Columns columns = Builder(*first, *second, vector, elementBits, memory).build();
      SwizzleChoice choice = evaluate(from, to, std::move(columns), elementBits, memory);
      if (best.write.accesses == 0 || isBetter(choice, best)) {
        best = std::move(choice);
      }
    }
  }
  return best;
}

} // namespace tilewright::layout
