// What operations of the tile dialect have in common.

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEINTERFACES_TD
#define TILEWRIGHT_DIALECT_TILE_IR_TILEINTERFACES_TD

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/OpBase.td"

def Tile_MemoryAccessOpInterface : OpInterface<"MemoryAccessOpInterface"> {
  let description = [{
    An operation that goes to memory through a pointer, or through a tile of
    pointers, element by element.

    On the way to a GPU the pass `coalesce` decides once what is known of a tile's
    addresses, and writes it on the access, one power of two for each dimension:

    - `contiguity`: each aligned group of so many positions along the dimension holds
      consecutive addresses.
    - `vectorWidth`: each aligned group of so many positions may be accessed as one: its
      addresses are consecutive, the first one is a multiple of the group's size, which is at
      most 16 bytes, and its mask has one value.

    Passes that follow read these attributes and derive them no more: what made the
    addresses may have been folded or moved since. Without the attributes nothing is
    known, and each element is accessed by itself.
  }];
  let cppNamespace = "::tilewright::tile";
  let methods = [
    InterfaceMethod<"The addresses.", "::mlir::Value", "getPtr">,
    InterfaceMethod<"Which elements take part; null if all do.", "::mlir::Value", "getMask", (ins), [{}],
                    [{ return {}; }]>,
    InterfaceMethod<"Consecutive addresses along each dimension; null if nothing is known.",
                    "::mlir::DenseI64ArrayAttr", "getContiguityAttr">,
    InterfaceMethod<"Elements that may be accessed as one along each dimension; null if nothing is known.",
                    "::mlir::DenseI64ArrayAttr", "getVectorWidthAttr">,
    InterfaceMethod<"", "void", "setContiguityAttr", (ins "::mlir::DenseI64ArrayAttr":$contiguity)>,
    InterfaceMethod<"", "void", "setVectorWidthAttr", (ins "::mlir::DenseI64ArrayAttr":$vectorWidth)>
  ];
  let verify = [{ return ::tilewright::tile::detail::verifyMemoryAccess($_op); }];
}

// The attributes of an access, and how they are written.
defvar Tile_AccessAttributes = (ins OptionalAttr<DenseI64ArrayAttr>:$contiguity,
                                    OptionalAttr<DenseI64ArrayAttr>:$vectorWidth);
defvar Tile_AccessFormat = "(`contiguity` $contiguity^)? (`width` $vectorWidth^)?";

def Tile_AtomicOpInterface : OpInterface<"AtomicOpInterface"> {
  let description = [{
    An atomic. A release orders all accesses that the program made before it, an acquire all that it makes after it,
    whichever of the program's threads makes them.
  }];
  let cppNamespace = "::tilewright::tile";
  let methods = [
    InterfaceMethod<"The memory order.", "::tilewright::tile::MemSemantic", "getSem">,
    InterfaceMethod<"Whether earlier accesses stay before it.", "bool", "releases", (ins), [{}],
                    [{ return $_op.getSem() == MemSemantic::Release || $_op.getSem() == MemSemantic::AcqRel; }]>,
    InterfaceMethod<"Whether later accesses stay after it.", "bool", "acquires", (ins), [{}],
                    [{ return $_op.getSem() == MemSemantic::Acquire || $_op.getSem() == MemSemantic::AcqRel; }]>
  ];
}

/// The result's elements are those of the only operand, at the same positions; see Tile.h.
def Tile_SameValues : NativeOpTrait<"SameValues"> {
  let cppNamespace = "::tilewright::tile";
}

#endif
