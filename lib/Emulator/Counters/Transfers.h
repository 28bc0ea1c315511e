// The cost of a warp's request, by the documented organization of memory (MemoryRules).
//
// Global memory is transferred in pieces: sectors of 32 bytes, or on AMD's GPUs lines of the first cache. Shared memory
// has banks of 4 bytes, and one wavefront, or phase, transfers one word from each; lanes that access the same word
// share it. If the lanes of a warp access more words than there are banks, they are served in parts, so that one
// wavefront is enough for each part unless its banks conflict:
//
//     bytes a lane   lanes at a time, 32 banks   64 banks, 64 lanes   lanes at words 0, 32, 64, ...
//       1, 2, 4                 32                      64            32 lanes: 32 wavefronts instead of 1
//          8                    16                      32
//         16                     8                      16
//
// A part is of consecutive lanes, except in loads of 16 bytes of CDNA (layout::SharedMemoryBanks).
//
// On NVIDIA's GPUs two adjacent halves or quarters are served together if each of their lanes accesses the same bytes
// as the lane whose number differs in bit 0, or if each accesses the same bytes as the lane whose number differs in bit
// 1 (measured on an H200).

#ifndef TILEWRIGHT_LIB_EMULATOR_COUNTERS_TRANSFERS_H
#define TILEWRIGHT_LIB_EMULATOR_COUNTERS_TRANSFERS_H

#include "tilewright/Emulator/Counters.h"

namespace tilewright::emulator {

/// The addresses of the lanes of a warp in one access; all lanes access the same number of bytes.
struct LaneAddresses {
  LaneMask active = 0;
  uint64_t of[kMostLanes]; ///< undefined for inactive lanes
};

/// Counts the pieces that the active lanes touch. The ideal is the number of pieces that their distinct bytes would
/// fill.
MemoryCounts countGlobal(const LaneAddresses &lanes, uint32_t bytes, const MemoryRules &rules);

/// Counts the wavefronts of the active lanes of a warp of `warpLanes`. The ideal is the number without bank conflicts:
/// the sum, over the parts of the warp that are served at a time, of the wavefronts that the part's distinct words
/// would fill.
MemoryCounts countShared(const LaneAddresses &lanes, uint32_t bytes, AccessKind kind, int warpLanes,
                         const MemoryRules &rules);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_COUNTERS_TRANSFERS_H
