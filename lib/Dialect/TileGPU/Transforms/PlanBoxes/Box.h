// A load or store as a copy of boxes: a tile whose addresses are those of a box of an array, and whose mask is true
// inside of the array's extents.
//
//     x + (rows + i0) * stride + k + i1,  rows + i0 < M  and  k + i1 < K
//
//     dimension   stride   start   extent      a tile of 64 x 32:  box = [32, 64]
//     0           1        k       K
//     1           stride   rows    M
//
// An array has further dimensions for what is added to addresses beyond the tile's own: `%head * %N * stride`, where
// rows end at N, is a dimension with this stride and the start %head. A condition `%head < H` of the mask is its
// extent. Strides and extents are known at launch. A dimension without a mask has as many elements as coordinates can
// count.
//
// Remainders are taken for their dividends. Launches check that nothing wraps, or nothing sees what does: then it is
// beyond the extents.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_BOX_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_BOX_H

#include "UnseenWraps.h"

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

namespace tilewright::tilegpu {

/// Whether each launch has one value of the scalar: an argument of the kernel.
bool isKnownAtLaunch(mlir::Value scalar);

/// A dimension of the array.
struct BoxDimension {
  IndexProduct stride;            ///< in elements
  IndexSum start;                 ///< of the box
  std::optional<IndexSum> extent; ///< none without a mask
  int64_t size = 1;               ///< of the box
  int64_t span = 1;               ///< of the tile, which may be several boxes
  bool isMaskedBelow = false;     ///< the mask is false where coordinates are negative
};

struct Box {
  mlir::BlockArgument base;
  llvm::SmallVector<BoxDimension, 3> dimensions; ///< the innermost first
  int64_t swizzle = 0;                           ///< in bytes
  std::optional<IndexSum> endOfRow;              ///< what launches must find to be at most the stride of a row
  llvm::SetVector<mlir::Value> arithmetic;       ///< whose results must not wrap
  llvm::SmallVector<IndexRemainder> remainders;  ///< of which nothing may wrap
  llvm::SmallVector<IndexRemainder> unseen;      ///< of which nothing sees what wraps

  /// The reason if the buffer's rows are along another dimension than those of the array.
  static constexpr llvm::StringLiteral kNotAlongRows =
      "its elements are not adjacent along the dimension of the buffer's rows, or the other stride is not known at "
      "launch";

  /// The box that the load reads into such a buffer, or that a store writes from it; none if the addresses or the mask
  /// are no box's, or if the buffer has another layout than that in which boxes are copied. `why` gets the reason.
  static std::optional<Box> of(tile::MemoryAccessOpInterface access, BufferType buffer, std::string &why);

  /// Computes where the box begins, the innermost dimension first.
  llvm::SmallVector<mlir::Value> emitStart(mlir::OpBuilder &builder, mlir::Location loc) const;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_BOX_H
