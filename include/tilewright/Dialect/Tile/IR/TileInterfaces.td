// Interfaces of operations of the tile dialect.

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEINTERFACES_TD
#define TILEWRIGHT_DIALECT_TILE_IR_TILEINTERFACES_TD

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/OpBase.td"

def Tile_MemoryAccessOpInterface : OpInterface<"MemoryAccessOpInterface"> {
  let description = [{
    An operation that accesses memory through a pointer, or elementwise through a tile of pointers.

    In the GPU pipeline, the pass `coalesce` records the results of axis analysis on the access, one
    power of two for each dimension:

    - `contiguity`: each aligned group of this many positions along the dimension holds
      consecutive addresses.
    - `vectorWidth`: each aligned group of this many positions may be one vector access: its
      addresses are consecutive, the first one is a multiple of the group's size, which is at
      most 16 bytes, and its mask has one value.

    Later passes use these attributes and do not repeat the analysis, as the operations that compute
    the addresses may have been folded or moved since. Without the attributes nothing is known, and
    each element is accessed separately.
  }];
  let cppNamespace = "::tilewright::tile";
  let methods = [
    InterfaceMethod<"The addresses.", "::mlir::Value", "getPtr">,
    InterfaceMethod<"Whether it loads, stores, or updates atomically.", "::tilewright::tile::AccessKind",
                    "getAccessKind", (ins), [{}], [{ return AccessKind::Load; }]>,
    InterfaceMethod<"The mask of accessed elements; null if all are.", "::mlir::Value", "getMask", (ins), [{}],
                    [{ return {}; }]>,
    InterfaceMethod<"Consecutive addresses along each dimension; null if nothing is known.",
                    "::mlir::DenseI64ArrayAttr", "getContiguityAttr">,
    InterfaceMethod<"Elements of one vector access along each dimension; null if nothing is known.",
                    "::mlir::DenseI64ArrayAttr", "getVectorWidthAttr">,
    InterfaceMethod<"", "void", "setContiguityAttr", (ins "::mlir::DenseI64ArrayAttr":$contiguity)>,
    InterfaceMethod<"", "void", "setVectorWidthAttr", (ins "::mlir::DenseI64ArrayAttr":$vectorWidth)>
  ];
  let verify = [{ return ::tilewright::tile::detail::verifyMemoryAccess($_op); }];
}

// The attributes of an access, and their assembly format.
defvar Tile_AccessAttributes = (ins OptionalAttr<DenseI64ArrayAttr>:$contiguity,
                                    OptionalAttr<DenseI64ArrayAttr>:$vectorWidth);
defvar Tile_AccessFormat = "(`contiguity` $contiguity^)? (`width` $vectorWidth^)?";

def Tile_AtomicOpInterface : OpInterface<"AtomicOpInterface"> {
  let description = [{
    An atomic. A release orders all earlier accesses of the program before it, an acquire all later ones after it,
    whichever thread of the program executes them.
  }];
  let cppNamespace = "::tilewright::tile";
  let methods = [
    InterfaceMethod<"The memory order.", "::tilewright::tile::MemSemantic", "getSem">,
    InterfaceMethod<"Whether earlier accesses are ordered before it.", "bool", "releases", (ins), [{}],
                    [{ return $_op.getSem() == MemSemantic::Release || $_op.getSem() == MemSemantic::AcqRel; }]>,
    InterfaceMethod<"Whether later accesses are ordered after it.", "bool", "acquires", (ins), [{}],
                    [{ return $_op.getSem() == MemSemantic::Acquire || $_op.getSem() == MemSemantic::AcqRel; }]>
  ];
}

def Tile_RearrangementOpInterface : OpInterface<"RearrangementOpInterface"> {
  let description = [{
    An operation that computes no elements: each element of its results is an element of one of its sources.
  }];
  let cppNamespace = "::tilewright::tile";
  let methods = [
    InterfaceMethod<"The operands whose elements the results have.", "::mlir::OperandRange", "getSources", (ins), [{}],
                    [{ return $_op->getOperands(); }]>
  ];
}

/// The result has the same elements as the only operand, at the same positions; see Tile.h.
def Tile_SameValues : NativeOpTrait<"SameValues"> {
  let cppNamespace = "::tilewright::tile";
}

#endif
