// How far pointers are from the argument that they are derived from, in bytes.

#ifndef TILEWRIGHT_ANALYSIS_POINTEROFFSETS_H
#define TILEWRIGHT_ANALYSIS_POINTEROFFSETS_H

#include "tilewright/Analysis/IndexRanges.h"

#include <optional>

namespace tilewright {

/// On a load or store of tiles: where the mask is true, each element is 0 to kMostOffset bytes behind the one argument
/// of the kernel that the pointers are derived from, and so is its last byte. See the pass mark-small-offsets. On an
/// addition to pointers, the same of all elements of its result.
constexpr llvm::StringLiteral kSmallOffsetsAttr = "tile.small_offsets";
/// Instructions that check offsets take larger ones for those of elements that are masked out.
constexpr int64_t kMostOffset = (int64_t(1) << 31) - 2;

class PointerOffsets {
public:
  /// Adds steps to `ranges`, which must be those of the function.
  explicit PointerOffsets(IndexRanges &ranges) : ranges(ranges) {}

  struct Offset {
    mlir::BlockArgument base; ///< an argument of the function
    int step;                 ///< of 64 bits: the distance from it; for a tile, of all its elements
  };

  /// Nothing if the pointer is not derived from one argument, or not by operations that the analysis knows.
  std::optional<Offset> get(mlir::Value pointer);

private:
  std::optional<Offset> compute(mlir::Value pointer);
  std::optional<Offset> join(mlir::ValueRange sources);
  std::optional<Offset> carried(mlir::scf::ForOp loop, unsigned index);

  IndexRanges &ranges;
  llvm::DenseMap<mlir::Value, std::optional<Offset>> known;
};

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_POINTEROFFSETS_H
