// Copies of boxes of arrays between global and shared memory, and the barriers that such copies complete.

#ifndef TILEWRIGHT_DIALECT_THREAD_IR_THREADBOXES_TD
#define TILEWRIGHT_DIALECT_THREAD_IR_THREADBOXES_TD

// Included by ThreadOps.td, which defines Thread_Op.

def Thread_TensorMap : LLVM_PointerInAddressSpace<0>;
def Thread_Count : ConfinedAttr<I32Attr, [IntMinValue<0>]>;

//===----------------------------------------------------------------------===//
// Transaction barriers
//===----------------------------------------------------------------------===//

class Thread_TransactionBarrierOp<string mnemonic>
    : Thread_Op<"transaction_barrier_" # mnemonic, [MemoryEffects<[MemRead, MemWrite]>]>;

def Thread_TransactionBarrierInitOp : Thread_TransactionBarrierOp<"init"> {
  let summary = "Makes the 8 bytes at `barrier` a transaction barrier, whose phase 0 begins";
  let description = [{
    A phase completes after `arrivals` arrivals, and after as many bytes were copied as the arrivals of the phase expect.
    Then the next phase begins, with the same number of arrivals.

    One thread initializes a barrier, where `mask` is true. The address is a multiple of 8. Other threads, and copies,
    may use the barrier after this thread's `thread.transaction_barrier_fence` and a `thread.barrier`. Until a
    `thread.transaction_barrier_end`, nothing else may access the 8 bytes.
  }];
  let arguments = (ins Thread_Shared:$barrier, ConfinedAttr<I32Attr, [IntPositive, IntMaxValue<1048575>]>:$arrivals,
    Optional<I1>:$mask);
  let assemblyFormat = "$barrier `arrivals` $arrivals (`mask` $mask^)? attr-dict `:` type($barrier)";
}

def Thread_TransactionBarrierFenceOp : Thread_TransactionBarrierOp<"fence"> {
  let summary = "Makes the barriers that the thread has initialized visible to copies";
  let assemblyFormat = "attr-dict";
}

def Thread_TransactionBarrierEndOp : Thread_TransactionBarrierOp<"end"> {
  let summary = "Ends a barrier, whose bytes are memory again, where `mask` is true";
  let description = [{No thread waits for it, and no copy that completes it is in flight.}];
  let arguments = (ins Thread_Shared:$barrier, Optional<I1>:$mask);
  let assemblyFormat = "$barrier (`mask` $mask^)? attr-dict `:` type($barrier)";
}

def Thread_TransactionBarrierArriveOp : Thread_TransactionBarrierOp<"arrive"> {
  let summary = "Arrives at the barrier where `mask` is true";
  let description = [{The thread's earlier accesses happen before what threads do after they have waited for the phase.}];
  let arguments = (ins Thread_Shared:$barrier, Optional<I1>:$mask);
  let assemblyFormat = "$barrier (`mask` $mask^)? attr-dict `:` type($barrier)";
}

def Thread_TransactionBarrierExpectOp : Thread_TransactionBarrierOp<"expect"> {
  let summary = "Arrives at the barrier, and lets its phase expect `bytes` more bytes of copies, where `mask` is true";
  let description = [{
    Must come before the copies that these bytes are of, because they could complete the phase of another arrival.
  }];
  let arguments = (ins Thread_Shared:$barrier, I32:$bytes, Optional<I1>:$mask);
  let assemblyFormat = "$barrier `,` $bytes (`mask` $mask^)? attr-dict `:` type($barrier)";
}

def Thread_TransactionBarrierWaitOp : Thread_TransactionBarrierOp<"wait"> {
  let summary = "Waits until the barrier's phase with this parity has completed";
  let description = [{
    The parity of phase n is the low bit of n. It is that of the current phase, for which the thread waits, or of the
    previous one, for which it need not wait; phase -1 has completed. Two phases may therefore not complete while a
    thread has yet to wait for the first of them.

    What copies have written by then, and what threads accessed before they arrived, happens before what the thread does
    next.
  }];
  let arguments = (ins Thread_Shared:$barrier, I32:$parity);
  let assemblyFormat = "$barrier `parity` $parity attr-dict `:` type($barrier)";
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

def Thread_PrefetchTensorMapOp : Thread_Op<"prefetch_tensor_map", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Brings a tensor map closer, where `mask` is true; has no effect on results";
  let arguments = (ins Thread_TensorMap:$map, Optional<I1>:$mask);
  let assemblyFormat = "$map (`mask` $mask^)? attr-dict";
}

def Thread_BoxCopyOp : Thread_Op<"box_copy", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Starts to copy a box from global to shared memory, where `mask` is true";
  let description = [{
    `map` is the address of a kernel's parameter with the attribute `thread.tensor_map`, which describes an array of
    global memory and the extents of the box (tilewright/Runtime/TensorMap.h). `coordinates` are those of the box's first
    element, the innermost dimension first. Elements outside of the array are filled as the map says.

    The box is written to `to` without gaps, the innermost dimension first, and with the map's swizzle. `to` is a multiple
    of 128 bytes, and of eight times the swizzle. The bytes may be read after a `thread.transaction_barrier_wait` for
    the current phase of `barrier`, which counts all bytes of the box, also those that are filled.

    Accesses of threads to these bytes must happen before the copy, and writes by threads need a `thread.async_fence`
    between. One thread of the program copies a box; others need a mask.
  }];
  let arguments = (ins Thread_Shared:$to, Thread_TensorMap:$map, Variadic<I32>:$coordinates, Thread_Shared:$barrier,
    Optional<I1>:$mask);
  let assemblyFormat = [{
    $to `,` $map `[` $coordinates `]` `completes` $barrier (`mask` $mask^)? attr-dict `:` type($to) `,` type($barrier)
  }];
  let hasVerifier = 1;
}

def Thread_BoxStoreOp : Thread_Op<"box_store", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Starts to copy a box from shared to global memory, where `mask` is true; see `thread.box_copy`";
  let description = [{
    Elements outside of the array are not written. What threads wrote to the bytes at `from` must happen before, with a
    `thread.async_fence` between. The bytes must not be written until a `thread.box_store_wait` for the group to which
    the thread's next `thread.box_store_commit` adds the copy.

    With `reduce`, each element of the array is combined with that of the box instead, atomically for the whole GPU and
    in no order with other accesses: floats are added, 32-bit integers take `add`, `and`, `or` and `xor`.

    Where `evictFirst` is true, what it writes leaves the last cache before other lines do.
  }];
  let arguments = (ins Thread_TensorMap:$map, Variadic<I32>:$coordinates, Thread_Shared:$from, Optional<I1>:$mask,
    Optional<I1>:$evictFirst, OptionalAttr<Tile_RMW>:$reduction);
  let assemblyFormat = [{
    $map `[` $coordinates `]` `,` $from (`reduce` $reduction^)? (`mask` $mask^)? (`evict_first` `if` $evictFirst^)?
    attr-dict `:` type($from)
  }];
  let hasVerifier = 1;
}

def Thread_BoxStoreCommitOp : Thread_Op<"box_store_commit", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Makes a group of the thread's `thread.box_store` since the previous group";
  let assemblyFormat = "attr-dict";
}

def Thread_BoxStoreWaitOp : Thread_Op<"box_store_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until at most `pending` of the thread's groups of `thread.box_store` have not completed";
  let description = [{
    With `read`, waits until the others have read shared memory, which may then be written again, also by other threads
    after a `thread.barrier`. A thread must do this before it ends. Without `read`, waits until they have also written
    global memory.
  }];
  let arguments = (ins Thread_Count:$pending, UnitAttr:$read);
  let assemblyFormat = "$pending (`read` $read^)? attr-dict";
}

#endif // TILEWRIGHT_DIALECT_THREAD_IR_THREADBOXES_TD
