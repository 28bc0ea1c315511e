// How operations relate the layouts of their operands and results.
//
// Only conversions, reductions, scans, gathers and matrix instructions move data between threads. For every other
// operation, each thread computes its part of the result from its part of the operands, so the layout on one side
// follows from the layout on the other:
//
//     elementwise, load, store     the same layout everywhere
//     expand_dims                  operand = result without the dimension
//     broadcast                    operand = result, with replicated registers dropped
//     trans, reshape               the same elements in the same registers
//     join, split, cat             the new dimension's bit is a register
//     reduce                       result = operand without the dimension
//     splat, make_range, constant  any layout, at no cost
//
// An operation states its rule as a model of LayoutRuleOpInterface; the functions below add the default for elementwise
// operations and constants.

#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_LAYOUTRULES_H
#define TILEWRIGHT_DIALECT_TILEGPU_IR_LAYOUTRULES_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include <optional>

#include "tilewright/Dialect/TileGPU/IR/LayoutRules.h.inc"

namespace tilewright::tilegpu {

/// Attaches the models of LayoutRuleOpInterface to the operations of both dialects.
void attachLayoutRules(mlir::MLIRContext *context);

/// The layout of the operation's results if its operand `operand` has the layout `map`; none if the operand does not
/// determine it (a store has no result, a gather's source may have any layout).
std::optional<layout::LinearLayout> resultLayout(mlir::OpOperand &operand, const layout::LinearLayout &map);

/// The layout that the operand needs for results with the layout `map`; none if it is not determined (reduce) or does
/// not exist (join, if the last dimension is not in registers).
std::optional<layout::LinearLayout> operandLayout(mlir::OpOperand &operand, const layout::LinearLayout &map);

/// Whether all tiles of the operation have the same layout: elementwise operations, memory accesses.
bool keepsLayout(mlir::Operation *op);

/// Whether the operation supports any layout, with the rules above deriving the layout of one tile from another's.
/// Matrix instructions and operations unknown to this dialect do not.
bool worksInAnyLayout(mlir::Operation *op);

/// Whether the operation accepts this operand in any layout: print, assert, a gather's source, local_store.
bool takesAnyLayout(mlir::OpOperand &operand);

/// Whether a thread combines the same element of each tile operand, so that they must have the same layout. The rules
/// for results do not imply that: a store has no result, and the result of a reduction does not determine the layout
/// along the reduced axis.
bool needsEqualOperands(mlir::Operation *op);

/// Whether the layout of the operands determines that of the results, but not the other way round: reductions.
bool isLabeledByOperand(mlir::Operation *op);

/// Whether the operation may be repeated in another layout: it moves no elements between threads.
bool isRepeatable(mlir::Operation *op);

/// Checks that all tiles below `root` have layouts for the module's number of threads, and that the layouts satisfy the
/// rules above. Emits an error on the offending operation.
mlir::LogicalResult verifyLayouts(mlir::Operation *root);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECT_TILEGPU_IR_LAYOUTRULES_H
