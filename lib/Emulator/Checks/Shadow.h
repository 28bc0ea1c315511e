// Shadow memory: the last write of each byte, and the reads and atomics since.
//
// A line covers sixteen bytes. It has one cell for all of them until some are accessed separately. Then it is split
// into cells of 8, 4, 2 or 1 bytes, until it is written as a whole again. Most lines are never split, because threads
// mostly access the same memory with the same width.
//
//     st.v4 of 16 bytes   [ thread 3 wrote                               ]
//     ld.u32 at +4        [ t3 wrote  | t3 wrote, t7 read | t3   | t3    ]
//
// Cells need not be cleared: accesses at times up to VectorClocks::past() are ordered before everything later, so that
// they cannot race.

#ifndef TILEWRIGHT_EMULATOR_CHECKS_SHADOW_H
#define TILEWRIGHT_EMULATOR_CHECKS_SHADOW_H

#include "VectorClocks.h"

#include "tilewright/Emulator/AccessKind.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace tilewright::emulator {

/// A recorded access: its time, thread, kind and site. Time 0: none.
struct Event {
  Time time : 48;
  uint64_t thread : 14;
  uint64_t kindBits : 2;
  int32_t site;

  Event() : time(0), thread(0), kindBits(0), site(0) {}
  Event(Time time, uint32_t thread, AccessKind kind, int32_t site)
      : time(time), thread(thread), kindBits(static_cast<uint64_t>(kind)), site(site) {}
  AccessKind kind() const { return static_cast<AccessKind>(kindBits); }
};

/// Some reads and atomics of the same bytes.
struct Events {
  static constexpr size_t kFew = 32;
  std::vector<Event> list;
  size_t compactAt = kFew; ///< the size at which redundant events are dropped
  uint8_t kinds = 0;       ///< a bit for each kind in the list
  void add(const Event &event);
  void clear();
  bool has(AccessKind kind) const { return kinds >> static_cast<int>(kind) & 1; }
};

/// The accesses of contiguous bytes that were always accessed together.
struct Cell {
  Event write;                    ///< the last write, or the asynchronous copy in flight
  Event last;                     ///< the last read or atomic after it
  std::unique_ptr<Events> others; ///< reads and atomics between the two that `last` does not make redundant

  Cell() = default;
  Cell &operator=(const Cell &other);
  void forgetReads();
};

/// Sixteen bytes, beginning at a multiple of sixteen.
class Line {
public:
  static constexpr unsigned kBytes = 16;

  /// Calls visit(Cell &) for the bytes [begin, end) of the line.
  template <typename Visit> void visit(unsigned begin, unsigned end, Visit &&visit) {
    unsigned ends = begin | end | kBytes;
    split(ends & -ends);
    Cell *cells = parts ? parts.get() : &whole;
    for (unsigned at = begin; at < end; at += unit) {
      visit(cells[at / unit]);
    }
  }

  /// Merges all cells into the first one. Requires that they are equal.
  void unite() { unit = kBytes; }

private:
  void split(unsigned size) {
    if (size < unit) {
      splitInto(size);
    }
  }
  void splitInto(unsigned size);

  uint8_t unit = kBytes; // bytes of a cell
  uint8_t room = 1;      // allocated cells
  Cell whole;
  std::unique_ptr<Cell[]> parts; // null: `whole`
};

/// Calls visit(Cell &) for the bytes [address, address + bytes) of the lines that lineAt(number) finds. With `isSame`,
/// the visit leaves all cells equal, so that those of a line are merged.
template <typename LineAt, typename Visit>
void visitLines(uint64_t address, uint64_t bytes, bool isSame, LineAt &&lineAt, Visit &&visit) {
  for (uint64_t end = address + bytes; address != end;) {
    unsigned begin = address % Line::kBytes;
    auto count = static_cast<unsigned>(std::min<uint64_t>(Line::kBytes - begin, end - address));
    Line &line = lineAt(address / Line::kBytes);
    line.visit(begin, begin + count, visit);
    if (isSame && count == Line::kBytes) {
      line.unite();
    }
    address += count;
  }
}

/// The lines of a large and sparsely used memory, in pages that a hash table finds.
class SparseLines {
public:
  SparseLines();
  Line &line(uint64_t number) {
    uint64_t page = number / kPageLines;
    if (page != recentNumber || !recent) {
      recent = find(page);
      recentNumber = page;
    }
    return recent[number % kPageLines];
  }

  /// Drops all pages; they may be reused for other addresses. Must only be called when their events are all past.
  void forget();
  size_t pagesInUse() const { return used; }

private:
  static constexpr uint64_t kPageLines = 64;

  struct Entry {
    uint64_t number = 0;
    uint64_t generation = 0; // the entry is free if this is not the table's generation
    Line *lines = nullptr;
  };

  Line *find(uint64_t page);
  Entry &slotOf(uint64_t page);
  void grow();

  std::vector<Entry> table; // linear probing; a power of two, at most half full
  std::vector<std::unique_ptr<Line[]>> pages;
  size_t used = 0; // of `pages`
  uint64_t generation = 1;
  uint64_t recentNumber = 0;
  Line *recent = nullptr;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_CHECKS_SHADOW_H
