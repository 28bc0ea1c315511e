// How operations relate the layouts of what they take and what they give.
//
// An operation moves nothing between threads unless it is a conversion, a reduction, a
// scan, a gather or a matrix instruction: each thread makes its part of the result from
// its part of the operands. So the layout on one side follows from the other:
//
//     elementwise, load, store     all the same
//     expand_dims                  operand = result without the dimension
//     broadcast                    operand = result, its repeated elements once per thread
//     trans, reshape               the same elements in the same registers
//     join, split, cat             the new dimension's bit is a register
//     reduce                       result = operand without the dimension
//     splat, make_range, constant  any layout costs nothing

#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_LAYOUTRULES_H
#define TILEWRIGHT_DIALECT_TILEGPU_IR_LAYOUTRULES_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include <optional>

namespace tilewright::tilegpu {

/// The layout that the operation's results have if its operand `operand` is laid out as `map`; none where the
/// operation leaves that open (a store has no result, a gather's source may lie anywhere).
std::optional<layout::LinearLayout> resultLayout(mlir::OpOperand &operand, const layout::LinearLayout &map);

/// The layout that an operand has to have for results laid out as `map`; none where that is
/// not determined (reduce) or there is no such layout (split, where the last dimension crosses threads).
std::optional<layout::LinearLayout> operandLayout(mlir::OpOperand &operand, const layout::LinearLayout &map);

/// Whether all tiles of the operation lie alike: elementwise operations, accesses to memory.
bool keepsLayout(mlir::Operation *op);

/// Whether the operation works in any layout, with the rules above telling that of each tile from that of another:
/// matrix instructions do not, nor does what this dialect does not know.
bool worksInAnyLayout(mlir::Operation *op);

/// Whether a tile operand is used as it lies, whatever its layout: print, assert, a gather's source, local_store.
bool takesAnyLayout(mlir::OpOperand &operand);

/// Checks that all tiles below `op` have layouts of the module's threads, and that these keep the
/// rules above; says on the offending operation what does not fit.
mlir::LogicalResult verifyLayouts(mlir::Operation *op);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECT_TILEGPU_IR_LAYOUTRULES_H
