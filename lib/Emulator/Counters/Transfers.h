// What a request of a warp costs, by the documented organization of memory.
//
// Global memory moves in sectors of 32 bytes. Shared memory has 32 banks of 4 bytes, and one wavefront takes one word
// from each; lanes that want the same word share it. A warp whose lanes access 8 bytes is served in halves, one whose
// lanes access 16 bytes in quarters, so that one wavefront is enough for each part unless its banks conflict:
//
//     bytes a lane   lanes at a time   4-byte words   lanes at words 0, 32, 64, ...
//       1, 2, 4             32              32        32 wavefronts, where 1 would do
//          8                16              32
//         16                 8              32
//
// Two halves or quarters next to each other are served together if each lane of them wants the same bytes as the lane
// whose number differs in bit 0, or each as the one whose number differs in bit 1: measured on an H200.

#ifndef TILEWRIGHT_LIB_EMULATOR_COUNTERS_TRANSFERS_H
#define TILEWRIGHT_LIB_EMULATOR_COUNTERS_TRANSFERS_H

#include "tilewright/Emulator/Counters.h"

namespace tilewright::emulator {

/// What the lanes of a warp access at the same time, each of them as many bytes.
struct LaneAddresses {
  uint32_t active = 0;
  uint64_t of[kLanes]; ///< of the active lanes; the others' are undefined
};

/// The sectors that the active lanes touch, against as many as their different bytes would fill.
MemoryCounts countGlobal(const LaneAddresses &lanes, uint32_t bytes);

/// The wavefronts of the active lanes, against those without conflicts: for each part of the warp that is served at a
/// time, as many as its different words would fill.
MemoryCounts countShared(const LaneAddresses &lanes, uint32_t bytes);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_COUNTERS_TRANSFERS_H
