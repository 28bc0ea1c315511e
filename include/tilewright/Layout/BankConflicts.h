// The cost of a warp's access to shared memory.
//
// Shared memory consists of banks, which are one word wide; word w is in bank w % banks. One wavefront serves one word
// per bank; lanes that access the same word share it. If the lanes of a warp together access more words than there are
// banks, the access is served in parts, of consecutive lanes each. With 32 lanes and 32 banks of 4 bytes, an access of
// 8 bytes per lane is served in two halves of the warp, one of 16 bytes in four quarters:
//
//     bytes/lane     lanes at a time   minimum wavefronts
//        1, 2, 4            32               1
//           8               16               2
//          16                8               4
//
//     lanes 0, 1, 2, ... at words 0, 32, 64, ...:  all in bank 0, 32 wavefronts
//     lanes 0, 1, 2, ... at words 0, 33, 66, ...:  all different, 1 wavefront
//
// Some memories serve lanes of a wide load in another order. AMD's CDNA serves a load of 16 bytes in groups of eight
// lanes such as 0-3 and 20-23: those that the lanes 1, 2 and 20 span by exclusive or.
//
// As addresses are linear over GF(2), every accessed bank serves the same number of words, 2^(rank of the lanes' words
// - rank of their banks).

#ifndef TILEWRIGHT_LAYOUT_BANKCONFLICTS_H
#define TILEWRIGHT_LAYOUT_BANKCONFLICTS_H

#include "tilewright/Layout/VectorAccess.h"

#include <array>

namespace tilewright::layout {

/// The shared memory of a GPU, as a warp accesses it. The numbers are powers of two.
struct SharedMemoryBanks {
  int64_t lanes;       ///< of a warp
  int64_t banks;       ///< served in parallel
  int64_t bankBytes;   ///< the width of a bank: one word
  int64_t widestBytes; ///< the widest access of a lane
  /// The order in which lanes are served in loads of the widest width: the lane at position p is the exclusive or of
  /// the entries at p's bits. Other accesses serve them by their number.
  std::array<uint8_t, 6> widestLoadOrder = kByNumber;

  static constexpr std::array<uint8_t, 6> kByNumber = {1, 2, 4, 8, 16, 32};

  /// The number of lanes that are served at a time.
  int64_t lanesAtATime(int64_t bytesPerLane) const;
  const std::array<uint8_t, 6> &order(int64_t bytesPerLane, bool isLoad) const {
    return isLoad && bytesPerLane == widestBytes ? widestLoadOrder : kByNumber;
  }
};

struct AccessCost {
  int64_t wavefronts = 0; ///< per access of a warp
  int64_t best = 0;       ///< without bank conflicts
  int64_t accesses = 0;   ///< per warp for the whole tile

  int64_t total() const { return wavefronts * accesses; }
  bool isConflictFree() const { return wavefronts == best; }
};

/// The images of the lanes that one wavefront serves in an access of this width; `map` is from (register, lane, ...).
Columns lanesOfWavefront(const LinearLayout &map, int64_t bytesPerLane, const SharedMemoryBanks &memory,
                         bool isLoad = false);

/// The cost of an access to shared memory. `offsets` maps (register, lane, ...) to (offset); see offsetsOf.
AccessCost costOfAccess(const LinearLayout &offsets, const VectorAccess &access, int elementBits,
                        const SharedMemoryBanks &memory, bool isLoad = false);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_BANKCONFLICTS_H
