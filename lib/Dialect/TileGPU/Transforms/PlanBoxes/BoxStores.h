// Stores by copies of boxes from shared memory, where the tile is stored already to change its layout.
//
//     local_store %x, %b                       local_store %x, %c                    %c in the layout of boxes
//     %y = local_load %b              =        box_store 0[%column, %row] of %array from %c
//     tile.store %p, %y mask %m                box_store_wait %c

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_BOXSTORES_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_BOXSTORES_H

#include "MapBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::tilegpu {

/// A store that becomes a copy of boxes.
struct BoxStore {
  tile::StoreOp store;
  LocalStoreOp staged; ///< the tile in shared memory, for this store alone
  BufferType buffer;   ///< the type of buffer from which boxes are copied
  Box box;
  int64_t map;
  bool isByGroups; ///< whether each group of warps copies the rows that it holds
  bool isApart;    ///< whether no two of these groups ever write the same element
};

/// The stores outside of pipelined loops that can be copies of boxes. Adds their maps.
std::vector<BoxStore> findBoxStores(mlir::func::FuncOp function, MapBuilder &maps);

void storeByBoxes(llvm::ArrayRef<BoxStore> stores);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_BOXSTORES_H
