#include "Shadow.h"

namespace tilewright::emulator {

void Events::add(const Event &event) {
  list.push_back(event);
  kinds |= 1 << event.kindBits;
}

void Events::clear() {
  list.clear();
  kinds = 0;
}

Cell &Cell::operator=(const Cell &other) {
  if (this != &other) {
    write = other.write;
    last = other.last;
    others = other.others ? std::make_unique<Events>(*other.others) : nullptr;
  }
  return *this;
}

void Cell::forgetReads() {
  last.time = 0;
  if (others) {
    others->clear();
  }
}

/// Splits the cells in place, from the last one down, so that no cell is overwritten before it was copied.
void Line::splitInto(unsigned size) {
  unsigned count = kBytes / size, before = unit;
  if (count > room) {
    auto more = std::make_unique<Cell[]>(count);
    const Cell *cells = parts ? parts.get() : &whole;
    std::copy(cells, cells + kBytes / before, more.get());
    parts = std::move(more);
    room = static_cast<uint8_t>(count);
  }
  for (unsigned part = count; part-- > 0;) {
    parts[part] = parts[part * size / before];
  }
  unit = static_cast<uint8_t>(size);
}

SparseLines::SparseLines() : table(64) {}

void SparseLines::forget() {
  ++generation;
  used = 0;
  recent = nullptr;
}

SparseLines::Entry &SparseLines::slotOf(uint64_t page) {
  // Fibonacci hashing, so that pages of tensors at a distance of a power of two do not collide.
  size_t at = (page * 0x9e3779b97f4a7c15u >> 20) & (table.size() - 1);
  while (table[at].generation == generation && table[at].number != page) {
    at = (at + 1) & (table.size() - 1);
  }
  return table[at];
}

Line *SparseLines::find(uint64_t page) {
  Entry *entry = &slotOf(page);
  if (entry->generation == generation) {
    return entry->lines;
  }
  if (2 * used >= table.size()) {
    grow();
    entry = &slotOf(page);
  }
  if (used == pages.size()) {
    pages.push_back(std::make_unique<Line[]>(kPageLines));
  }
  *entry = {page, generation, pages[used++].get()};
  return entry->lines;
}

void SparseLines::grow() {
  std::vector<Entry> before(2 * table.size());
  before.swap(table);
  for (const Entry &entry : before) {
    if (entry.generation == generation) {
      slotOf(entry.number) = entry;
    }
  }
}

} // namespace tilewright::emulator
