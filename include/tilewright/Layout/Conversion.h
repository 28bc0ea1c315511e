// Plans the conversion of a tile to another layout: without any code, by renaming registers, by shuffles between the
// lanes of a warp, or through shared memory.
//
// A linear map from the (register, lane) of each element of the result to the (register, lane) of the source is split
// into three moves that the hardware supports, each a shear of the space (register x lane):
//
//     before    each thread permutes its registers, depending on its lane
//     shuffle   register q comes from lane ^ xorMasks[q]: one shuffle per register
//     after     each thread permutes its registers again
//
// Exchanging a register bit with a lane bit, 2 registers on 2 lanes (rows are lanes):
//
//        source      before: lane 1     shuffle: register 1    after: lane 1
//                    swaps              from lane ^ 1          swaps
//        a b           a b                a c                    a c
//        c d           d c                d b                    b d
//
// Only half of the registers need a shuffle. In general, exchanging k bits takes n (1 - 2^-k) shuffles for n registers.
// If few lanes hold elements that many lanes need, the shuffles may have more result registers than the tile.

#ifndef TILEWRIGHT_LAYOUT_CONVERSION_H
#define TILEWRIGHT_LAYOUT_CONVERSION_H

#include "tilewright/Layout/LinearLayout.h"

namespace tilewright::layout {

enum class ConversionKind {
  None,      ///< the same registers
  Registers, ///< moves registers within each thread
  Lanes,     ///< moves elements within each warp: shuffles
  Shared,    ///< moves elements between warps: shared memory (ChooseSwizzle.h)
  Cluster,   ///< moves elements between thread blocks
};

/// result[r] = source[base[r] ^ the xor masks of all bits that are set in the thread's index]
struct RegisterMove {
  std::vector<int> base;
  std::vector<int> xorMasks; ///< xor mask per bit of the thread index: lane, warp, block

  bool isIdentity() const;
  int sourceOf(int reg, uint64_t thread) const;
};

/// Register r comes from lane xorMasks[r] ^ the lanes of all bits that are set in the thread's index.
struct LaneMove {
  std::vector<int> xorMasks;
  std::vector<int> lanes; ///< per bit of the thread index, as above; {1, 2, 4, 8, 16, 0, ...} is the identity
  int laneBits = 0;       ///< how many of these bits are lane bits

  /// Whether sources are lane ^ constant: the butterfly form of the shuffle.
  bool isButterfly() const;
  int sourceOf(int reg, uint64_t thread) const;
};

struct ConversionPlan {
  ConversionKind kind = ConversionKind::Shared;

  // The moves, in this order, for None, Registers and Lanes.
  RegisterMove before;
  LaneMove shuffle;
  RegisterMove after;

  /// The number of registers that are shuffled.
  int shuffles() const;
  /// The number of selects for register moves that depend on the thread: one per register and xor mask.
  int selects() const;
};

/// Both layouts are distributed layouts of the same tile over the same lanes, warps and blocks.
ConversionPlan planConversion(const LinearLayout &from, const LinearLayout &to);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_CONVERSION_H
