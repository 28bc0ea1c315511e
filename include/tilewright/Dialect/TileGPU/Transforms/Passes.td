// The passes that decide where tiles lie and how they move. They run in the order of lib/Pipeline/CudaPasses.cpp.
// A description ends with the pass's contract: requires, establishes, destroys.

#ifndef TILEWRIGHT_DIALECT_TILEGPU_TRANSFORMS_PASSES
#define TILEWRIGHT_DIALECT_TILEGPU_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def AssignLayouts : Pass<"assign-layouts", "mlir::ModuleOp"> {
  let summary = "Give every tile a layout";
  let description = [{
    Notes on the module for whom it is compiled, and gives every tile the same kind of
    layout: threads side by side along the last dimension, one element each as far as the
    tile reaches, then more registers. It is no good layout, but a consistent one; what
    follows improves it where it matters.

    ```mlir
    %x = tile.load %p : tensor<4x64x!tile.ptr<f32>> -> tensor<4x64xf32>
    // becomes, with one warp
    #layout = #tilegpu.layout<register = [[0, 32], [1, 0], [2, 0]], lane = [[0, 1], ..., [0, 16]], warp = [], block = [] : 4x64>
    %x = tile.load %p : tensor<4x64x!tile.ptr<f32>, #layout> -> tensor<4x64xf32, #layout>
    ```

    Operations that relate layouts of different shapes (expand_dims, reduce, ...) get the layout that
    their rule gives, and a `tilegpu.convert_layout` to or from the default one.

    Requires: control flow is scf; one function.
    Establishes: module attributes; every tile has a layout, consistent under `verifyLayouts`.
    Destroys: nothing.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90a\"", "for whom: a name of the hardware table">,
    Option<"numWarps", "num-warps", "int", "4", "warps of a program">,
    Option<"numStages", "num-stages", "int", "3", "depth to which loops are pipelined">];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def Coalesce : Pass<"coalesce", "mlir::ModuleOp"> {
  let summary = "Give accesses to global memory layouts that serve them well";
  let description = [{
    Threads next to each other access memory next to each other: along the dimension with the longest runs
    of consecutive addresses each thread takes a vector of up to 16 bytes, as wide as alignment and a mask that
    varies allow and as leaves no thread idle; lanes and then warps stand side by side along it. Where rows are
    reduced, the warps get rows of their own first.

    ```mlir
    %x = tile.load %p : tensor<1024x!tile.ptr<f32>, #default> -> tensor<1024xf32, #default>
    // becomes, with four warps
    #layout = #tilegpu.layout<register = [[1], [2], [512]], lane = [[4], ..., [64]], warp = [[128], [256]], block = [] : 1024>
    %q = tilegpu.convert_layout %p : tensor<1024x!tile.ptr<f32>, #default> -> tensor<1024x!tile.ptr<f32>, #layout>
    %y = tile.load %q : tensor<1024x!tile.ptr<f32>, #layout> -> tensor<1024xf32, #layout>
    %x = tilegpu.convert_layout %y : tensor<1024xf32, #layout> -> tensor<1024xf32, #default>
    ```

    Accesses that exchange data element by element get the same layout, the one whose costs (CostModel.h) are
    lowest in sum.

    What is known of an access's addresses and mask is decided here, once, and written on it: `contiguity [512] width
    [4]`. Passes that follow obey it, and do not derive it from addresses that others have moved or folded since.

    Requires: `assign-layouts`.
    Establishes: accesses in layouts of their own, with their contiguity and width.
    Destroys: hints, which have been read; conversions stand around every access until `propagate-layouts`.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def ChooseMma : Pass<"choose-mma", "mlir::ModuleOp"> {
  let summary = "Give products a matrix instruction";
  let description = [{
    Each `tile.dot` becomes a `tilegpu.mma` of the largest row of the hardware table that the target has, that takes the
    types and that fits the tile. Its operands are laid out as the row's fragments; warps stand
    over the result so that they read as little as can be, or, in chains like `(q @ k) @ v`, along the rows.

    ```mlir
    %c = tile.dot %a, %b, %acc : tensor<64x32xf16, #x> * tensor<32x64xf16, #y> -> tensor<64x64xf32, #z>
    // becomes
    %a2 = tilegpu.convert_layout %a : tensor<64x32xf16, #x> -> tensor<64x32xf16, #fragmentA>
    ...
    %c2 = tilegpu.mma "m16n8k16.f16.f16.f32" %a2, %b2, %acc2
    %c = tilegpu.convert_layout %c2 : tensor<64x64xf32, #fragmentC> -> tensor<64x64xf32, #z>
    ```

    8-bit floats that the target does not multiply are widened to f16; `tf32x3` becomes three products in tf32. What no
    row takes (f32 in full precision, sides smaller than the instruction's) stays a `tile.dot`, with layouts for
    multiply-adds in registers: squares of accumulators in each thread, and all of K for their rows and columns.

    Requires: `assign-layouts`.
    Establishes: products in layouts that one thread or one warp can work with.
    Destroys: nothing; conversions stand around every product until `propagate-layouts`.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def PropagateLayouts : Pass<"propagate-layouts", "mlir::ModuleOp"> {
  let summary = "Give every tile the layout with which the whole function costs least";
  let description = [{
    Accesses to memory, products and reductions prefer layouts; between them tiles take any. The pass looks at all
    of a function at once: conversions where layouts meet, accesses in layouts that serve them less well, work that copies
    repeat, each weighed by the loops around it (CostModel.h). Conversions go where the
    fewest bytes are, out of loops, and away where it costs less to compute a tile again.

    ```mlir
    %x = tilegpu.convert_layout %y : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #default>
    %z = arith.truncf %x : tensor<64x64xf32, #default> to tensor<64x64xf16, #default>
    %s = tilegpu.convert_layout %z : tensor<64x64xf16, #default> -> tensor<64x64xf16, #coalesced>
    tile.store %p, %s
    // becomes
    %z = arith.truncf %y : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
    %s = tilegpu.convert_layout %z : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #coalesced>
    tile.store %p, %s
    ```

    Requires: tiles with layouts; control flow is scf.
    Establishes: conversions only where they pay.
    Destroys: nothing.
  }];
  let options = [Option<"printCosts", "print-costs", "bool", "false", "print what is left, with its costs">];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def DecomposeReductions : Pass<"decompose-reductions", "mlir::ModuleOp"> {
  let summary = "Reduce and scan inside warps";
  let description = [{
    A reduction along a dimension in which warps differ becomes one inside each warp, an
    exchange of the partial results, and one of these. Splitting the dimension moves
    nothing: reshape and trans rename coordinates.

    ```mlir
    %s = tile.reduce(%x) 0 {...} : (tensor<256xf32, #two_warps>) -> f32
    // becomes
    %r = tile.reshape %x : tensor<256xf32, #two_warps> -> tensor<2x128xf32, #warp_per_row>
    %p = tile.reduce(%r) 1 {...} : (tensor<2x128xf32, #warp_per_row>) -> tensor<2xf32, #one_per_warp>
    %q = tilegpu.convert_layout %p : tensor<2xf32, #one_per_warp> -> tensor<2xf32, #both_everywhere>
    %s = tile.reduce(%q) 0 {...} : (tensor<2xf32, #both_everywhere>) -> f32
    ```

    A scan that crosses warps, and a reduction of a layout that has no steps for it, get a
    layout whose lines lie inside warps.

    Requires: layouts.
    Establishes: every tile.reduce and tile.scan is planned inside a warp (planReduction, planScan).
    Destroys: nothing.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def StageOperands : Pass<"stage-operands", "mlir::ModuleOp"> {
  let summary = "Move through shared memory what other warps need";
  let description = [{
    A conversion that crosses warps becomes a write to a buffer in shared memory and a
    read. The buffer's layout is chosen for the two (chooseSwizzle), and for ldmatrix where
    the target reads fragments of matrix instructions by it.

    ```mlir
    %y = tilegpu.convert_layout %x : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #operand>
    // becomes
    %b = tilegpu.local_alloc : !tilegpu.buffer<64x32xf16, #shared>
    tilegpu.local_store %x, %b : tensor<64x32xf16, #rows> -> !tilegpu.buffer<64x32xf16, #shared>
    %y = tilegpu.local_load %b : !tilegpu.buffer<64x32xf16, #shared> -> tensor<64x32xf16, #operand>
    ```

    Where a load comes to the conversion through a transposition or a cast to wider
    elements, these follow the local_load: fewer bytes are moved, and what is
    stored is what was loaded, so that it can be copied asynchronously.

    The result of an atomic that several threads hold takes the same way, as only one of them does the atomic.

    Requires: layouts; reductions inside warps.
    Establishes: each convert_layout is planned inside a warp (planConversion); results of atomics may be stored by
    the thread that did it, and are read by the others from shared memory.
    Destroys: nothing.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def SliceDotsK : Pass<"slice-dots-k", "mlir::ModuleOp"> {
  let summary = "Multiply in steps along K, and read one step ahead";
  let description = [{
    A product whose operands come from shared memory becomes a chain of products, each of one instruction's K. Each step's
    operands are read before the product of the step before, so that matrix instructions and reads overlap, and no more
    than two steps are in registers.

    ```mlir
    %a = tilegpu.local_load %x : !tilegpu.buffer<64x32xf16, #x> -> tensor<64x32xf16, #a>
    %b = tilegpu.local_load %y : !tilegpu.buffer<32x64xf16, #y> -> tensor<32x64xf16, #b>
    %d = tilegpu.mma "m16n8k16.f16.f16.f32" %a, %b, %c
    // becomes
    %a0 = tilegpu.local_load %x from [0, 0] : !tilegpu.buffer<64x32xf16, #x> -> tensor<64x16xf16, #a16>
    %b0 = tilegpu.local_load %y from [0, 0] : !tilegpu.buffer<32x64xf16, #y> -> tensor<16x64xf16, #b16>
    %a1 = tilegpu.local_load %x from [0, 16] : !tilegpu.buffer<64x32xf16, #x> -> tensor<64x16xf16, #a16>
    %b1 = tilegpu.local_load %y from [16, 0] : !tilegpu.buffer<32x64xf16, #y> -> tensor<16x64xf16, #b16>
    %c1 = tilegpu.mma "m16n8k16.f16.f16.f32" %a0, %b0, %c
    %d = tilegpu.mma "m16n8k16.f16.f16.f32" %a1, %b1, %c1
    ```

    Requires: `stage-operands`; operands that differ along K in registers only, as `choose-mma` lays them out.
    Establishes: products in steps.
    Destroys: nothing.
  }];
}

def PlanPipeline : Pass<"plan-pipeline", "mlir::ModuleOp"> {
  let summary = "Decide which loads of a loop are started iterations ahead";
  let description = [{
    In a loop of `tile.num_stages`, or else `tilegpu.num_stages`, stages, each load that only goes to buffers in
    shared memory, whose layouts let each thread copy 4, 8 or 16 bytes at a time, is to be an asynchronous copy, started
    num_stages - 1 iterations before its data are used. The decision is written down: the loop has
    `tilegpu.num_stages`, its operations `tilegpu.stage`, 0 for such loads, their stores into buffers and
    all that addresses are computed from.

    Where another product follows the last read of what they copy, the operands of the loop's first product are read one
    iteration ahead (stage num_stages - 1, the rest being num_stages): threads that wait for copies and for each other
    then do so beside a product.

    Loads stay where they are if something in the loop has an effect on what they read, or on all memory, as a barrier
    or an assertion does, or if their addresses come out of memory; and, unless the kernel only reads their memory, if
    the loop has an atomic that releases or acquires. Addresses are computed for iterations beyond the last one too, so
    they need operations that may be speculated, or divisions, which `expand-pipeline` guards.

    Requires: `stage-operands`; `width` on accesses.
    Establishes: stages on loops and on the operations in them.
    Destroys: nothing.
  }];
}

def ExpandPipeline : Pass<"expand-pipeline", "mlir::ModuleOp"> {
  let summary = "Overlap a loop's copies with the work of earlier iterations";
  let description = [{
    Expands what `plan-pipeline` noted. Buffers get as many slots as the loop has stages; loads of stage 0 become
    asynchronous copies, one group per iteration; those of the first num_stages - 1 iterations stand before the loop.

    ```mlir
    scf.for %i = ... {
      %x = tile.load %p {tilegpu.stage = 0}
      tilegpu.local_store %x, %b {tilegpu.stage = 0}
      %a = tilegpu.local_load %b {tilegpu.stage = 1}
    } {tilegpu.num_stages = 2}
    // becomes
    tilegpu.async_copy %p0, %slots[0] mask %first_exists
    tilegpu.async_commit
    scf.for %i = ... iter_args(%write = 1, %read = 0) {
      tilegpu.async_wait 0
      tilegpu.async_copy %p1, %slots[%write] mask %next_exists
      tilegpu.async_commit
      %a = tilegpu.local_load %slots[%read]
    }
    tilegpu.async_wait 0
    ```

    In this order one barrier an iteration is enough, after the wait: it also stands between the reads of a slot
    and the copy into it. With reads that go ahead, wait, copies and these reads stand before the iteration's last product. An iteration that does not exist has its copies masked out, however short the loop, and what is
    divided for their addresses is divided by 1.

    Requires: `plan-pipeline`.
    Establishes: copies under way across iterations.
    Destroys: stages.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect", "::mlir::arith::ArithDialect"];
}

def DecomposeGathers : Pass<"decompose-gathers", "mlir::ModuleOp"> {
  let summary = "Gather from shared memory where lanes cannot ask each other";
  let description = [{
    A gather whose source lies inside the warps that need it, in few registers, is left: it becomes shuffles. For all
    others the source is written to shared memory, where each thread reads what it wants.

    ```mlir
    %y = tile.gather %x[%i] 0 : tensor<1024xf32, #x>, tensor<256xi32, #i> -> tensor<256xf32, #i>
    // becomes
    %b = tilegpu.local_alloc : !tilegpu.buffer<1024xf32, #shared>
    tilegpu.local_store %x, %b : tensor<1024xf32, #x> -> !tilegpu.buffer<1024xf32, #shared>
    %y = tilegpu.local_gather %b[%i] 0 : !tilegpu.buffer<1024xf32, #shared>, tensor<256xi32, #i> -> tensor<256xf32, #i>
    ```

    Requires: layouts.
    Establishes: each tile.gather is planned inside a warp (planGather).
    Destroys: nothing.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def AllocateShared : Pass<"allocate-shared", "mlir::ModuleOp"> {
  let summary = "Give every buffer its place in shared memory";
  let description = [{
    Fills in the offsets of `tilegpu.local_alloc`, and notes the sum on the module. Buffers that are not live at the
    same time may share a place; but as that costs a barrier, small ones get one of their own until a barrier
    stands between anyway. It is an error if the target does not have that much.

    Requires: all buffers are there.
    Establishes: offsets; `tilegpu.shared_bytes`.
    Destroys: nothing.
  }];
}

def InsertBarriers : Pass<"insert-barriers", "mlir::ModuleOp"> {
  let summary = "Make threads wait where one needs what another did to memory";
  let description = [{
    Puts a `tilegpu.barrier` on every path between two accesses by different threads that may meet, in shared
    memory or in memory behind pointers, of which at least one writes. An atomic that releases has one between it and
    all accesses of other threads before it to memory behind pointers, one that acquires between it and all after it,
    except for memory that the kernel only reads. Barriers stand as late as can be and outside of
    loops where that is enough; none can be taken away.

    Requires: places in shared memory.
    Establishes: threads see memory in the order of the program.
    Destroys: nothing.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

#endif // TILEWRIGHT_DIALECT_TILEGPU_TRANSFORMS_PASSES
