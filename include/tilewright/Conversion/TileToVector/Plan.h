// How the operations of one block become loop nests.
//
// A nest is a set of loops over one shape. Its *sinks* are the stores, reductions and tiles to keep in scratch memory
// that it computes. The operands of a sink are computed at each point of the nest, in registers:
//
//     x = load p                  nest [1024] reduce 0
//     m = reduce max x              keep x, reduce m
//     e = exp (x - m)             nest [1024] reduce 0
//     s = reduce add e              keep e, reduce s            (reads x)
//     store q, e / s              nest [1024]
//                                   store                       (reads e)
//
// An operation is placed by its kind (Placement in Emission.h):
// - *sinks* (stores, reductions) end a nest;
// - *lazy* ones are computed inside the nests of the sinks that need them, and kept in scratch memory if a later nest
//   needs them again (loads, elementwise arithmetic). If they are *cheap*, index arithmetic on ranges, scalars and
//   tiles in memory, they are recomputed at each use; *free* ones (views) cost nothing themselves;
// - *materialized* ones are one step each, in program order (dot, scan, loops).

#ifndef TILEWRIGHT_CONVERSION_TILETOVECTOR_PLAN_H
#define TILEWRIGHT_CONVERSION_TILETOVECTOR_PLAN_H

#include "tilewright/Conversion/TileToVector/MemoryOrder.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <memory>
#include <vector>

namespace tilewright::cpu {

/// A sink of a nest: a store or a reduction, or a tile to keep in memory.
struct Sink {
  mlir::Operation *op = nullptr; ///< tile.store or tile.reduce; null to keep `value`
  mlir::Value value;             ///< the tile to keep
};

struct Nest {
  llvm::SmallVector<int64_t> shape;
  int reduceAxis = -1;
  llvm::SmallVector<Sink> sinks;
};

/// Either one materialized operation or a nest.
struct Step {
  mlir::Operation *op = nullptr;
  std::unique_ptr<Nest> nest;
};

using Plan = std::vector<Step>;

bool isTile(mlir::Type type);
bool isTile(mlir::Value value);

/// Decides which tiles are recomputed at each use. The IR must not change during its lifetime.
class RematerializationCost {
public:
  /// Whether the tile takes a few operations of index arithmetic on ranges, scalars and tiles that are not cheap
  /// themselves; those are loaded from memory.
  bool isCheap(mlir::Value tile) const;

private:
  int costOf(mlir::Value tile) const;
  mutable llvm::DenseMap<mlir::Value, int> costs;
};

/// Whether the operation is computed inside the nests that need its result.
bool isLazy(mlir::Operation *op);

/// The tiles that a sink evaluates at each point.
llvm::SmallVector<mlir::Value> getTileOperands(const Sink &sink);

/// Groups the operations of `block` into nests and materialized operations. Tiles of other blocks and block arguments
/// are in memory already, or cheap.
Plan planBlock(mlir::Block &block, const MemoryOrder &memory, const RematerializationCost &rematerialization);

/// Prints a plan in the form shown above.
void printPlan(const Plan &plan, llvm::raw_ostream &os);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CONVERSION_TILETOVECTOR_PLAN_H
