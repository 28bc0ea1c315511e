// How operations are emitted for the CPU. An operation has a model of EmissionOpInterface (lib/Conversion/TileToVector)
// that says where the operation is computed and emits it. Plan.h explains the placements.
//
//     elementwise (arith, math, ...)    no model: lazy on tiles; an operation on vectors at each point
//     addptr, pointer casts, select     the same, with their own code for a vector: `apply`
//     splat, ranges, views, hints       free: `evaluate` evaluates the source at another point
//     load, gather, split               lazy: `evaluate`
//     store, reduce                     sinks: `emitAt`
//     dot, scan, join, loops, ...       materialized: `emit`

#ifndef TILEWRIGHT_CONVERSION_TILETOVECTOR_EMISSION_H
#define TILEWRIGHT_CONVERSION_TILETOVECTOR_EMISSION_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OpDefinition.h"

namespace tilewright::cpu {

class Emitter;
struct Point;

/// Where an operation is computed.
enum class Placement {
  Free,         ///< at each point where it is needed; takes no instructions of its own
  Lazy,         ///< inside the nests that need its result
  Sink,         ///< at each point of a nest over the shape of its first operand
  Materialized, ///< as one step, in program order
};

/// How an operation reads a tile operand.
enum class OperandUse {
  AtPoints, ///< evaluates it at points
  Copied,   ///< copies it as a whole, from scratch memory if this block computes it
  InMemory, ///< reads scratch memory, which must have the complete tile
};

/// The defaults of EmissionOpInterface.
namespace detail {
mlir::Value evaluateElementwise(Emitter &emitter, mlir::OpResult result, const Point &point);
llvm::SmallVector<mlir::Value> applyToLanes(Emitter &emitter, mlir::Operation *op,
                                            llvm::SmallVector<mlir::Value> operands, int64_t width);
llvm::LogicalResult emitScalar(Emitter &emitter, mlir::Operation *op);
} // namespace detail

} // namespace tilewright::cpu

#include "tilewright/Conversion/TileToVector/Emission.h.inc"

namespace tilewright::cpu {

/// Attaches the models to the operations of the tile dialect, arith and scf.
void registerEmission(mlir::DialectRegistry &registry);

/// The placement of an operation, by its model or the default.
Placement getPlacement(mlir::Operation *op);

/// How the operation reads the operand, by its model or the default.
OperandUse getOperandUse(mlir::OpOperand &operand);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CONVERSION_TILETOVECTOR_EMISSION_H
