// The operations of the tile dialect.

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEOPS_TD
#define TILEWRIGHT_DIALECT_TILE_IR_TILEOPS_TD

include "tilewright/Dialect/Tile/IR/TileBase.td"
include "tilewright/Dialect/Tile/IR/TileInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;
class Tile_PureOp<string mnemonic, list<Trait> traits = []> : Tile_Op<mnemonic, [Pure] # traits>;
class Tile_ShapeOp<string mnemonic, list<Trait> traits = []>
    : Tile_PureOp<mnemonic, [Tile_RearrangementOpInterface] # traits>;
class Tile_MemoryOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, [Tile_MemoryAccessOpInterface] # traits>;

class Tile_AtomicOp<string mnemonic, list<Trait> traits = []>
    : Tile_MemoryOp<mnemonic, [Tile_AtomicOpInterface] # traits> {
  let extraClassDeclaration = [{ static AccessKind getAccessKind() { return AccessKind::Atomic; } }];
}

// Result types are inferred. The encoding of a result is that of the operands if its elements are at the same positions
// as theirs. If the shape changes, the operand's encoding determines it (TileEncoding.td). Where it does not depend on an
// operand's encoding, as that of `gather` does not on its source's and that of `histogram` on none, the operand may have
// any. Passes may choose other encodings, which are layouts.
def Tile_InferType : InferTypeOpAdaptorBase<[{
  static bool isCompatibleReturnTypes(::mlir::TypeRange l, ::mlir::TypeRange r) {
    return ::tilewright::tile::areSameUpToEncoding(l, r);
  }
}]>;

// The resources of side effects; see Tile.h.
def Tile_Memory : Resource<"::tilewright::tile::Memory">;
def Tile_Console : Resource<"::tilewright::tile::Console">;
class Tile_Access<list<MemoryEffect> effects> : Arg<Tile_PtrLike, "the addresses", effects>;
def Tile_WrittenPtr : Tile_Access<[MemWrite<Tile_Memory>]>;
def Tile_UpdatedPtr : Tile_Access<[MemRead<Tile_Memory>, MemWrite<Tile_Memory>]>;

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

def Tile_ProgramIdOp : Tile_PureOp<"program_id"> {
  let summary = "This program's position along one axis of the grid";
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def Tile_NumProgramsOp : Tile_PureOp<"num_programs"> {
  let summary = "The number of programs along one axis of the grid";
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def Tile_ReadBytesOp : Tile_PureOp<"read_bytes"> {
  let summary = "A number or a pointer among the bytes that a kernel takes by value";
  let description = [{
    ```mlir
    %stride = tile.read_bytes %map[16] : <128, 64> -> i64
    ```
    The offset is in bytes and a multiple of the result's size.
  }];
  let arguments = (ins Tile_BytesType:$bytes, ConfinedAttr<I32Attr, [IntMinValue<0>]>:$offset);
  let results = (outs AnyTypeOf<[I8, I16, I32, I64, F16, BF16, F32, F64, Tile_PtrType]>:$result);
  let assemblyFormat = "$bytes `[` $offset `]` attr-dict `:` type($bytes) `->` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Creating and reshaping tiles
//===----------------------------------------------------------------------===//

def Tile_MakeRangeOp : Tile_PureOp<"make_range", [Tile_InferType]> {
  let summary = "The integers from `start` up to, not including, `end`";
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs 1DTensorOf<[I32]>:$result);
  let assemblyFormat = "$start `to` $end attr-dict `:` type($result)";
}

def Tile_SplatOp : Tile_ShapeOp<"splat", [
    TypesMatchWith<"the scalar has the tile's element type", "result", "src",
                   "::mlir::cast<::mlir::TensorType>($_self).getElementType()">]> {
  let summary = "A tile whose elements are all equal to a scalar";
  let arguments = (ins Tile_Element:$src);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$src attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Tile_BroadcastOp : Tile_ShapeOp<"broadcast", [SameOperandsAndResultElementType]> {
  let summary = "Repeats a tile along the dimensions in which it has size 1";
  let arguments = (ins Tile_Tile:$src);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_ExpandDimsOp : Tile_ShapeOp<"expand_dims", [Tile_InferType]> {
  let summary = "Inserts a dimension of size 1 before dimension `axis` of the result";
  let arguments = (ins Tile_Tile:$src, I32Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$src $axis attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_ReshapeOp : Tile_ShapeOp<"reshape", [SameOperandsAndResultElementType]> {
  let summary = "The same elements in row-major order with another shape";
  let description = [{With `allow_reorder` the elements may be in any order.}];
  let arguments = (ins Tile_Tile:$src, UnitAttr:$allow_reorder);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$src (`reorder` $allow_reorder^)? attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_TransOp : Tile_ShapeOp<"trans", [Tile_InferType]> {
  let summary = "Permutes dimensions: dimension `i` of the result is dimension `order[i]` of the source";
  let arguments = (ins Tile_Tile:$src, DenseI32ArrayAttr:$order);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$src $order attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_JoinOp : Tile_ShapeOp<"join", [SameTypeOperands, Tile_InferType]> {
  let summary = "Stacks two tiles along a new last dimension of size 2";
  let arguments = (ins Tile_Tile:$lhs, Tile_Tile:$rhs);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
}

def Tile_SplitOp : Tile_ShapeOp<"split", [AllTypesMatch<["lhs", "rhs"]>, Tile_InferType]> {
  let summary = "Splits a tile along its last dimension, which has size 2";
  let arguments = (ins Tile_Tile:$src);
  let results = (outs Tile_Tile:$lhs, Tile_Tile:$rhs);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($lhs)";
  let hasFolder = 1;
}

def Tile_CatOp : Tile_ShapeOp<"cat", [SameTypeOperands, SameOperandsAndResultElementType, Tile_InferType]> {
  let summary = "The elements of one tile followed by those of another, along dimension 0";
  let arguments = (ins Tile_Tile:$lhs, Tile_Tile:$rhs);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
}

def Tile_GatherOp : Tile_ShapeOp<"gather", [Tile_InferType]> {
  let summary = "Element `indices[..., i, ...]` of `src` along `axis`, for each position";
  let arguments = (ins Tile_Tile:$src, Tile_IntTile:$indices, I32Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$src `[` $indices `]` $axis attr-dict `:` type($src) `,` type($indices) `->` type($result)";
  let extraClassDeclaration = [{
    /// Only the source: the indices are not elements of the result.
    ::mlir::OperandRange getSources() { return (*this)->getOperands().take_front(); }
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

def Tile_HintOp : Tile_ShapeOp<"hint", [SameOperandsAndResultType, Elementwise, Tile_SameValues]> {
  let summary = "An assertion by the user about integers or pointers";
  let description = [{
    Returns the operand. Along each dimension, runs of `contiguity` values are consecutive, `divisibility` divides the
    first value of a run (for pointers, its address in bytes), and runs of `constancy` values are equal; see
    Analysis/AxisInfo.h. A scalar has one dimension. If an assertion is false, the behavior is undefined.

    The assertion only holds for the result, not for other uses of the operand.
  }];
  let arguments = (ins AnyTypeOf<[Tile_IntLike, Tile_PtrLike]>:$src, OptionalAttr<DenseI32ArrayAttr>:$contiguity,
    OptionalAttr<DenseI32ArrayAttr>:$divisibility, OptionalAttr<DenseI32ArrayAttr>:$constancy);
  let results = (outs AnyTypeOf<[Tile_IntLike, Tile_PtrLike]>:$result);
  let assemblyFormat = [{
    $src (`contiguity` $contiguity^)? (`divisibility` $divisibility^)? (`constancy` $constancy^)?
    attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// Pointers and memory
//===----------------------------------------------------------------------===//

def Tile_AddPtrOp : Tile_PureOp<"addptr", [AllTypesMatch<["ptr", "result"]>, ElementwiseMappable]> {
  let summary = "A pointer offset by a number of elements";
  let arguments = (ins Tile_PtrLike:$ptr, Tile_IntLike:$offset);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($ptr) `,` type($offset)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_PtrCastOp : Tile_PureOp<"ptr_cast", [SameOperandsAndResultShape, ElementwiseMappable]> {
  let summary = "The same address, in the same address space, with another pointee type";
  let arguments = (ins Tile_PtrLike:$src);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_IntToPtrOp : Tile_PureOp<"int_to_ptr", [SameOperandsAndResultShape, ElementwiseMappable]> {
  let summary = "The pointer to an address given as a 64-bit integer";
  let arguments = (ins Tile_IntLike:$src);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
}

def Tile_PtrToIntOp : Tile_PureOp<"ptr_to_int", [SameOperandsAndResultShape, ElementwiseMappable]> {
  let summary = "The address of a pointer as a 64-bit integer";
  let arguments = (ins Tile_PtrLike:$src);
  let results = (outs Tile_IntLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
}

def Tile_LoadOp : Tile_MemoryOp<"load", [AttrSizedOperandSegments, Tile_InferType,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Reads memory through a pointer or a tile of pointers";
  let description = [{
    Where `mask` is false, memory is not accessed and the element is `other`, or unspecified without
    `other`.
  }];
  let arguments = !con((ins Tile_PtrLike:$ptr, Optional<Tile_BoolLike>:$mask, Optional<Tile_ScalarOrTile>:$other,
    DefaultValuedAttr<Tile_Cache, "CacheModifier::None">:$cache,
    DefaultValuedAttr<Tile_Evict, "EvictionPolicy::Normal">:$evict, UnitAttr:$isVolatile), Tile_AccessAttributes);
  let results = (outs Tile_ScalarOrTile:$result);
  let assemblyFormat = !strconcat("$ptr (`mask` $mask^)? (`other` $other^)? (`volatile` $isVolatile^)? ", Tile_AccessFormat, [{
    attr-dict `:` type($ptr) (`,` `mask` type($mask)^)? (`,` `other` type($other)^)? `->` type($result)
  }]);
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_StoreOp : Tile_MemoryOp<"store"> {
  let summary = "Writes memory through a pointer or a tile of pointers, where `mask` is true";
  let arguments = !con((ins Tile_WrittenPtr:$ptr, Tile_ScalarOrTile:$value, Optional<Tile_BoolLike>:$mask,
    DefaultValuedAttr<Tile_Cache, "CacheModifier::None">:$cache,
    DefaultValuedAttr<Tile_Evict, "EvictionPolicy::Normal">:$evict), Tile_AccessAttributes);
  let assemblyFormat = !strconcat("$ptr `,` $value (`mask` $mask^)? ", Tile_AccessFormat, [{
    attr-dict `:` type($ptr) `,` type($value) (`,` `mask` type($mask)^)?
  }]);
  let extraClassDeclaration = [{ static AccessKind getAccessKind() { return AccessKind::Store; } }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_AtomicRMWOp : Tile_AtomicOp<"atomic_rmw", [AllTypesMatch<["value", "result"]>]> {
  let summary = "Atomically combines memory with `value`; the result is the old value";
  let arguments = !con((ins Tile_RMW:$kind, Tile_UpdatedPtr:$ptr, Tile_ScalarOrTile:$value, Optional<Tile_BoolLike>:$mask,
    DefaultValuedAttr<Tile_Sem, "MemSemantic::AcqRel">:$sem, DefaultValuedAttr<Tile_Scope, "SyncScope::GPU">:$scope),
    Tile_AccessAttributes);
  let results = (outs Tile_ScalarOrTile:$result);
  let assemblyFormat = !strconcat("$kind $ptr `,` $value (`mask` $mask^)? ", Tile_AccessFormat, [{
    attr-dict `:` type($ptr) `,` type($value) (`,` `mask` type($mask)^)?
  }]);
  let hasVerifier = 1;
}

def Tile_AtomicCASOp : Tile_AtomicOp<"atomic_cas", [AllTypesMatch<["cmp", "value", "result"]>]> {
  let summary = "Atomically stores `value` where memory equals `cmp`; the result is the old value";
  let arguments = !con((ins Tile_UpdatedPtr:$ptr, Tile_ScalarOrTile:$cmp, Tile_ScalarOrTile:$value,
    Optional<Tile_BoolLike>:$mask, DefaultValuedAttr<Tile_Sem, "MemSemantic::AcqRel">:$sem, DefaultValuedAttr<Tile_Scope, "SyncScope::GPU">:$scope),
    Tile_AccessAttributes);
  let results = (outs Tile_ScalarOrTile:$result);
  let assemblyFormat = !strconcat("$ptr `,` $cmp `,` $value (`mask` $mask^)? ", Tile_AccessFormat, [{
    attr-dict `:` type($ptr) `,` type($value) (`,` `mask` type($mask)^)?
  }]);
  let hasVerifier = 1;
}

def Tile_AtomicPollOp : Tile_AtomicOp<"atomic_poll"> {
  let summary = "Waits until the integer at `ptr` equals `expected`; the result is whether it did";
  let description = [{
    With `timeout`, the wait ends unsuccessfully when that many nanoseconds have passed. Memory is loaded at least once,
    and does not change.
  }];
  let arguments = !con((ins Tile_UpdatedPtr:$ptr, AnyTypeOf<[I16, I32, I64]>:$expected, Optional<I64>:$timeout,
    DefaultValuedAttr<Tile_Sem, "MemSemantic::Acquire">:$sem, DefaultValuedAttr<Tile_Scope, "SyncScope::GPU">:$scope),
    Tile_AccessAttributes);
  let results = (outs I1:$result);
  let assemblyFormat = !strconcat("$ptr `,` $expected (`timeout` $timeout^)? ", Tile_AccessFormat,
    " attr-dict `:` type($ptr) `,` type($expected)");
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Operations over whole tiles
//===----------------------------------------------------------------------===//

def Tile_DotOp : Tile_PureOp<"dot", [AllTypesMatch<["acc", "result"]>]> {
  let summary = "`acc + a @ b`; rank 2, or rank 3 with a leading batch dimension";
  let arguments = (ins Tile_Tile:$a, Tile_Tile:$b, Tile_Tile:$acc,
    DefaultValuedAttr<Tile_Precision, "InputPrecision::IEEE">:$precision);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$a `,` $b `,` $acc attr-dict `:` type($a) `*` type($b) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [RecursiveMemoryEffects, RecursivelySpeculatable, Tile_InferType,
    SingleBlock, SameOperandsShape]> {
  let summary = "Combines the elements along `axis`; the combiner is associative and commutative";
  let description = [{
    The region has two arguments per operand, first all left-hand sides, then all right-hand sides,
    and yields one value per operand. The results of reducing tiles of rank 1 are scalars.
  }];
  let arguments = (ins Variadic<Tile_Tile>:$operands, I32Attr:$axis);
  let results = (outs Variadic<Tile_ScalarOrTile>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = "`(` $operands `)` $axis $combiner attr-dict `:` functional-type($operands, $results)";
  let hasRegionVerifier = 1;
}

def Tile_ScanOp : Tile_Op<"scan", [RecursiveMemoryEffects, RecursivelySpeculatable, Tile_InferType,
    SingleBlock, SameOperandsShape]> {
  let summary = "Inclusive scan along `axis`, from the end if `reverse`; the combiner is associative";
  let arguments = (ins Variadic<Tile_Tile>:$operands, I32Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Tile>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = "`(` $operands `)` $axis (`reverse` $reverse^)? $combiner attr-dict `:` functional-type($operands, $results)";
  let hasRegionVerifier = 1;
}

def Tile_MapOp : Tile_Op<"map", [RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock,
    SameOperandsAndResultShape]> {
  let summary = "Applies a function to groups of `pack` elements";
  let description = [{
    The region has `pack` arguments per operand, first all elements of the first operand, and yields
    `pack` values per result. Which elements are in a group is unspecified. An element may be in
    several places of a group; any of their results counts.
  }];
  let arguments = (ins Variadic<Tile_Tile>:$sources, ConfinedAttr<I32Attr, [IntPositive]>:$pack);
  let results = (outs Variadic<Tile_Tile>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` $sources `)` $pack $body attr-dict `:` functional-type($sources, $results)";
  let hasRegionVerifier = 1;
}

def Tile_HistogramOp : Tile_PureOp<"histogram", [Tile_InferType]> {
  let summary = "How often each integer from 0 up to, not including, `bins` occurs in a tile";
  let description = [{Elements are unsigned; those that are `bins` or greater are not counted.}];
  let arguments = (ins 1DTensorOf<[I32, I64]>:$src, ConfinedAttr<I32Attr, [IntPositive]>:$bins);
  let results = (outs 1DTensorOf<[I32]>:$result);
  let assemblyFormat = "$src $bins attr-dict `:` type($src) `->` type($result)";
}

def Tile_YieldOp : Tile_PureOp<"yield", [Terminator, ReturnLike, ParentOneOf<["MapOp", "ReduceOp", "ScanOp"]>]> {
  let summary = "Ends a combiner or the function of a map";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

//===----------------------------------------------------------------------===//
// Code that is not the kernel's, and grids that depend on one another
//===----------------------------------------------------------------------===//

def Tile_InlineAsmOp : Tile_Op<"inline_asm", [AttrSizedOperandSegments, Elementwise, ConditionallySpeculatable,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Executes assembly of the target for each element, or for each group of `packed` elements";
  let description = [{
    The text and the constraints are LLVM's. Operands and results are scalars or tiles of one shape. One execution takes
    `packed` elements of each operand, in registers of 32 bits if they are narrower, and yields as many of each result.
    Which elements form a group depends on the layout. `pure` assembly has no effect and depends on its operands only;
    other assembly may access any memory, is executed in order and as often as a thread holds the elements. It is not
    executed for a group whose elements of `mask` are all false; the results are then unspecified.
  }];
  let arguments = (ins StrAttr:$assembly, StrAttr:$constraints, ConfinedAttr<I32Attr, [IntPositive]>:$packed,
    UnitAttr:$pure, Variadic<Tile_ScalarOrTile>:$args, Optional<Tile_BoolLike>:$mask);
  let results = (outs Variadic<Tile_ScalarOrTile>:$results);
  let assemblyFormat = [{
    $assembly `,` $constraints `pack` $packed (`pure` $pure^)? `(` $args `)` (`mask` $mask^ `:` type($mask))? attr-dict
    `:` functional-type($args, $results)
  }];
  let extraClassDeclaration = [{
    ::mlir::Speculation::Speculatability getSpeculatability() {
      return getPure() ? ::mlir::Speculation::Speculatable : ::mlir::Speculation::NotSpeculatable;
    }
  }];
  let hasVerifier = 1;
}

def Tile_CallOp : Tile_Op<"call", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a function that is not inlined";
  let description = [{
    All threads of the program execute the function. It may access any memory, unless it is `pure`: then it accesses
    none, not even shared memory for the layouts of tiles, and has no other effect. Nothing is known about its results.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, UnitAttr:$pure, Variadic<Tile_ScalarOrTile>:$args);
  let results = (outs Variadic<Tile_ScalarOrTile>:$results);
  let assemblyFormat = "(`pure` $pure^)? $callee `(` $args `)` attr-dict `:` functional-type($args, $results)";
}

def Tile_CallLibraryOp : Tile_Op<"call_library", [AttrSizedOperandSegments, Elementwise, ConditionallySpeculatable,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Calls a function of a library of LLVM bitcode for each element";
  let description = [{
    `symbol` is a function in the first of the files `libraries`; the others have functions that it calls. Operands and
    the result are scalars or tiles of one shape. A `pure` function depends on its operands only; others may access any
    memory, and are called in order and as often as a thread holds the element, but not for elements whose `mask` is
    false, whose result is unspecified.
  }];
  let arguments = (ins StrAttr:$symbol, StrArrayAttr:$libraries, UnitAttr:$pure, Variadic<Tile_ScalarOrTile>:$args,
    Optional<Tile_BoolLike>:$mask);
  let results = (outs Tile_ScalarOrTile:$result);
  let assemblyFormat = [{
    $symbol `of` $libraries (`pure` $pure^)? `(` $args `)` (`mask` $mask^ `:` type($mask))? attr-dict
    `:` functional-type($args, $result)
  }];
  let extraClassDeclaration = [{
    ::mlir::Speculation::Speculatability getSpeculatability() {
      return getPure() ? ::mlir::Speculation::Speculatable : ::mlir::Speculation::NotSpeculatable;
    }
  }];
  let hasVerifier = 1;
}

def Tile_WaitForGridsOp : Tile_Op<"wait_for_grids", [MemoryEffects<[MemRead<Tile_Memory>, MemWrite<Tile_Memory>]>]> {
  let summary = "Waits until the grids that this one depends on have ended, and their writes are visible";
  let assemblyFormat = "attr-dict";
}

def Tile_LaunchDependentsOp
    : Tile_Op<"launch_dependents", [MemoryEffects<[MemRead<Tile_Memory>, MemWrite<Tile_Memory>]>]> {
  let summary = "Permits the grids that depend on this one to start when all of its programs have executed this";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Debugging
//===----------------------------------------------------------------------===//

def Tile_BarrierOp : Tile_Op<"barrier", [MemoryEffects<[MemRead<Tile_Memory>, MemWrite<Tile_Memory>]>]> {
  let summary = "Orders all earlier memory operations of the program before all later ones";
  let assemblyFormat = "attr-dict";
}

def Tile_PrintOp : Tile_Op<"print", [AttrSizedOperandSegments, MemoryEffects<[MemWrite<Tile_Console>]>]> {
  let summary = "Prints a line for each element where `mask` is true, with the program's position";
  let description = [{
    The operands are scalars or tiles of one shape. A line is `texts[0] value0 texts[1] value1 ...`, with a text more
    than there are operands; without operands there is one line. `formats` has a conversion of C's printf for each
    operand, without the percent sign and the length: flags, width, precision and one of `d` (signed), `u`, `x`, `X`,
    `o` (unsigned), `e`, `E`, `f`, `F`, `g`, `G` (floats). Without a letter, a float has as many digits as its type
    needs; a pointer is always `p`.
  }];
  let arguments = (ins StrArrayAttr:$texts, StrArrayAttr:$formats, Variadic<Tile_ScalarOrTile>:$args,
    Optional<Tile_BoolLike>:$mask);
  let assemblyFormat = "$texts $formats (`(` $args^ `:` type($args) `)`)? (`mask` $mask^ `:` type($mask))? attr-dict";
  let hasVerifier = 1;
}

def Tile_AssertOp : Tile_Op<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "Ends the launch with `message` and the source position where `cond` is false";
  let description = [{
    With a mailbox, the first thread that fails writes its program and the number `report` to it; see
    Runtime/Mailbox.h.
  }];
  let arguments = (ins Tile_BoolLike:$cond, StrAttr:$message, Optional<Tile_PtrType>:$mailbox,
    DefaultValuedAttr<I32Attr, "0">:$report);
  let assemblyFormat = [{
    $cond `,` $message (`report` $report^)? (`to` $mailbox^)? attr-dict `:` type($cond) (`,` type($mailbox)^)?
  }];
}

#endif
