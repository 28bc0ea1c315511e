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
