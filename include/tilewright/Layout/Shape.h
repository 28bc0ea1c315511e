// Layouts of distributed tiles under shape operations.
//
// The inputs are always (register, lane, warp, block), the outputs dim0, dim1, ... The registers of a thread hold no
// replicas, which are dropped. Lanes and warps may hold replicas of each other's elements (their bases are zero then).
//
//     fitToShape    (4, 4) tile on a (4, 8) shape     on a (2, 4) shape
//                     T0 T1 | T0 T1                     T0 T1    = T2 T3
//                     T2 T3 | T2 T3
//                   twice the registers               replicas in two threads
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

/// One element in one thread: the neutral element of products of distributed layouts.
LinearLayout unitTile(int rank);

/// The sizes of the outputs.
Shape shapeOf(const LinearLayout &layout);

/// Row-major: {rank - 1, ..., 0}.
Order rowMajorOrder(int rank);

/// Repeats the layout over the shape with additional registers, along the dimensions in `order`, and cuts dimensions
/// that are larger.
LinearLayout fitToShape(const LinearLayout &layout, const Shape &shape, const Order &order);

/// Places the tiles of the thread blocks of a cluster next to each other, `counts` of them per dimension.
LinearLayout splitOverBlocks(const LinearLayout &layout, const Shape &counts, const Order &order);

/// Drops the register bits that hold replicas.
LinearLayout dropRepeatedRegisters(const LinearLayout &layout);

/// The layout of the result of a reduction along `dim`, and of the operand of expand_dims: a slice.
LinearLayout dropDim(const LinearLayout &layout, int dim);

/// Inserts a dimension of size 1 before `dim`.
LinearLayout insertDim(const LinearLayout &layout, int dim);

/// Dimension i of the result is dimension permutation[i] of the layout.
LinearLayout transposed(const LinearLayout &layout, const std::vector<int> &permutation);

/// The layout with the same elements in row-major order and another shape.
LinearLayout reshaped(const LinearLayout &layout, const Shape &shape);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_SHAPE_H
