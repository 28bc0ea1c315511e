// What is remembered of each byte of memory: who wrote it last, and who read it since.
//
// Sixteen bytes are a line. It remembers one thing for all of them until they are accessed apart; then it falls into
// parts of 8, 4, 2 or 1 bytes, until it is written as a whole again. Most lines never fall apart, as threads access
// most memory in the same way each time.
//
//     st.v4 of 16 bytes   [ thread 3 wrote                               ]
//     ld.u32 at +4        [ t3 wrote  | t3 wrote, t7 read | t3   | t3    ]
//
// Nothing is ever cleared: what was noted at times that all know of (VectorClocks::past) has no meaning for races.

#ifndef TILEWRIGHT_EMULATOR_CHECKS_SHADOW_H
#define TILEWRIGHT_EMULATOR_CHECKS_SHADOW_H

#include "VectorClocks.h"

#include "tilewright/Emulator/AccessKind.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace tilewright::emulator {

/// Who did what and when: an access as bytes remember it. Time 0: nobody.
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
  size_t compactAt = kFew; ///< the size at which it is worth looking for what is redundant
  uint8_t kinds = 0;       ///< those in the list, a bit for each
  void add(const Event &event);
  void clear();
  bool has(AccessKind kind) const { return kinds >> static_cast<int>(kind) & 1; }
};

/// What is remembered of neighbouring bytes that were always accessed together.
struct Cell {
  Event write;                    ///< the last one, or the copy under way
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

  /// All bytes have the same to remember, as the first.
  void unite() { unit = kBytes; }

private:
  void split(unsigned size) {
    if (size < unit) {
      splitInto(size);
    }
  }
  void splitInto(unsigned size);

  uint8_t unit = kBytes; // bytes of a cell
  uint8_t room = 1;      // cells that there are
  Cell whole;
  std::unique_ptr<Cell[]> parts; // null: `whole`
};

/// Calls visit(Cell &) for the bytes [address, address + bytes) of the lines that lineAt(number) finds. With `isSame`,
/// all of them are made to remember the same.
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

/// Lines of a large memory few of which are used: pages, found by a hash table.
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

  /// What is remembered has lost its meaning: pages may stand for other addresses.
  void forget();
  size_t pagesInUse() const { return used; }

private:
  static constexpr uint64_t kPageLines = 64;

  struct Entry {
    uint64_t number = 0;
    uint64_t generation = 0; // an older one: free
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
