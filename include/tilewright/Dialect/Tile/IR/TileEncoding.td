// The interface of encodings of tiles.

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEENCODING_TD
#define TILEWRIGHT_DIALECT_TILE_IR_TILEENCODING_TD

include "mlir/IR/OpBase.td"

def Tile_EncodingAttrInterface : AttrInterface<"EncodingAttrInterface"> {
  let description = [{
    An encoding of tiles from which operations that change the shape of a tile infer the encoding of their result. The
    encoding of the tilegpu dialect, a layout, has a model in LayoutRules.cpp. Operations on tiles without an encoding
    have results without one.

    Each method returns the encoding of the result of one operation, or null if this encoding does not determine it.
    The operation is then an error, since its result would lose the encoding. The arguments fit the shape of a tile with
    this encoding: the operation has checked them.
  }];
  let cppNamespace = "::tilewright::tile";
  let methods = [
    InterfaceMethod<"With a new dimension of size 1 before `axis`.", "::mlir::Attribute", "expandDims",
                    (ins "int64_t":$axis)>,
    InterfaceMethod<"Reduced along `axis`.", "::mlir::Attribute", "reduce", (ins "int64_t":$axis)>,
    InterfaceMethod<"Dimension i of the result is dimension `order[i]`.", "::mlir::Attribute", "permute",
                    (ins "::llvm::ArrayRef<int32_t>":$order)>,
    InterfaceMethod<"With the same elements in row-major order in another shape.", "::mlir::Attribute", "reshape",
                    (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<"Two tiles stacked along a new last dimension.", "::mlir::Attribute", "join">,
    InterfaceMethod<"One half of a tile that is split along its last dimension.", "::mlir::Attribute", "split">,
    InterfaceMethod<"Two tiles one after the other along dimension 0.", "::mlir::Attribute", "concatenate">,
    InterfaceMethod<"Repeated along the dimensions in which the tile has size 1.", "::mlir::Attribute", "broadcast",
                    (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<"Whether a tile with this encoding can be broadcast to one with the encoding `result`.", "bool",
                    "broadcastsTo", (ins "::mlir::Attribute":$result)>
  ];
}

#endif
