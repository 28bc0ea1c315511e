// The cost of a warp's access to shared memory.
//
// Shared memory has 32 banks of 4 bytes; word w is in bank w % 32. One wavefront serves one word per bank; lanes that
// access the same word share it. An access of 8 bytes per lane is served in two halves of the warp, one of 16 bytes in
// four quarters:
//
//     bytes/lane     lanes at a time   minimum wavefronts
//        1, 2, 4            32               1
//           8               16               2
//          16                8               4
//
//     lanes 0, 1, 2, ... at words 0, 32, 64, ...:  all in bank 0, 32 wavefronts
//     lanes 0, 1, 2, ... at words 0, 33, 66, ...:  all different, 1 wavefront
//
// As addresses are linear over GF(2), every accessed bank serves the same number of words, 2^(rank of the lanes' words
// - rank of their banks).

#ifndef TILEWRIGHT_LAYOUT_BANKCONFLICTS_H
#define TILEWRIGHT_LAYOUT_BANKCONFLICTS_H

#include "tilewright/Layout/VectorAccess.h"

namespace tilewright::layout {

inline constexpr int kBankBits = 5; ///< 32 banks
inline constexpr int kWordBytes = 4;

struct AccessCost {
  int64_t wavefronts = 0; ///< per access of a warp
  int64_t best = 0;       ///< without bank conflicts
  int64_t accesses = 0;   ///< per warp for the whole tile

  int64_t total() const { return wavefronts * accesses; }
  bool isConflictFree() const { return wavefronts == best; }
};

/// The number of lane bits that are served at the same time in an access of this width.
int concurrentLaneBits(int64_t bytesPerLane);

/// The cost of an access to shared memory. `offsets` maps (register, lane, ...) to (offset); see offsetsOf.
AccessCost costOfAccess(const LinearLayout &offsets, const VectorAccess &access, int elementBits);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_BANKCONFLICTS_H
