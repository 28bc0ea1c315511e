// Dots by matrix instructions of warp groups, which read operands from shared memory.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_CHOOSEMMA_GROUPMMA_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_CHOOSEMMA_GROUPMMA_H

#include "DotLayouts.h"

namespace tilewright::tilegpu {

struct DotTypes {
  hardware::ElementType a, b, accumulator;
};

/// The name of these instructions in stated decisions.
inline constexpr llvm::StringLiteral kGroupMmaChoice = "wgmma";

/// How warp groups compute a dot.
struct GroupDot {
  const hardware::GroupMmaInstruction *row;
  bool registerA;                      ///< A stays in registers, in the layout `a`
  bool movesToRegisters;               ///< A is loaded with fewer bits, and converted in registers
  bool isSwapped;                      ///< computes B^T by A^T, as a group_mma with `transposedC`
  layout::LinearLayout a, accumulator; ///< the dimensions are those of the dot, also if it is swapped
  std::optional<int64_t> partialK;     ///< see PartialSums.h
};

/// How a dot is related to others: by an A that is computed from another dot's result.
struct DotChain {
  bool isComputed = false; ///< its A is: A stays in registers
  bool isIn = false;       ///< its A is, or another one's from its result: warps are placed along M first
};

/// None if the target has no such instruction for the dot.
std::optional<GroupDot> planGroupDot(tile::DotOp dot, const DotShape &shape, const DotTypes &types, DotChain chain);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_CHOOSEMMA_GROUPMMA_H
