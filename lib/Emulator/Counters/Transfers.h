// The cost of a warp's request, by the documented organization of memory.
//
// Global memory is transferred in sectors of 32 bytes. Shared memory has 32 banks of 4 bytes, and one wavefront
// transfers one word from each; lanes that access the same word share it. A warp whose lanes access 8 bytes is served
// in halves, one whose lanes access 16 bytes in quarters, so that one wavefront is enough for each part unless its
// banks conflict:
//
//     bytes a lane   lanes at a time   4-byte words   lanes at words 0, 32, 64, ...
//       1, 2, 4             32              32        32 wavefronts instead of 1
//          8                16              32
//         16                 8              32
//
// Two adjacent halves or quarters are served together if each of their lanes accesses the same bytes as the lane whose
// number differs in bit 0, or if each accesses the same bytes as the lane whose number differs in bit 1 (measured on an
// H200).

#ifndef TILEWRIGHT_LIB_EMULATOR_COUNTERS_TRANSFERS_H
#define TILEWRIGHT_LIB_EMULATOR_COUNTERS_TRANSFERS_H

#include "tilewright/Emulator/Counters.h"

namespace tilewright::emulator {

/// The addresses of the lanes of a warp in one access; all lanes access the same number of bytes.
struct LaneAddresses {
  LaneMask active = 0;
  uint64_t of[kMostLanes]; ///< undefined for inactive lanes
};

/// Counts the sectors that the active lanes touch. The ideal is the number of sectors that their distinct bytes would
/// fill.
MemoryCounts countGlobal(const LaneAddresses &lanes, uint32_t bytes);

/// Counts the wavefronts of the active lanes. The ideal is the number without bank conflicts: the sum, over the parts
/// of the warp that are served at a time, of the wavefronts that the part's distinct words would fill.
MemoryCounts countShared(const LaneAddresses &lanes, uint32_t bytes);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_COUNTERS_TRANSFERS_H
