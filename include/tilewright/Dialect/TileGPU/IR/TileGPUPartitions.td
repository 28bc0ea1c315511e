// Partitions of a program's warps that execute different code.

#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUPARTITIONS_TD
#define TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUPARTITIONS_TD

// Included by TileGPUOps.td, which defines TileGPU_Op.

def TileGPU_SpecializeWarpsOp : TileGPU_Op<"specialize_warps", [
    SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "Lets additional warps start copies of boxes, beside those that compute";
  let description = [{
    The warps of the module's `tilegpu.num_warps`, which hold tiles, execute `consumers`. Additional warps, as many as
    the module's `tilegpu.producer_warps`, follow them; the first of these executes `producer`, and the others nothing.
    Operations of `producer` are of partition 1.

    ```mlir
    tilegpu.specialize_warps registers [24, 240] producer {
      tilegpu.barrier joint {tilegpu.partition = 1}
      scf.for ... {
        tilegpu.ring_acquire ...
        tilegpu.box_copy ...
      }
    } consumers {
      tilegpu.ring_begin %ring
      tilegpu.barrier joint
      scf.for ... {
        tilegpu.ring_wait ...
        tilegpu.group_mma ...
        tilegpu.ring_release ...
      }
    }
    ```

    `registers` are those of each thread of an additional warp, and of each other thread; without it, they are as the
    kernel was started. The regions meet at `joint` barriers, which both execute equally often. All other barriers are
    of the warps of `consumers`.
  }];
  let arguments = (ins OptionalAttr<DenseI32ArrayAttr>:$registers);
  let regions = (region SizedRegion<1>:$producer, SizedRegion<1>:$consumers);
  let assemblyFormat = "(`registers` $registers^)? attr-dict-with-keyword `producer` $producer `consumers` $consumers";
  let hasVerifier = 1;
}

#endif // TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUPARTITIONS_TD
