// What operations of the tile dialect have in common.

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEINTERFACES_TD
#define TILEWRIGHT_DIALECT_TILE_IR_TILEINTERFACES_TD

include "mlir/IR/OpBase.td"

def Tile_MemoryAccessOpInterface : OpInterface<"MemoryAccessOpInterface"> {
  let description = [{
    An operation that goes to memory through a pointer, or through a tile of
    pointers, element by element.
  }];
  let cppNamespace = "::tilewright::tile";
  let methods = [
    InterfaceMethod<"The addresses.", "::mlir::Value", "getPtr">,
    InterfaceMethod<"Which elements take part; null if all do.", "::mlir::Value", "getMask", (ins), [{}],
                    [{ return {}; }]>
  ];
}

/// The result's elements are those of the only operand, at the same positions; see Tile.h.
def Tile_SameValues : NativeOpTrait<"SameValues"> {
  let cppNamespace = "::tilewright::tile";
}

#endif
