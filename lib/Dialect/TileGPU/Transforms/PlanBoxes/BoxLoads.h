// Loads of loops that copies of boxes can do instead: those whose values only dots of warp groups read, from a
// buffer.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_BOXLOADS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_BOXLOADS_H

#include "MapBuilder.h"

#include "tilewright/Analysis/ReadOnlyMemory.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tilegpu {

/// A load that can be a copy of boxes.
struct BoxLoad {
  tile::LoadOp load;
  Box box;
  int64_t map;
  BufferType buffer; ///< to which the boxes are copied
};

/// Why boxes can't be copied instead of a load.
struct BoxObstacle {
  tile::LoadOp load;
  std::string reason;
};

/// The boxes of these loads of the loop, and their maps; none, and no maps, if one of them can't be a copy of boxes.
/// `obstacle` is the first one, then.
std::optional<std::vector<BoxLoad>> findBoxLoads(mlir::scf::ForOp loop, llvm::ArrayRef<tile::LoadOp> loads,
                                                 const ReadOnlyMemory &readOnly, MapBuilder &maps,
                                                 BoxObstacle &obstacle);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_BOXLOADS_H
