// Stores and reductions by copies of boxes from shared memory: of tiles that are there already to change their layout,
// that threads would store in short pieces of rows, or that they would combine with memory in many atomics.
//
//     local_store %x, %b                       local_store %x, %c                    %c in the layout of boxes
//     %y = local_load %b              =        box_store 0[%column, %row] of %array from %c
//     tile.store %p, %y mask %m                box_store_wait %c
//
// If each warp group copies rows of its own, it does so in parts of some columns, each with a slot of the buffer.
//
// A reduction is a relaxed atomic whose result is not used. Unlike stores, reductions are found in pipelined loops,
// too.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_BOXSTORES_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_BOXSTORES_H

#include "MapBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::tilegpu {

/// A store, or a reduction, that becomes a copy of boxes.
struct BoxStore {
  tile::MemoryAccessOpInterface access;
  mlir::Value value;           ///< what is stored, before it takes another layout
  mlir::RankedTensorType part; ///< the first of the parts in which it is stored
  BufferType buffer;           ///< from which boxes are copied; each part has a slot
  int contiguous;              ///< the dimension along which memory is contiguous, and along which the parts lie
  Box box;
  int64_t map;
  bool isByGroups; ///< whether each warp group copies the rows that it holds
  bool isApart;    ///< whether no two of these groups ever write the same element, or their order does not matter
};

/// The stores outside of pipelined loops, and the reductions, that can be copies of boxes. Adds their maps.
std::vector<BoxStore> findBoxStores(mlir::func::FuncOp function, MapBuilder &maps);

void storeByBoxes(llvm::ArrayRef<BoxStore> stores);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_BOXSTORES_H
