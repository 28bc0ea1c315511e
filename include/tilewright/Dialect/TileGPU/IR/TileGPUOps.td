// The operations of the tilegpu dialect.

#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUOPS_TD
#define TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUOPS_TD

include "tilewright/Dialect/TileGPU/IR/TileGPUBase.td"
include "tilewright/Dialect/Tile/IR/TileBase.td"
include "tilewright/Dialect/Tile/IR/TileInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TileGPU_Op<string mnemonic, list<Trait> traits = []> : Op<TileGPU_Dialect, mnemonic, traits>;
class TileGPU_PureOp<string mnemonic, list<Trait> traits = []> : TileGPU_Op<mnemonic, [Pure] # traits>;

// The resources of side effects; see TileGPU.h and Tile.h.
def TileGPU_Shared : Resource<"::tilewright::tilegpu::SharedMemory">;
def TileGPU_Memory : Resource<"::tilewright::tile::Memory">;
class TileGPU_BufferArg<list<MemoryEffect> effects> : Arg<TileGPU_BufferType, "a tile in shared memory", effects>;

def TileGPU_ConvertLayoutOp : TileGPU_PureOp<"convert_layout", [
    SameOperandsAndResultShape, SameOperandsAndResultElementType, Tile_SameValues]> {
  let summary = "Converts a tile to another layout";
  let arguments = (ins Tile_Tile:$src);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TileGPU_ExtractSliceOp : TileGPU_PureOp<"extract_slice"> {
  let summary = "The part of a tile that begins at `start`";
  let description = [{
    The coordinates of `start` are multiples of the sizes of the result. Each thread holds its elements of the result in
    registers of the source: the result's layout is the `layout::firstPart` of the source's.
  }];
  let arguments = (ins Tile_Tile:$src, DenseI64ArrayAttr:$start);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$src `from` $start attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

def TileGPU_LocalAllocOp : TileGPU_Op<"local_alloc", [MemoryEffects<[MemAlloc<TileGPU_Shared>]>]> {
  let summary = "Allocates a buffer in shared memory";
  let description = [{The buffer is live until its last use. `allocate-shared` sets `offset`, in bytes.}];
  let arguments = (ins OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$offset);
  let results = (outs TileGPU_BufferType:$result);
  let assemblyFormat = "(`at` $offset^)? attr-dict `:` type($result)";
}

def TileGPU_LocalSlotOp : TileGPU_PureOp<"local_slot"> {
  let summary = "Selects a slot of a buffer";
  let description = [{
    `phase` is that of a position in the buffer's ring of slots; see `ring_next`. `index` must be the slot of the same
    position.
  }];
  let arguments = (ins TileGPU_BufferType:$src, I32:$index, Optional<I1>:$phase);
  let results = (outs TileGPU_BufferType:$result);
  let assemblyFormat = "$src `[` $index (`phase` $phase^)? `]` attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def TileGPU_RingNextOp : TileGPU_PureOp<"ring_next"> {
  let summary = "Advances a position in a ring of slots";
  let description = [{
    A position is a slot and a phase. The next position is the next slot, or after the last one the first slot in the
    other phase: the phase is the parity of how often the ring has wrapped. A barrier in shared memory that completes
    once for each use of a slot is waited for with the phase of that use.

    ```mlir
    %slots = tilegpu.local_alloc : !tilegpu.buffer<64x32xf16, #shared, 3>
    scf.for ... iter_args(%slot = %c0, %phase = %false) {
      %a = tilegpu.local_slot %slots[%slot phase %phase]
      %next, %nextPhase = tilegpu.ring_next %slot, %phase of 3
      scf.yield %next, %nextPhase
    }
    ```

    Loops carry positions. Analyses of memory derive from these operations how far apart two positions are.
  }];
  let arguments = (ins I32:$slot, I1:$phase, ConfinedAttr<I64Attr, [IntPositive]>:$slots);
  let results = (outs I32:$next, I1:$nextPhase);
  let assemblyFormat = "$slot `,` $phase `of` $slots attr-dict";
  let hasFolder = 1;
}

def TileGPU_LocalStoreOp : TileGPU_Op<"local_store"> {
  let summary = "Writes a tile into shared memory";
  let arguments = (ins Tile_Tile:$src, TileGPU_BufferArg<[MemWrite<TileGPU_Shared>]>:$buffer);
  let assemblyFormat = "$src `,` $buffer attr-dict `:` type($src) `->` type($buffer)";
  let hasVerifier = 1;
}

def TileGPU_LocalLoadOp : TileGPU_Op<"local_load"> {
  let summary = "Reads a tile, or the part that begins at `start`, from shared memory";
  let description = [{
    The coordinates of `start` are multiples of the sizes of the result. Data that are copied asynchronously can be read
    `after` the wait for the copy. With `own`, each thread reads its elements itself, without instructions by which lanes
    read for each other: copies with the same layout have written them by the same thread.
  }];
  let arguments = (ins TileGPU_BufferArg<[MemRead<TileGPU_Shared>]>:$buffer, OptionalAttr<DenseI64ArrayAttr>:$start,
    UnitAttr:$own, Optional<TileGPU_TokenType>:$after);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $buffer (`from` $start^)? (`own` $own^)? (`after` $after^)? attr-dict `:` type($buffer) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$buffer,
                                 CArg<"::mlir::DenseI64ArrayAttr", "{}">:$start), [{
    build($_builder, $_state, result, buffer, start, /*own=*/false, /*after=*/::mlir::Value());
  }]>];
  let hasVerifier = 1;
}

def TileGPU_LocalGatherOp : TileGPU_Op<"local_gather"> {
  let summary = "`tile.gather` from a tile in shared memory";
  let description = [{
    An out-of-range index reads an unspecified element of the buffer. `after` is as for `local_load`.
  }];
  let arguments = (ins TileGPU_BufferArg<[MemRead<TileGPU_Shared>]>:$buffer, Tile_IntTile:$indices, I32Attr:$axis,
    Optional<TileGPU_TokenType>:$after);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $buffer `[` $indices `]` $axis (`after` $after^)? attr-dict `:` type($buffer) `,` type($indices) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$buffer, "::mlir::Value":$indices,
                                 "uint32_t":$axis), [{
    build($_builder, $_state, result, buffer, indices, axis, /*after=*/::mlir::Value());
  }]>];
  let hasVerifier = 1;
}

def TileGPU_LocalHistogramOp : TileGPU_Op<"local_histogram"> {
  let summary = "Adds a `tile.histogram` to counts in shared memory";
  let description = [{An element that several threads hold is counted once.}];
  let arguments = (ins 1DTensorOf<[I32, I64]>:$src,
    TileGPU_BufferArg<[MemRead<TileGPU_Shared>, MemWrite<TileGPU_Shared>]>:$buffer);
  let assemblyFormat = "$src `,` $buffer attr-dict `:` type($src) `->` type($buffer)";
  let hasVerifier = 1;
}

def TileGPU_AsyncCopyOp : TileGPU_Op<"async_copy", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Tile_MemoryAccessOpInterface, ["getMask"]>]> {
  let summary = "Starts copying a tile from global to shared memory";
  let description = [{
    Where `mask` is false, global memory is not accessed and the element is `other`, or unspecified
    without `other`; the hardware can only fill with zeros. The copy belongs to the group of the
    next `async_commit`, and has completed after an `async_wait` for that group; until then the
    buffer must be neither read nor written.
  }];
  let arguments = !con((ins Arg<Tile_PtrLike, "the addresses", [MemRead<TileGPU_Memory>]>:$ptr,
    TileGPU_BufferArg<[MemWrite<TileGPU_Shared>]>:$buffer, Optional<Tile_BoolLike>:$mask, Optional<Tile_ScalarOrTile>:$other,
    DefaultValuedAttr<Tile_Cache, "::tilewright::tile::CacheModifier::None">:$cache,
    DefaultValuedAttr<Tile_Evict, "::tilewright::tile::EvictionPolicy::Normal">:$evict), Tile_AccessAttributes);
  let results = (outs TileGPU_TokenType:$token);
  let assemblyFormat = !strconcat("$ptr `,` $buffer (`mask` $mask^)? (`other` $other^)? ", Tile_AccessFormat, [{
    attr-dict `:` type($ptr) `->` type($buffer) (`,` `mask` type($mask)^)? (`,` `other` type($other)^)?
  }]);
  let hasVerifier = 1;
}

def TileGPU_AsyncCommitOp : TileGPU_Op<"async_commit", [
    MemoryEffects<[MemRead<TileGPU_Shared>, MemWrite<TileGPU_Shared>]>]> {
  let summary = "Closes a group of asynchronous copies, and yields its token";
  let description = [{
    `copies` are the tokens of the group's copies. The group consists of all copies that this thread has started since
    the previous commit, so that it contains them, or an earlier group does.
  }];
  let arguments = (ins Variadic<TileGPU_TokenType>:$copies);
  let results = (outs TileGPU_TokenType:$token);
  let assemblyFormat = "(`of` $copies^)? attr-dict";
}

def TileGPU_AsyncWaitOp : TileGPU_Op<"async_wait", [
    MemoryEffects<[MemRead<TileGPU_Shared>, MemWrite<TileGPU_Shared>]>]> {
  let summary = "Waits until the copies of all tokens have completed";
  let description = [{
    The tokens are those of groups that this thread has committed. Copies by other threads are visible only after a
    subsequent barrier. Groups complete in order, so the hardware waits until at most `pending` groups, the last ones
    committed, are in flight; `resolve-waits` derives that number from the tokens.
  }];
  let arguments = (ins Variadic<TileGPU_TokenType>:$tokens,
    OptionalAttr<ConfinedAttr<I32Attr, [IntNonNegative]>>:$pending);
  let results = (outs TileGPU_TokenType:$done);
  let assemblyFormat = "$tokens (`pending` $pending^)? attr-dict";
}

def TileGPU_BarrierOp : TileGPU_Op<"barrier", [
    MemoryEffects<[MemRead<TileGPU_Shared>, MemWrite<TileGPU_Shared>, MemRead<TileGPU_Memory>, MemWrite<TileGPU_Memory>]>]> {
  let summary = "Synchronizes the threads of a partition and makes their writes visible to each other";
  let description = [{
    With `joint`, the threads of all partitions. With `shared`, only accesses of shared memory before it are ordered
    before those after it.
  }];
  let arguments = (ins UnitAttr:$joint, UnitAttr:$shared);
  let assemblyFormat = "(`joint` $joint^)? (`shared` $shared^)? attr-dict";
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

// Two warp groups take turns: each waits until the other has passed the turn to it. A group must not pass the turn
// twice without taking it in between.

def TileGPU_Group : ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<1>]>;

def TileGPU_TakeTurnOp : TileGPU_Op<"take_turn"> {
  let summary = "Each warp group, or only the given one, waits until the other one has passed the turn";
  let description = [{
    The wait comes after the computation of `after`, which the assembler would otherwise move behind it: to it, a
    barrier is about memory alone.
  }];
  let arguments = (ins Optional<Tile_Tile>:$after, OptionalAttr<TileGPU_Group>:$only);
  let assemblyFormat = "(`only` $only^)? (`after` $after^ `:` type($after))? attr-dict";
}

def TileGPU_PassTurnOp : TileGPU_Op<"pass_turn"> {
  let summary = "Each warp group, or only the given one, passes the turn to the other one, and continues";
  let arguments = (ins OptionalAttr<TileGPU_Group>:$only);
  let assemblyFormat = "(`only` $only^)? attr-dict";
}

//===----------------------------------------------------------------------===//
// Matrix instructions
//===----------------------------------------------------------------------===//

def TileGPU_MmaOp : TileGPU_PureOp<"mma", [AllTypesMatch<["acc", "result"]>]> {
  let summary = "Computes `acc + a @ b` with a warp-level matrix instruction, all operands in registers";
  let description = [{
    `instruction` names a row of the hardware table (`MmaInstruction::name`), such as "m16n8k16.f16.f16.f32"; the
    layouts are tiled by the fragments of that row: the registers of a thread enumerate the elements of a fragment,
    then fragments along K (for the accumulator: along N), then along M or N, then along the leading batch dimension
    of tiles of rank 3. Operands of type f32 are rounded to tf32 if the instruction's operands are tf32.
  }];
  let arguments = (ins Tile_Tile:$a, Tile_Tile:$b, Tile_Tile:$acc, StrAttr:$instruction);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$instruction $a `,` $b `,` $acc attr-dict `:` type($a) `*` type($b) `->` type($result)";
  let hasVerifier = 1;
}

def TileGPU_TileOrBuffer : AnyTypeOf<[Tile_Tile, TileGPU_BufferType], "a tile in registers or in shared memory">;

def TileGPU_GroupMmaOp : TileGPU_Op<"group_mma", [AllTypesMatch<["acc", "result"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Computes `acc + a @ b` with a matrix instruction of warp groups, which reads b from shared memory";
  let description = [{
    `instruction` names a row of `GpuInfo::groupMma`, such as "m64k16.f16.f16.f32". The accumulator's layout is tiled by
    its fragments (`GroupMmaInstruction::operand`). Operand b, and a unless it is `registerA`, become buffers by
    `stage-group-operands`; until then they are tiles in any layout. A buffer has a layout of `layout::nvmmaShared`, and
    with `transposedA` or `transposedB` it holds the transposed matrix. Operand a in registers has the layout of the
    row's fragment; if the row's operands are tf32, it is rounded. With `transposedA`, it is the transposed matrix, in
    the fragment's layout with exchanged dimensions; with `transposedC`, so are the accumulators and the result.

    With `async`, the instruction is in flight after the operation: the result may only be used as the accumulator of
    another one and by `group_mma_wait`, and loops and branches may carry it to these. Without it, the operation waits.

    Where `continues` is false, the accumulator is zero, whatever `acc` holds. Only asynchronous ones have it.
  }];
  let arguments = (ins TileGPU_TileOrBuffer:$a, TileGPU_TileOrBuffer:$b, Tile_Tile:$acc, Optional<I1>:$continues,
    StrAttr:$instruction, UnitAttr:$registerA, UnitAttr:$transposedA, UnitAttr:$transposedB, UnitAttr:$transposedC,
    UnitAttr:$async);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $instruction (`async` $async^)? $a (`registers` $registerA^)? (`transposed` $transposedA^)? `,`
    $b (`transposed` $transposedB^)? `,` $acc (`if` $continues^)? (`transposed` $transposedC^)? attr-dict
    `:` type($a) `*` type($b) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TileGPU_RoundToTF32Op : TileGPU_PureOp<"round_to_tf32", [AllTypesMatch<["x", "result"]>, Elementwise]> {
  let summary = "Rounds to the nearest tf32, which has ten bits of mantissa; ties away from zero";
  let description = [{
    Matrix instructions of warp groups cut off what they read from shared memory. This rounds what is stored there.
  }];
  let arguments = (ins Tile_Tile:$x);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def TileGPU_GroupMmaWaitOp : TileGPU_Op<"group_mma_wait", [AllTypesMatch<["acc", "result"]>]> {
  let summary = "Waits until at most `pending` of the thread's asynchronous `group_mma` are in flight";
  let description = [{
    They complete in order. `acc` is the result of the last one; the wait returns it, which is in flight still if
    `pending` is not zero. `read` are the buffers from which those read for which this operation waits: until then they
    must not be overwritten.
  }];
  let arguments = (ins Tile_Tile:$acc, Arg<Variadic<TileGPU_BufferType>, "tiles in shared memory", [MemRead<TileGPU_Shared>]>:$read,
    ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$acc `pending` $pending (`read` $read^ `:` type($read))? attr-dict `:` type($result)";
}

def TileGPU_AsyncFenceOp : TileGPU_Op<"async_fence", [
    MemoryEffects<[MemRead<TileGPU_Shared>, MemWrite<TileGPU_Shared>]>]> {
  let summary = "Makes this thread's writes to shared memory visible to `group_mma` and `box_store`";
  let description = [{
    Matrix instructions of warp groups, and copies of boxes, read shared memory by another path than loads. A barrier
    follows, as they read what other threads have written.
  }];
  let assemblyFormat = "attr-dict";
}

include "tilewright/Dialect/TileGPU/IR/TileGPUPartitions.td"
include "tilewright/Dialect/TileGPU/IR/TileGPURings.td"

#endif
