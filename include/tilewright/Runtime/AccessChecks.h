// Checks of bounds in kernels on the CPU that are compiled with them.
//
// A launch's slots are preceded by two more: slots[-1] holds the address of the launch's AccessChecks, slots[-2] that
// of its table of arrays. Code compares each access with the array that its pointer comes from:
//
//     ok = address - arrays[slot].begin <= arrays[slot].size - bytes
//
// and where that does not hold, or where it does not know the array, it calls tilewright_may_access, which looks at
// each element, and notes what is outside of every array. The program then ends before it makes the access, with the
// status kOutOfBounds.

#ifndef TILEWRIGHT_RUNTIME_ACCESSCHECKS_H
#define TILEWRIGHT_RUNTIME_ACCESSCHECKS_H

#include "tilewright/Runtime/NamedExtents.h"

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace tilewright::runtime {

/// What a program returns that was about to make an access out of bounds.
constexpr int32_t kOutOfBounds = -1;

/// A load, store or atomic of the kernel's source.
struct AccessSite {
  std::string kind;   ///< "reads", "writes" or "updates"
  int64_t bytes = 0;  ///< of an element
  bool strict = true; ///< whether its pointers come from the kernel's arguments alone, and not from integers
  std::string file;
  int64_t line = 0;
  int64_t column = 0;
};

/// An access out of bounds; of several of one site that of the first program.
struct AccessReport {
  int32_t site = 0;
  int64_t program = 0; ///< its linear number
  uint64_t address = 0;
};

class AccessChecks {
public:
  /// An array in a slot as compiled code sees it; of size 0 where the slot holds none of known size.
  struct SlotMemory {
    uint64_t begin = 0;
    uint64_t size = 0;
  };

  /// `known`: whether all memory that the kernel was given is among `arrays`.
  AccessChecks(const std::vector<AccessSite> &sites, std::vector<SlotMemory> slots, std::vector<NamedExtent> arrays,
               bool known);

  /// What stands before the slots of the launch, for compiled code.
  static constexpr size_t kHiddenSlots = 2;
  void fillHidden(uint64_t *before) const {
    before[0] = reinterpret_cast<uint64_t>(slots.data());
    before[1] = reinterpret_cast<uint64_t>(this);
  }

  /// Whether every element that takes part is in bounds; notes the first that is not. Any thread may call it.
  bool mayAccess(int64_t program, int32_t site, const uint64_t *addresses, uint64_t first, const uint8_t *mask,
                 int64_t count);

  /// "reads 4 bytes at x+128, right after the end of x, which has 128 bytes"
  std::string describe(const AccessReport &report) const;

  /// In the order of the programs, and in that of the source within one.
  std::vector<AccessReport> sortedReports() const;
  /// How many accesses out of bounds there were beside those reported.
  int64_t suppressed() const { return found - static_cast<int64_t>(reports.size()); }

private:
  bool holds(const AccessSite &site, const ByteRange &bytes) const;
  void report(const AccessReport &found);

  const std::vector<SlotMemory> slots;
  const std::vector<NamedExtent> arrays;
  const bool known;
  const std::vector<AccessSite> &sites;
  std::mutex mutex;
  std::vector<AccessReport> reports; // guarded by the mutex while programs run
  int64_t found = 0;                 // guarded by the mutex while programs run
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_ACCESSCHECKS_H
