// The cost of layouts, in one model for all passes that choose them.
//
// A cost is how long a program occupies its multiprocessor, in quarters of a cycle, as if no two units worked at the
// same time:
//
//     a warp's instruction on 32-bit floats   1      128 lanes a cycle
//     on integers                             2      64
//     a shuffle                               4      32
//     a wavefront of shared memory            4      128 bytes
//     a line of the first-level cache         4      128 bytes, one tag
//     a sector written to the second level    6      a multiprocessor's share of the bandwidth
//
// Only differences between layouts matter, so the model omits what is the same for all of them: memory latency and
// traffic.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_COSTMODEL_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_COSTMODEL_H

#include "AccessProperties.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

namespace tilewright::tilegpu {

using Cost = int64_t;

/// The cost of an access to global memory by the threads of the layout.
Cost accessCost(const AccessProperties &properties, const layout::LinearLayout &map, const hardware::GpuInfo &target);

/// The costs of a function's operations, cached.
class CostModel {
public:
  explicit CostModel(mlir::Operation *root);

  Cost conversion(mlir::Type element, LayoutAttr from, LayoutAttr to);

  /// The cost of executing `op` once if its tiles (of a reduction: its operands) have the layout `layout`.
  Cost operation(mlir::Operation *op, LayoutAttr layout);

  /// How often a block executes, in sixteenths: an unknown trip count counts as 16, a branch as one half.
  Cost times(mlir::Block *block);
  static constexpr Cost kOnce = 16;

private:
  /// The data movement of a conversion, independent of the element type.
  struct Moves {
    int64_t shuffles = 0, selects = 0; ///< of all warps, one per register
    bool isShared = false;
    int64_t vector = 0; ///< elements that a thread writes and reads at once
  };
  const Moves &movesOf(LayoutAttr from, LayoutAttr to);
  Cost computeOperation(mlir::Operation *op, const layout::LinearLayout &map);

  const hardware::GpuInfo &target;
  llvm::DenseMap<mlir::Operation *, AccessProperties> accesses;
  llvm::DenseMap<std::pair<LayoutAttr, LayoutAttr>, Moves> conversions;
  llvm::DenseMap<std::pair<mlir::Operation *, LayoutAttr>, Cost> operations;
  llvm::DenseMap<mlir::Block *, Cost> blocks;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_COSTMODEL_H
