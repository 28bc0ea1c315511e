// How a tile changes its layout: with nothing, by renaming registers, by shuffles
// between the lanes of a warp, or through shared memory.
//
// Every element of the result is looked up in the source. The lookup is linear,
// (register, lane) -> (register, lane) of the source, and splits into three moves
// that the machine has, each a shear of the space (register x lane):
//
//     before    each thread reorders its registers, depending on its lane
//     shuffle   register q comes from lane ^ flips[q]: one shuffle per register
//     after     each thread reorders its registers again
//
// Exchanging a register bit with a lane bit, 2 registers on 2 lanes (rows are lanes):
//
//        source      before: lane 1     shuffle: register 1    after: lane 1
//                    swaps              from lane ^ 1          swaps
//        a b           a b                a c                    a c
//        c d           d c                d b                    b d
//
// Only half of the registers have to cross, and so in general: k exchanged bits cost
// n (1 - 2^-k) shuffles of n registers. Where few lanes hold what many need, more
// registers may come out of the shuffles than the result has.

#ifndef TILEWRIGHT_LAYOUT_CONVERSION_H
#define TILEWRIGHT_LAYOUT_CONVERSION_H

#include "tilewright/Layout/LinearLayout.h"

namespace tilewright::layout {

enum class ConversionKind {
  None,      ///< the same registers
  Registers, ///< each thread has what it needs
  Lanes,     ///< each warp has what its lanes need: shuffles
  Shared,    ///< warps exchange: shared memory (ChooseSwizzle.h)
  Cluster,   ///< blocks exchange
};

/// result[r] = source[base[r] ^ the flips of all bits that are set in the thread's index]
struct RegisterMove {
  std::vector<int> base;
  std::vector<int> flips; ///< per bit of the thread: those of lane, warp, block in this order

  bool isIdentity() const;
  int sourceOf(int reg, uint64_t thread) const;
};

/// Register r comes from the lane that is flips[r] ^ the lanes of all bits that are set in the thread's index.
struct LaneMove {
  std::vector<int> flips;
  std::vector<int> lanes; ///< per bit of the thread, as above; {1, 2, 4, 8, 16, 0, ...} leaves lanes alone
  int laneBits = 0;       ///< how many of these bits are lane bits

  /// Sources are lane ^ constant: the butterfly form of the shuffle.
  bool isButterfly() const;
  int sourceOf(int reg, uint64_t thread) const;
};

struct ConversionPlan {
  ConversionKind kind = ConversionKind::Shared;

  // The moves, in this order, for None, Registers and Lanes.
  RegisterMove before;
  LaneMove shuffle;
  RegisterMove after;

  /// Registers that cross lanes.
  int shuffles() const;
  /// Register moves that depend on the thread: one select per register and flip.
  int selects() const;
};

/// Both layouts are distributed, of the same tile over the same lanes, warps and blocks.
ConversionPlan planConversion(const LinearLayout &from, const LinearLayout &to);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_CONVERSION_H
