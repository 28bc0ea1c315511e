// Tables of instructions of NVIDIA's GPUs: rows of Instructions.h, and the architectures that support them.

#ifndef TILEWRIGHT_HARDWARE_NVIDIAINSTRUCTIONS_H
#define TILEWRIGHT_HARDWARE_NVIDIAINSTRUCTIONS_H

#include "tilewright/Hardware/Nvidia.h"

namespace tilewright::hardware {

template <typename Instruction> struct NvidiaRow : Instruction {
  NvidiaTargets targets = 0;
  int ptxVersion = 0; ///< required PTX version, if later than the target's
};
template <typename Instruction> using NvidiaTable = std::vector<NvidiaRow<Instruction>>;

/// mma.sync.aligned
const NvidiaTable<MmaInstruction> &mmaInstructions();

/// ldmatrix and stmatrix
const NvidiaTable<MatrixMove> &matrixMoves();

/// cp.async, .cg if it bypasses the L1 cache and .ca otherwise
const NvidiaTable<AsyncCopy> &asyncCopies();

/// atom.add
const NvidiaTable<AtomicAdd> &atomicAdds();

/// cvt of pairs
const NvidiaTable<PairConversion> &pairConversions();

/// All fragments of mma.sync follow one pattern, with 32-bit words of e = 32 / bits elements (64-bit elements count as
/// words). Four lanes share a row of A, a column of B and a row of C; eight such groups cover consecutive rows:
///
///     A, m16 x k(8e)                          C, m16 x n8
///            k 0..e-1   e..   2e..  3e..             n 0    1    2    3    4    5    6    7
///     m 0    T0:0..     T1    T2    T3          m 0    T0:0 T0:1 T1:0 T1:1 T2:0 T2:1 T3:0 T3:1
///       1    T4         T5    T6    T7            1    T4:0 T4:1 T5:0 ...
///       ...                                       ...
///       8    T0:e..     T1 ...                    8    T0:2 T0:3 T1:2 ...
///
///     and k 4e..8e-1 in the words that follow. B is the same with k down and n across,
///     and has no second group of eight.
///
/// `elementBits` matters for A and B.
layout::LinearLayout mmaFragment(layout::Operand operand, layout::MmaShape shape, int elementBits);

/// wgmma.mma_async.sync.aligned
using WgmmaInstruction = NvidiaRow<GroupMmaInstruction>;
const NvidiaTable<GroupMmaInstruction> &wgmmaInstructions();

/// One warp group's fragment, C or A: four warps on top of each other, each with a fragment of mma.sync of 16 rows.
layout::LinearLayout wgmmaFragment(layout::Operand operand, layout::MmaShape shape, int elementBits);

/// layout::mmaOperand for wgmma: warps[0] must be a multiple of four, the warps of a warp group.
layout::LinearLayout wgmmaOperand(layout::Operand operand, const layout::LinearLayout &fragment,
                                  const layout::Shape &shape, const layout::Shape &warps);

} // namespace tilewright::hardware

#endif // TILEWRIGHT_HARDWARE_NVIDIAINSTRUCTIONS_H
