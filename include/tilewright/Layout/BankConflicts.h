// The cost of a warp's access to shared memory.
//
// Shared memory has 32 banks of 4 bytes; word w lies in bank w % 32. One wavefront
// serves each bank with one word; lanes that want the same word share it. A lane that
// accesses 8 bytes takes part in the first or second half of the warp's access, one
// with 16 bytes in one of four quarters:
//
//     bytes a lane   lanes at a time   wavefronts at best
//        1, 2, 4            32               1
//           8               16               2
//          16                8               4
//
//     lanes 0, 1, 2, ... at words 0, 32, 64, ...:  all in bank 0, 32 wavefronts
//     lanes 0, 1, 2, ... at words 0, 33, 66, ...:  all different, 1 wavefront
//
// As addresses are linear over GF(2), every bank gets the same number of words, and
// the number is 2^(rank of the lanes' words - rank of their banks).

#ifndef TILEWRIGHT_LAYOUT_BANKCONFLICTS_H
#define TILEWRIGHT_LAYOUT_BANKCONFLICTS_H

#include "tilewright/Layout/VectorAccess.h"

namespace tilewright::layout {

inline constexpr int kBankBits = 5; ///< 32 banks
inline constexpr int kWordBytes = 4;

struct AccessCost {
  int64_t wavefronts = 0; ///< of one access of one warp
  int64_t best = 0;       ///< without conflicts
  int64_t accesses = 0;   ///< that each warp makes for the whole tile

  int64_t total() const { return wavefronts * accesses; }
  bool isConflictFree() const { return wavefronts == best; }
};

/// Lane bits that take part at the same time in an access of this width.
int concurrentLaneBits(int64_t bytesPerLane);

/// `offsets` maps (register, lane, ...) to (offset); see offsetsOf.
AccessCost costOfAccess(const LinearLayout &offsets, const VectorAccess &access, int elementBits);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_BANKCONFLICTS_H
