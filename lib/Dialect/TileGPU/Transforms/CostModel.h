// What it costs to have a tile in one layout or another: the one model for all passes that choose.
//
// A cost is how long a program keeps its multiprocessor busy, in quarters of a cycle, as if its units took turns:
//
//     a warp's instruction on 32-bit floats   1      128 lanes a cycle
//     on integers                             2      64
//     a shuffle                               4      32
//     a wavefront of shared memory            4      128 bytes
//     a line of the first-level cache         4      128 bytes, one tag
//     a sector written to the second level    6      what a multiprocessor's part of its bandwidth comes to
//
// Only differences between layouts matter, so what all have alike is left out: the latency of memory, its traffic.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_COSTMODEL_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_COSTMODEL_H

#include "AccessFacts.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

namespace tilewright::tilegpu {

using Cost = int64_t;

/// An access to global memory by the threads of the layout.
Cost accessCost(const AccessFacts &facts, const layout::LinearLayout &map);

/// The costs of a function's operations. They are kept: many are asked for again and again.
class CostModel {
public:
  explicit CostModel(mlir::Operation *root);

  Cost conversion(mlir::Type element, LayoutAttr from, LayoutAttr to);

  /// One execution of `op`, the tiles it works on (of a reduction: its operands) being laid out as `layout`.
  Cost operation(mlir::Operation *op, LayoutAttr layout);

  /// How often a block runs, in sixteenths: loops of unknown length count as 16 rounds, a branch as half.
  Cost times(mlir::Block *block);
  static constexpr Cost kOnce = 16;

private:
  /// What a conversion moves, whatever the elements are.
  struct Moves {
    int64_t shuffles = 0, selects = 0; ///< of all warps, one per register
    bool isShared = false;
    int64_t vector = 0; ///< elements that threads write and read at once
  };
  const Moves &movesOf(LayoutAttr from, LayoutAttr to);
  Cost computeOperation(mlir::Operation *op, const layout::LinearLayout &map);

  llvm::DenseMap<mlir::Operation *, AccessFacts> accesses;
  llvm::DenseMap<std::pair<LayoutAttr, LayoutAttr>, Moves> conversions;
  llvm::DenseMap<std::pair<mlir::Operation *, LayoutAttr>, Cost> operations;
  llvm::DenseMap<mlir::Block *, Cost> blocks;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_COSTMODEL_H
