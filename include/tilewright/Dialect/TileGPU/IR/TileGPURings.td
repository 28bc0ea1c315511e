// Rings of slots that copies of boxes fill, and the barriers in shared memory that order their uses.

#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPURINGS_TD
#define TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPURINGS_TD

// Included by TileGPUOps.td, which defines TileGPU_Op.

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

def TileGPU_BoxPointersOp : TileGPU_PureOp<"box_pointers"> {
  let summary = "The addresses of a box of an array, which a tensor map of the kernel describes";
  let description = [{
    `map` is a number in the function's `tilegpu.tensor_maps`. `coordinates` are those of the tile's first element, the
    innermost dimension first. A load from these addresses reads zeros outside of the array. `expand-pipeline` makes
    such loads copies of boxes.
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$map, Variadic<I32>:$coordinates);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$map `[` $coordinates `]` attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

/// Its place among accesses to shared memory matters. It reads the barriers as far as memory is concerned: they exist
/// between `ring_begin` and `ring_end`, which write them.
class TileGPU_RingOp<string mnemonic>
    : TileGPU_Op<"ring_" # mnemonic, [MemoryEffects<[MemWrite<TileGPU_Shared>]>]>;
def TileGPU_RingSlot : TileGPU_BufferArg<[MemRead<TileGPU_Shared>]>;

def TileGPU_RingBeginOp : TileGPU_Op<"ring_begin"> {
  let summary = "Makes the slots of a buffer pairs of barriers, which order the uses of the slots of other buffers";
  let description = [{
    One barrier of a slot's pair tells that the slot is full, the other one that it is free again:

    ```mlir
    %ring = tilegpu.local_alloc : !tilegpu.buffer<2xi64, #pair, 3>
    tilegpu.ring_begin %ring
    scf.for ... {
      %write = tilegpu.local_slot %ring[%i phase %p], %read = tilegpu.local_slot %ring[%j phase %q]
      tilegpu.ring_acquire %write, %p expects 32768     // the slot is free
      tilegpu.box_copy 0[%x, %y] to %a completes %write // and becomes full
      %done = tilegpu.ring_wait %read, %q               // another slot is full
      ...                                               // threads read it
      tilegpu.ring_release %read                        // and it is free again
    }
    tilegpu.ring_end %ring
    ```

    All threads execute these operations, in each iteration in the same order. The first thread waits for free slots and
    starts copies; all wait for full slots; each warp releases a slot once. In a `specialize_warps`, the first thread is
    that of the producer, which executes only these waits and copies, and the others do the rest.
  }];
  let arguments = (ins TileGPU_BufferArg<[MemWrite<TileGPU_Shared>]>:$ring);
  let assemblyFormat = "$ring attr-dict `:` type($ring)";
}

def TileGPU_RingEndOp : TileGPU_Op<"ring_end"> {
  let summary = "Ends the barriers of a ring, whose bytes are memory again";
  let description = [{No thread waits for one of them, and all copies that were started have completed.}];
  let arguments = (ins TileGPU_BufferArg<[MemWrite<TileGPU_Shared>]>:$ring);
  let assemblyFormat = "$ring attr-dict `:` type($ring)";
}

def TileGPU_RingAcquireOp : TileGPU_RingOp<"acquire"> {
  let summary = "Waits until all warps have released the slot's previous use, and expects `bytes` of copies into it";
  let description = [{Does nothing where `exists` is false, as `box_copy` and `ring_wait`.}];
  let arguments = (ins TileGPU_RingSlot:$slot, I1:$phase, ConfinedAttr<I64Attr, [IntPositive]>:$bytes,
    Optional<I1>:$exists);
  let assemblyFormat = "$slot `,` $phase `expects` $bytes (`if` $exists^)? attr-dict `:` type($slot)";
}

def TileGPU_BoxCopyOp : TileGPU_Op<"box_copy", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead<TileGPU_Memory>]>]> {
  let summary = "Starts to copy a box, the tile that `box_pointers` describes, to shared memory";
  let description = [{
    The buffer's layout is one of `layout::nvmmaShared`. A box of the map is one of the layout's columns; the operation
    copies as many as fill the buffer.
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$map, Variadic<I32>:$coordinates,
    TileGPU_BufferArg<[MemWrite<TileGPU_Shared>]>:$buffer, TileGPU_BufferType:$slot, Optional<I1>:$exists);
  let assemblyFormat = [{
    $map `[` $coordinates `]` `to` $buffer `completes` $slot (`if` $exists^)? attr-dict `:` type($buffer) `,`
    type($slot)
  }];
}

def TileGPU_BoxStoreOp : TileGPU_Op<"box_store", [AttrSizedOperandSegments]> {
  let summary = "Starts to copy a tile from shared memory to a box of `array`, which a tensor map describes";
  let description = [{
    As `box_copy` in the other direction: elements outside of the map's extents are not written. The buffer must not be
    written before a `box_store_wait`:

    ```mlir
    tilegpu.local_store %x, %b
    tilegpu.box_store 0[%x, %y] of %array from %b
    tilegpu.box_store_wait %b
    ```

    A barrier separates the copy from what threads write to the buffer. With `by_groups`, the operation has it already:
    each warp group waits for its own threads, and copies the rows that these have written, which are as many for
    each group and follow each other in the order of groups. Then groups need not wait for each other, neither here nor
    before they write the buffer again.

    With `apart`, no two groups ever write the same element by this operation or a copy of it: rows do not overlap, and
    the tiles that it copies begin at multiples of their heights. With `reduce`, the order of groups never matters, and
    it is always `apart`.

    With `reduce`, each element of the array is combined with that of the tile, atomically for the whole GPU, and in no
    order with other accesses.

    Where `evictFirst` is true, what it writes leaves the L2 cache before other lines do.
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$map, Variadic<I32>:$coordinates,
    Arg<Tile_PtrType, "where the array begins", [MemWrite<TileGPU_Memory>]>:$array,
    TileGPU_BufferArg<[MemRead<TileGPU_Shared>]>:$buffer, Optional<I1>:$evictFirst,
    UnitAttr:$by_groups, UnitAttr:$apart, OptionalAttr<Tile_RMW>:$reduction);
  let assemblyFormat = [{
    $map `[` $coordinates `]` `of` $array `from` $buffer (`by_groups` $by_groups^)? (`apart` $apart^)?
    (`reduce` $reduction^)?
    (`evict_first` `if` $evictFirst^)? attr-dict `:` type($array) `,`
    type($buffer)
  }];
}

def TileGPU_BoxStoreWaitOp : TileGPU_Op<"box_store_wait", [MemoryEffects<[MemWrite<TileGPU_Shared>]>]> {
  let summary = "Waits until all `box_store` have written global memory, or with `read`, until they have read the buffer";
  let description = [{
    Without `read`, a later `box_store` to the same elements comes after the earlier ones. A kernel must have waited when
    it ends. With `by_groups`, each warp group waits for its own copies.
  }];
  let arguments = (ins TileGPU_BufferArg<[MemRead<TileGPU_Shared>]>:$buffer, UnitAttr:$by_groups, UnitAttr:$read);
  let assemblyFormat = "$buffer (`by_groups` $by_groups^)? (`read` $read^)? attr-dict `:` type($buffer)";
}

def TileGPU_RingWaitOp : TileGPU_RingOp<"wait"> {
  let summary = "Waits until the slot is full in this phase; reads of the copied data take the token";
  let arguments = (ins TileGPU_RingSlot:$slot, I1:$phase, Optional<I1>:$exists);
  let results = (outs TileGPU_TokenType:$done);
  let assemblyFormat = "$slot `,` $phase (`if` $exists^)? attr-dict `:` type($slot)";
}

def TileGPU_RingReleaseOp : TileGPU_RingOp<"release"> {
  let summary = "Tells that the warp has read the slot, where `exists` is true";
  let description = [{With `by_threads`, not only dots have read it, but also loads of the warp's threads.}];
  let arguments = (ins TileGPU_RingSlot:$slot, Optional<I1>:$exists, UnitAttr:$by_threads);
  let assemblyFormat = "$slot (`by_threads` $by_threads^)? (`if` $exists^)? attr-dict `:` type($slot)";
}

#endif // TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPURINGS_TD
