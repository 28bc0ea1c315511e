// Dots by matrix instructions of groups of warps, which read operands from shared memory.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_CHOOSEMMA_GROUPMMA_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_CHOOSEMMA_GROUPMMA_H

#include "DotLayouts.h"

namespace tilewright::tilegpu {

struct DotTypes {
  hardware::ElementType a, b, accumulator;
};

/// How groups of warps compute a dot.
struct GroupDot {
  const hardware::GroupMmaInstruction *row;
  bool registerA; ///< A stays in registers, in the layout `a`
  layout::LinearLayout a, accumulator;
  std::optional<int64_t> partialK; ///< see PartialSums.h
};

/// None if the target has no such instruction for the dot. With `registerA`, warps are placed along M first, as those
/// of the dot from whose result A is computed.
std::optional<GroupDot> planGroupDot(tile::DotOp dot, const DotShape &shape, const DotTypes &types, bool registerA,
                                     bool rowsOnly);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_CHOOSEMMA_GROUPMMA_H
