// Whether instructions that move matrices between the lanes of a warp and rows in shared memory
// (ldmatrix, stmatrix) do what a layout asks for.
//
// Such an instruction takes one address from each lane, that of a row of 16 bytes, and gives
// each lane elements of several rows. Which ones is its fragment: (register, lane) -> (row, element
// in it). Take the 8 x 8 matrix of 16-bit elements:
//
//     register  1 -> (0, 1)                            the layout's offsets must be      addresses
//     lane      1 -> (0, 2)  2 -> (0, 4)               1, and 2, 4: inside a row
//               4 -> (1, 0)  8 -> (2, 0)  16 -> (4, 0) any multiples a, b, c of a row    lane 1, 2, 4 -> a, b, c
//
// The rows may lie anywhere. So lanes that count elements have to be where the fragment has
// them, and where lanes or registers count rows, their offsets are those of the lanes that give addresses.

#ifndef TILEWRIGHT_LAYOUT_MATRIXACCESS_H
#define TILEWRIGHT_LAYOUT_MATRIXACCESS_H

#include "tilewright/Layout/VectorAccess.h"

#include <optional>

namespace tilewright::layout {

struct MatrixAccess {
  /// The registers of one instruction, in the order of the fragment's. Not a vector in memory; see registersOf.
  VectorAccess registers;
  /// (register, lane, warp) -> (offset): the row that a lane names for the instruction that begins with a register.
  LinearLayout rows;
};

/// `offsets` maps (register, lane, warp) to (offset), in elements; `fragment` (register, lane) to (row, element).
std::optional<MatrixAccess> matchMatrixAccess(const LinearLayout &offsets, const LinearLayout &fragment);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_MATRIXACCESS_H
