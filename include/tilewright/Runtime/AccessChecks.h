// Bounds checks in kernels on the CPU, if they are compiled with them.
//
// Two hidden slots precede those of a launch: slots[-1] holds the address of the launch's AccessChecks, slots[-2] that
// of its table of arrays. The code compares each access with the array that its pointer comes from:
//
//     ok = address - arrays[slot].begin <= arrays[slot].size - bytes
//
// If the comparison fails, or the array is not known at compile time, the code calls tilewright_may_access, which
// checks each element and records the first one that is in no array. In this case the program returns kOutOfBounds
// instead of performing the access.

#ifndef TILEWRIGHT_RUNTIME_ACCESSCHECKS_H
#define TILEWRIGHT_RUNTIME_ACCESSCHECKS_H

#include "tilewright/Runtime/NamedExtents.h"

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace tilewright::runtime {

/// The status of a program that ended before an access out of bounds.
constexpr int32_t kOutOfBounds = -1;

/// A load, store or atomic of the kernel's source.
struct AccessSite {
  std::string kind;   ///< "reads", "writes" or "updates"
  int64_t bytes = 0;  ///< of an element
  bool strict = true; ///< whether its pointers come only from the kernel's arguments, and not from integers
  std::string file;
  int64_t line = 0;
  int64_t column = 0;
};

/// An access out of bounds. If there are several at one site, the one of the first program is kept.
struct AccessReport {
  int32_t site = 0;
  int64_t program = 0; ///< its linear number
  uint64_t address = 0;
};

class AccessChecks {
public:
  /// The array in a slot, in the form that compiled code reads. The size is 0 if the slot holds no array of known size.
  struct SlotMemory {
    uint64_t begin = 0;
    uint64_t size = 0;
  };

  /// `known` says whether `arrays` is all the memory that was passed to the kernel.
  AccessChecks(const std::vector<AccessSite> &sites, std::vector<SlotMemory> slots, std::vector<NamedExtent> arrays,
               bool known);

  /// Fills the hidden slots before those of the launch.
  static constexpr size_t kHiddenSlots = 2;
  void fillHidden(uint64_t *before) const {
    before[0] = reinterpret_cast<uint64_t>(slots.data());
    before[1] = reinterpret_cast<uint64_t>(this);
  }

  /// Whether every element that is not masked off is in bounds. Records the first that is not. Thread-safe.
  bool mayAccess(int64_t program, int32_t site, const uint64_t *addresses, uint64_t first, const uint8_t *mask,
                 int64_t count);

  /// "reads 4 bytes at x+128, right after the end of x, which has 128 bytes"
  std::string describe(const AccessReport &report) const;

  /// The reports sorted by program, and by site within one.
  std::vector<AccessReport> sortedReports() const;
  /// The number of accesses out of bounds that are not in the reports.
  int64_t suppressed() const { return found - static_cast<int64_t>(reports.size()); }

private:
  bool holds(const AccessSite &site, const ByteRange &bytes) const;
  void report(const AccessReport &report);

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
