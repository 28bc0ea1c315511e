// The thread dialect: what one thread of a GPU does, for GPUs of any vendor.

#ifndef TILEWRIGHT_DIALECT_THREAD_IR_THREADOPS_TD
#define TILEWRIGHT_DIALECT_THREAD_IR_THREADOPS_TD

include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/Dialect/Vector/IR/VectorAttributes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tilewright/Dialect/Thread/IR/ThreadEnums.td"
include "tilewright/Dialect/Tile/IR/TileBase.td"

def Thread_Dialect : Dialect {
  let name = "thread";
  let cppNamespace = "::tilewright::thread";
  let summary = "Operations of one thread of a GPU, independent of the vendor";
  let description = [{
    Between tiles and the instructions of a vendor: operands and results are the scalars and vectors of one thread.
    Arithmetic, control flow, addresses, and plain accesses to shared memory are upstream's (arith, math, scf, vector,
    llvm). This dialect has the rest: indices of the thread, accesses to global memory, atomics, matrix instructions,
    asynchronous copies, barriers, and exchanges between the lanes of a warp. A pass of each vendor lowers it;
    `thread-to-nvvm` is NVIDIA's.

    Global memory is address space 1 and shared memory address space 3, on all GPUs.

    Operations in which the lanes of a warp cooperate declare no memory effects and are therefore neither merged nor
    moved: all lanes have to execute the same one.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Marks a function's argument, a pointer, as the address of a tensor map: a parameter of 128 bytes that is passed
    /// by value (tilewright/Runtime/TensorMap.h).
    static constexpr llvm::StringLiteral kTensorMapAttr = "thread.tensor_map";
    /// On a pointer argument: no other argument points to overlapping memory. Other threads may change the memory, which
    /// `llvm.noalias` excludes.
    static constexpr llvm::StringLiteral kNoAliasAttr = "thread.noalias";
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::vector::VectorDialect", "::tilewright::tile::TileDialect"];
}

def Thread_Global : LLVM_PointerInAddressSpace<1>;
def Thread_Shared : LLVM_PointerInAddressSpace<3>;

/// What an instruction moves in one piece: a scalar, or a short vector.
def Thread_Value : AnyTypeOf<[AnySignlessInteger, AnyFloat, LLVM_AnyPointer, AnyVectorOfNonZeroRank],
                             "a scalar or a vector">;
def Thread_Word : AnyTypeOf<[I32, F32], "a word of 32 bits">;

class Thread_Op<string mnemonic, list<Trait> traits = []> : Op<Thread_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

class Thread_Index<string mnemonic, string what> : Thread_Op<mnemonic, [Pure]> {
  let summary = what;
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def Thread_IdOp : Thread_Index<"id", "The index of the thread in its program">;
def Thread_LaneOp : Thread_Index<"lane", "The index of the thread in its warp">;
def Thread_WarpOp : Thread_Index<"warp", "The index of the warp in its program">;

class Thread_Grid<string mnemonic, string what> : Thread_Op<mnemonic, [Pure]> {
  let summary = what;
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}

def Thread_ProgramIdOp : Thread_Grid<"program_id", "The index of the program along an axis of the grid">;
def Thread_NumProgramsOp : Thread_Grid<"num_programs", "The number of programs along an axis of the grid">;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def Thread_LoadOp : Thread_Op<"load", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Reads contiguous elements of global memory if `mask` is true, else returns `other`";
  let description = [{
    The address must be a multiple of the size of the result, which is at most that of the widest access of a thread.
    Without `mask`, the load is unconditional; without `other`, the result of a load that does not happen is zero.

    With `offset`, `ptr` is an argument of the kernel, or the same distance from it for all threads, and the address is
    `offset` bytes behind it. If the load happens, the offset is from 0 to 2^31 - 2, and so is that of the last byte.
  }];
  let arguments = (ins Thread_Global:$ptr, Optional<I32>:$offset, Optional<I1>:$mask, Optional<Thread_Value>:$other,
    DefaultValuedAttr<Tile_Cache, "::tilewright::tile::CacheModifier::None">:$cache,
    DefaultValuedAttr<Tile_Evict, "::tilewright::tile::EvictionPolicy::Normal">:$evict, UnitAttr:$isVolatile);
  let results = (outs Thread_Value:$result);
  let assemblyFormat = [{
    $ptr (`plus` $offset^)? (`mask` $mask^)? (`other` $other^)? (`volatile` $isVolatile^)? attr-dict `:` type($ptr)
    (`,` `other` type($other)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def Thread_StoreOp : Thread_Op<"store", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "Writes contiguous elements of global memory if `mask` is true";
  let description = [{See `thread.load`.}];
  let arguments = (ins Thread_Value:$value, Thread_Global:$ptr, Optional<I32>:$offset, Optional<I1>:$mask,
    DefaultValuedAttr<Tile_Cache, "::tilewright::tile::CacheModifier::None">:$cache,
    DefaultValuedAttr<Tile_Evict, "::tilewright::tile::EvictionPolicy::Normal">:$evict);
  let assemblyFormat = [{
    $ptr (`plus` $offset^)? `,` $value (`mask` $mask^)? attr-dict `:` type($ptr) `,` type($value)
  }];
}

def Thread_AtomicRMWOp : Thread_Op<"atomic_rmw", [MemoryEffects<[MemRead, MemWrite]>,
                                                  AllTypesMatch<["value", "result"]>]> {
  let summary = "Atomically combines global or shared memory with `value` where `mask` is true; the result is the old value, else zero";
  let description = [{
    Each element of a vector is combined separately. Only `fadd` takes vectors of several elements, of as many as the
    target has an instruction for (`GpuInfo::atomicAdds`).
  }];
  let arguments = (ins Tile_RMW:$kind, Thread_Value:$value, I1:$mask, LLVM_AnyPointer:$ptr, Tile_Sem:$sem,
    Tile_Scope:$scope);
  let results = (outs Thread_Value:$result);
  let assemblyFormat = "$kind $sem $scope $ptr `,` $value `mask` $mask attr-dict `:` type($ptr) `,` type($value)";
  let hasVerifier = 1;
}

def Thread_CompareExchangeOp : Thread_Op<"compare_exchange", [MemoryEffects<[MemRead, MemWrite]>,
                                                              AllTypesMatch<["cmp", "value", "result"]>]> {
  let summary = "Writes `value` where memory has the bits of `cmp` and `mask` is true; see `thread.atomic_rmw`";
  let arguments = (ins Thread_Value:$cmp, Thread_Value:$value, I1:$mask, Thread_Global:$ptr, Tile_Sem:$sem,
    Tile_Scope:$scope);
  let results = (outs Thread_Value:$result);
  let assemblyFormat = "$sem $scope $ptr `,` $cmp `,` $value `mask` $mask attr-dict `:` type($ptr) `,` type($value)";
}

def Thread_FenceOp : Thread_Op<"fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Orders the thread's accesses before it with those after it, as seen by the threads of `scope`";
  let arguments = (ins Tile_Scope:$scope);
  let assemblyFormat = "$scope attr-dict";
}

def Thread_GlobalTimerOp : Thread_Op<"global_timer", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "A clock that all programs share, in nanoseconds; read in order with accesses to memory";
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict";
}

def Thread_SharedMemoryOp : Thread_Op<"shared_memory", [Pure]> {
  let summary = "The address of the program's shared memory, which is aligned for all accesses of the target";
  let results = (outs Thread_Shared:$result);
  let assemblyFormat = "attr-dict";
}

def Thread_BarrierOp : Thread_Op<"barrier"> {
  let summary = "Waits for all threads of the program; accesses before it happen before accesses after it";
  let description = [{
    With `of`, only that many threads take part, the same ones at each such barrier. With `shared`, the barrier need
    order accesses of shared memory only.
  }];
  let arguments = (ins OptionalAttr<ConfinedAttr<I32Attr, [IntPositive]>>:$threads, UnitAttr:$shared);
  let assemblyFormat = "(`of` $threads^)? (`shared` $shared^)? attr-dict";
}

def Thread_SetRegistersOp : Thread_Op<"set_registers"> {
  let summary = "Changes the number of registers of each thread of a warp group";
  let description = [{
    All warps of the group execute the operation. With `more`, they wait until other groups have ceded as many.
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntPositive]>:$count, UnitAttr:$more);
  let assemblyFormat = "(`more` $more^)? $count attr-dict";
}

def Thread_NamedBarrierWaitOp : Thread_Op<"named_barrier_wait"> {
  let summary = "Arrives at a numbered barrier and waits until `threads` threads have arrived";
  let description = [{
    What these threads did before they arrived happens before what follows the wait. Barrier 0 is the one of
    `thread.barrier`. All lanes of a warp execute the operation with the same number. The words `after` are computed
    before the wait.

    With `anywhere`, other warps may wait at the barrier by other operations of the program.
  }];
  let arguments = (ins I32:$number, ConfinedAttr<I32Attr, [IntPositive]>:$threads, Variadic<I32>:$after,
    UnitAttr:$anywhere);
  let assemblyFormat = "$number `of` $threads (`anywhere` $anywhere^)? (`after` $after^)? attr-dict";
}

def Thread_NamedBarrierArriveOp : Thread_Op<"named_barrier_arrive"> {
  let summary = "Arrives at a numbered barrier without waiting there";
  let arguments = (ins I32:$number, ConfinedAttr<I32Attr, [IntPositive]>:$threads);
  let assemblyFormat = "$number `of` $threads attr-dict";
}

def Thread_WarpBarrierOp : Thread_Op<"warp_barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits for all threads of the warp, so that they execute what follows together";
  let assemblyFormat = "attr-dict";
}

def Thread_AsyncCopyOp : Thread_Op<"async_copy", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Starts to copy `size` bytes from global to shared memory";
  let description = [{
    If `bytes` is given, only that many are read, and zeros are written for the others. `bypassL1` and `size` must be
    those of a row of `GpuInfo::asyncCopies`.
  }];
  let arguments = (ins Thread_Shared:$to, Thread_Global:$from, Optional<I32>:$bytes, I32Attr:$size, UnitAttr:$bypassL1);
  let assemblyFormat = [{
    $to `,` $from `size` $size (`bytes` $bytes^)? (`bypass_l1` $bypassL1^)? attr-dict `:` type($to) `,` type($from)
  }];
  let hasVerifier = 1;
}

def Thread_AsyncCommitOp : Thread_Op<"async_commit"> {
  let summary = "Makes a group of the thread's copies since the previous group";
  let assemblyFormat = "attr-dict";
}

def Thread_AsyncWaitOp : Thread_Op<"async_wait"> {
  let summary = "Waits until at most `pending` of the thread's groups of copies have not completed";
  let arguments = (ins I32Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

def Thread_Shuffle : EnumAttr<Thread_Dialect, Thread_ShuffleKind, "shuffle"> {
  let assemblyFormat = "`<` $value `>`";
}

def Thread_ShuffleOp : Thread_Op<"shuffle", [AllTypesMatch<["word", "result"]>]> {
  let summary = "The word of another lane: of `lane` (index), or of this lane's index xor `lane`";
  let arguments = (ins Thread_Shuffle:$kind, Thread_Word:$word, I32:$lane);
  let results = (outs Thread_Word:$result);
  let assemblyFormat = "$kind $word `,` $lane attr-dict `:` type($word)";
}

def Thread_ReduceOp : Thread_Op<"reduce"> {
  let summary = "Combines the integers of all lanes of the warp; every lane gets the result";
  let description = [{Requires `GpuInfo::reducesIntegers`.}];
  let arguments = (ins Vector_CombiningKindAttr:$kind, I32:$word);
  let results = (outs I32:$result);
  let assemblyFormat = "$kind $word attr-dict";
  let hasVerifier = 1;
}

def Thread_MmaOp : Thread_Op<"mma", [AttrSizedOperandSegments, InferTypeOpAdaptor]> {
  let summary = "A * B + C by the lanes of a warp";
  let description = [{
    `instruction` names a row of `GpuInfo::mma`. `a`, `b` and `c` are the thread's elements of the row's fragments, in the
    form that the row takes (`MmaOperand::value`); the results are as `c`.
  }];
  let arguments = (ins StrAttr:$instruction, Variadic<Thread_Value>:$a, Variadic<Thread_Value>:$b,
    Variadic<Thread_Value>:$c);
  let results = (outs Variadic<Thread_Value>:$results);
  let assemblyFormat = [{
    $instruction $a `by` $b `into` $c attr-dict `:` type($a) `by` type($b) `into` type($c)
  }];
  let hasVerifier = 1;
}

def Thread_SharedMatrix : AttrDef<Thread_Dialect, "SharedMatrix"> {
  let mnemonic = "shared_matrix";
  let summary = "Where a matrix instruction of a warp group finds an operand in shared memory";
  let description = [{
    The operand is K x (M or N). It is stored in lines of `swizzle` bytes along K, or along M or N if it is `transposed`,
    as `layout::nvmmaShared` does. Eight lines are `stride` bytes apart from the next eight. If it is transposed, the
    lines that continue a line are `leading` bytes behind it.
  }];
  let parameters = (ins "int64_t":$swizzle, "int64_t":$leading, "int64_t":$stride, "bool":$transposed);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Thread_AsyncFenceOp : Thread_Op<"async_fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Makes the thread's writes to shared memory visible to asynchronous operations on it";
  let description = [{
    These are `thread.group_mma`, `thread.box_copy` and `thread.box_store`, also those of other threads after a barrier.
    `thread.async_copy` is not one of them, but writes as the thread does.
  }];
  let assemblyFormat = "attr-dict";
}

def Thread_GroupMmaBeginOp : Thread_Op<"group_mma_begin", [InferTypeOpAdaptor, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Makes the registers that `thread.group_mma` reads visible to it; required before the first one of a group";
  let description = [{
    The results are copies of the values in registers of their own, for accumulators that other code uses, too:
    `thread.group_mma` changes them in place, behind the back of the assembler.
  }];
  let arguments = (ins Variadic<Thread_Word>:$values);
  let results = (outs Variadic<Thread_Word>:$results);
  let assemblyFormat = "(`of` $values^ `:` type($values))? attr-dict";
}

def Thread_GroupMmaOp : Thread_Op<"group_mma", [AttrSizedOperandSegments, InferTypeOpAdaptor,
                                                MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Starts to compute A * B + C by a warp group";
  let description = [{
    `instruction` names a row of `GpuInfo::groupMma`, and `columns` is its N. `a` is the address of the matrix `inA`, or,
    without that attribute, the thread's words of the row's fragment; `b` is the address of `inB`. The operands begin
    `offsetA` and `offsetB` bytes behind the addresses, which are the same in all threads of the group. With
    `fromZero`, or where `continues` is false, C is zero and not read.

    The results are those of a `thread.group_mma_wait` for the group to which the next `thread.group_mma_commit` adds
    the instruction. Until then, only another `thread.group_mma` may use them.
  }];
  let arguments = (ins StrAttr:$instruction, I64Attr:$columns, Variadic<AnyTypeOf<[I32, Thread_Shared]>>:$a,
    Thread_Shared:$b, Variadic<Thread_Word>:$c, Optional<I1>:$continues, OptionalAttr<Thread_SharedMatrix>:$inA,
    Thread_SharedMatrix:$inB, I64Attr:$offsetA, I64Attr:$offsetB, UnitAttr:$fromZero);
  let results = (outs Variadic<Thread_Word>:$results);
  let assemblyFormat = [{
    $instruction `columns` $columns $a `at` $offsetA (`in` $inA^)? `by` $b `at` $offsetB `in` $inB `into` $c
    (`from_zero` $fromZero^)? (`if` $continues^)? attr-dict `:` type($a) `by` type($b) `into` type($c)
  }];
  let hasVerifier = 1;
}

def Thread_GroupMmaCommitOp : Thread_Op<"group_mma_commit", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Makes a group of the `thread.group_mma` since the previous group";
  let assemblyFormat = "attr-dict";
}

def Thread_GroupMmaWaitOp : Thread_Op<"group_mma_wait", [InferTypeOpAdaptor, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until at most `pending` groups of `thread.group_mma` have not completed, and returns their results";
  let arguments = (ins I32Attr:$pending, Variadic<Thread_Word>:$values);
  let results = (outs Variadic<Thread_Word>:$results);
  let assemblyFormat = "$pending `of` $values attr-dict `:` type($values)";
}

def Thread_LoadMatrixOp : Thread_Op<"load_matrix"> {
  let summary = "Reads matrices from shared memory into the lanes of a warp";
  let description = [{
    `instruction` names a row of `GpuInfo::matrixMoves`. Each lane provides the address of one row of a matrix; the
    results are the words of this lane's elements.
  }];
  let arguments = (ins StrAttr:$instruction, Thread_Shared:$ptr);
  let results = (outs Variadic<I32>:$words);
  let assemblyFormat = "$instruction $ptr attr-dict `:` type($ptr) `->` type($words)";
  let hasVerifier = 1;
}

def Thread_StoreMatrixOp : Thread_Op<"store_matrix"> {
  let summary = "Writes matrices from the lanes of a warp to shared memory; see `thread.load_matrix`";
  let arguments = (ins StrAttr:$instruction, Thread_Shared:$ptr, Variadic<I32>:$words);
  let assemblyFormat = "$instruction $ptr `,` $words attr-dict `:` type($ptr) `,` type($words)";
  let hasVerifier = 1;
}

def Thread_RoundToTF32Op : Thread_Op<"round_to_tf32", [Pure]> {
  let summary = "Rounds to the nearest TF32, whose bits are those of a float with ten bits of mantissa";
  let arguments = (ins F32:$x);
  let results = (outs I32:$result);
  let assemblyFormat = "$x attr-dict";
}

//===----------------------------------------------------------------------===//
// Approximations and conversions
//===----------------------------------------------------------------------===//

def Thread_F32 : AnyTypeOf<[F32, VectorOfAnyRankOf<[F32]>], "f32 or a vector of f32">;

def Thread_ReciprocalOp
    : Thread_Op<"reciprocal", [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary = "1 / x with an error of at most 1 ulp";
  let description = [{Denormal operands and results may be flushed to zeros of the same sign.}];
  let arguments = (ins Thread_F32:$x);
  let results = (outs Thread_F32:$result);
  let assemblyFormat = "$x attr-dict `:` type($result)";
}

def Thread_ExtendPairsOp : Thread_Op<"extend_pairs", [Pure]> {
  let summary = "Extends one or two pairs of 8-bit floats";
  let description = [{
    Requires a row of `GpuInfo::pairConversions` with the format, the type of the result, and at least as many pairs.
  }];
  let arguments = (ins FixedVectorOfLengthAndType<[2, 4], [I8]>:$bytes, TypeAttr:$format);
  let results = (outs FixedVectorOfLengthAndType<[2, 4], [F16, F32]>:$result);
  let assemblyFormat = "$bytes `from` $format attr-dict `:` type($bytes) `->` type($result)";
  let hasVerifier = 1;
}

def Thread_TruncatePairsOp : Thread_Op<"truncate_pairs", [Pure]> {
  let summary = "Rounds one or two pairs of f32 to the nearest 8-bit floats; numbers beyond the largest one saturate";
  let description = [{Requires a row of `GpuInfo::pairConversions` with the format and at least as many pairs.}];
  let arguments = (ins Variadic<F32>:$values, TypeAttr:$format);
  let results = (outs FixedVectorOfLengthAndType<[2, 4], [I8]>:$bytes);
  let assemblyFormat = "$values `to` $format attr-dict `->` type($bytes)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Inline assembly, and grids that depend on one another
//===----------------------------------------------------------------------===//

def Thread_InlineAsmOp : Thread_Op<"inline_asm", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Executes assembly that the user has written for the target";
  let description = [{
    Operands and results are registers, each of which holds an integer in its low bits. `pure` assembly has no effect.
  }];
  let arguments = (ins StrAttr:$assembly, StrAttr:$constraints, UnitAttr:$pure, Variadic<AnySignlessInteger>:$args);
  let results = (outs Variadic<AnySignlessInteger>:$results);
  let assemblyFormat = [{
    $assembly `,` $constraints (`pure` $pure^)? `(` $args `)` attr-dict `:` functional-type($args, $results)
  }];
}

def Thread_WaitForGridsOp : Thread_Op<"wait_for_grids", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until the grids that this one depends on have ended; does nothing if they always have";
  let assemblyFormat = "attr-dict";
}

def Thread_LaunchDependentsOp : Thread_Op<"launch_dependents", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Permits the grids that depend on this one to start before it has ended";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

def Thread_PrintOp : Thread_Op<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "Prints a line to the host's standard output";
  let description = [{`format` is that of C's printf; arguments are i32, i64, f64 and pointers.}];
  let arguments = (ins StrAttr:$format, Variadic<Thread_Value>:$args);
  let assemblyFormat = "$format ($args^ `:` type($args))? attr-dict";
}

def Thread_FailOp : Thread_Op<"fail", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Ends the launch with an error: `message`, and the position of the operation";
  let arguments = (ins StrAttr:$message);
  let assemblyFormat = "$message attr-dict";
}

include "tilewright/Dialect/Thread/IR/ThreadBoxes.td"

#endif // TILEWRIGHT_DIALECT_THREAD_IR_THREADOPS_TD
