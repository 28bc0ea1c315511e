// Layouts of distributed tiles under the operations that change a tile's shape.
//
// Their inputs are always (register, lane, warp, block), their outputs dim0, dim1, ...
// Registers hold no copies inside a thread: what would be one is dropped. Lanes and
// warps may hold copies of each other's elements (their bases are zero then).
//
//     fitToShape    (4, 4) tile on a (4, 8) shape     on a (2, 4) shape
//                     T0 T1 | T0 T1                     T0 T1    = T2 T3
//                     T2 T3 | T2 T3
//                   twice the registers               the same elements in two threads
//
//     dropDim(1)      T0 T1      T0 = T1     a thread with several elements of a row
//                     T2 T3      T2 = T3     keeps one register for it

#ifndef TILEWRIGHT_LAYOUT_SHAPE_H
#define TILEWRIGHT_LAYOUT_SHAPE_H

#include "tilewright/Layout/LinearLayout.h"

namespace tilewright::layout {

using Shape = std::vector<int64_t>;
/// Dimensions from the fastest to the slowest: {1, 0} is row-major.
using Order = std::vector<int>;

/// One element in one thread: the unit that distributed layouts are products of.
LinearLayout unitTile(int rank);

/// The sizes of the outputs.
Shape shapeOf(const LinearLayout &layout);

/// Row-major: {rank - 1, ..., 0}.
Order rowMajorOrder(int rank);

/// Repeats the layout over the shape with more registers, `order`'s dimensions
/// first, or cuts it where it is larger.
LinearLayout fitToShape(const LinearLayout &layout, const Shape &shape, const Order &order);

/// The tile of every block of a cluster beside each other, `counts` of them per dimension.
LinearLayout splitOverBlocks(const LinearLayout &layout, const Shape &counts, const Order &order);

/// Without the register bits that hold copies.
LinearLayout dropRepeatedRegisters(const LinearLayout &layout);

/// The result of a reduction along `dim`, or what to expand to get this layout: a slice.
LinearLayout dropDim(const LinearLayout &layout, int dim);

/// A dimension of size 1 before `dim`.
LinearLayout insertDim(const LinearLayout &layout, int dim);

/// Dimension i of the result is dimension permutation[i] of the layout.
LinearLayout transposed(const LinearLayout &layout, const std::vector<int> &permutation);

/// The same elements in row-major order under another shape.
LinearLayout reshaped(const LinearLayout &layout, const Shape &shape);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_SHAPE_H
