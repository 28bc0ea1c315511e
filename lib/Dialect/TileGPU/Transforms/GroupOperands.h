// The operands of group_mma: where they come from, and in which order they stand in shared memory.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_GROUPOPERANDS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_GROUPOPERANDS_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

namespace tilewright::tilegpu {

/// An operand before the transpositions and layout conversions that lead to it, which a buffer makes unnecessary.
struct OperandSource {
  mlir::Value tile;
  bool isTransposed = false;
  std::optional<int> fastest; ///< the tile's dimension along which it is adjacent in global memory, if it is loaded

  explicit OperandSource(mlir::Value operand);

  /// The tile's dimension that is dimension `dim` of the operand.
  int dimOf(int dim) const { return isTransposed ? 1 - dim : dim; }
};

/// On a group_mma whose A `stage-group-operands` is to move to registers.
inline constexpr llvm::StringLiteral kMovesToRegistersAttr = "tilegpu.a_moves_to_registers";

/// Whether the operand is converted element by element from a loaded tile of fewer bits. The loaded tile can be copied
/// to shared memory asynchronously, and converted in the registers to which threads load it from there.
bool isWidened(mlir::Value operand);

/// The bytes of the swizzle of a buffer with rows of this size; none if they are too short for a swizzle.
std::optional<int> swizzleOf(int64_t rowBytes);

/// A buffer for the tile in the layout in which warp groups read it and boxes are copied, with rows along the
/// dimension; null if it is no matrix, or its rows are too short.
BufferType groupBuffer(mlir::RankedTensorType tile, int along);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_GROUPOPERANDS_H
