// The passes that assign layouts to tiles and lower the movement of data. lib/Pipeline/GpuPasses.cpp has their order.
// Each description ends with the pass's contract: requires, establishes, destroys.

#ifndef TILEWRIGHT_DIALECT_TILEGPU_TRANSFORMS_PASSES
#define TILEWRIGHT_DIALECT_TILEGPU_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def AssignLayouts : Pass<"assign-layouts", "mlir::ModuleOp"> {
  let summary = "Give every tile a layout";
  let description = [{
    Sets the target, the number of warps and the default number of stages on the module, and gives every tile a blocked
    layout: consecutive threads hold consecutive elements along the last dimension, one element
    each, and further registers repeat that over the rest of the tile. The layout is valid but not
    optimized; later passes improve it where it matters.

    ```mlir
    %x = tile.load %p : tensor<4x64x!tile.ptr<f32>> -> tensor<4x64xf32>
    // becomes, with one warp
    #layout = #tilegpu.layout<register = [[0, 32], [1, 0], [2, 0]], lane = [[0, 1], ..., [0, 16]], warp = [], block = [] : 4x64>
    %x = tile.load %p : tensor<4x64x!tile.ptr<f32>, #layout> -> tensor<4x64xf32, #layout>
    ```

    Operations that relate layouts of different shapes (expand_dims, reduce, ...) get the layout that LayoutRules.h
    derives, and a `tilegpu.convert_layout` to or from the default one.

    Requires: scf control flow; one function.
    Establishes: module attributes; every tile has a layout that `verifyLayouts` accepts.
    Destroys: nothing.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90a\"", "target architecture, a name of the hardware table">,
    Option<"numWarps", "num-warps", "int", "4", "number of warps per program">,
    Option<"numStages", "num-stages", "int", "3", "default number of pipeline stages of loops">];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def Coalesce : Pass<"coalesce", "mlir::ModuleOp"> {
  let summary = "Choose coalesced layouts for accesses to global memory";
  let description = [{
    Makes adjacent threads access adjacent memory. Along the dimension with the longest runs of consecutive addresses,
    each thread accesses a vector of up to 16 bytes, as wide as the alignment and the mask allow without leaving
    threads idle. Lanes and then warps are consecutive along that dimension. Where rows are reduced, each warp gets
    separate rows first.

    ```mlir
    %x = tile.load %p : tensor<1024x!tile.ptr<f32>, #default> -> tensor<1024xf32, #default>
    // becomes, with four warps
    #layout = #tilegpu.layout<register = [[1], [2], [512]], lane = [[4], ..., [64]], warp = [[128], [256]], block = [] : 1024>
    %q = tilegpu.convert_layout %p : tensor<1024x!tile.ptr<f32>, #default> -> tensor<1024x!tile.ptr<f32>, #layout>
    %y = tile.load %q : tensor<1024x!tile.ptr<f32>, #layout> -> tensor<1024xf32, #layout>
    %x = tilegpu.convert_layout %y : tensor<1024xf32, #layout> -> tensor<1024xf32, #default>
    ```

    Accesses connected by elementwise operations get the same layout, the one with the lowest total cost
    (CostModel.h).

    On targets without instructions that transpose what they read from shared memory, a thread holds adjacent elements
    along K, too, of a dot's operand that is contiguous along the other dimension.

    The pass also records on each access what axis analysis found about its addresses and mask: `contiguity [512]
    width [4]`. Later passes use these attributes and do not repeat the analysis on addresses that have been moved or
    folded since.

    Requires: `assign-layouts`.
    Establishes: accesses have coalesced layouts, and attributes for contiguity and width.
    Destroys: hints, which are no longer needed. Conversions surround every access until `propagate-layouts`.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def ChooseMma : Pass<"choose-mma", "mlir::ModuleOp"> {
  let summary = "Map dots to matrix instructions";
  let description = [{
    Each `tile.dot` becomes a `tilegpu.mma` with the largest instruction of the hardware table that the target
    supports, that accepts the element types and that fits the tile. The operands get the layouts of the instruction's
    fragments. Warps are distributed over the result such that they read as little as possible, or along its rows in
    chains like `(q @ k) @ v`.

    ```mlir
    %c = tile.dot %a, %b, %acc : tensor<64x32xf16, #x> * tensor<32x64xf16, #y> -> tensor<64x64xf32, #z>
    // becomes
    %a2 = tilegpu.convert_layout %a : tensor<64x32xf16, #x> -> tensor<64x32xf16, #fragmentA>
    ...
    %c2 = tilegpu.mma "m16n8k16.f16.f16.f32" %a2, %b2, %acc2
    %c = tilegpu.convert_layout %c2 : tensor<64x64xf32, #fragmentC> -> tensor<64x64xf32, #z>
    ```

    8-bit floats without a matrix instruction on the target are widened to f16; `tf32x3` becomes three tf32 dots. Where
    the target has no tf32, float32 operands are not rounded. A
    tile may have fewer rows or columns than the instruction: threads then hold replicas. A dot without a matching
    instruction (f32 in full precision, or less along K than the instruction has) stays a `tile.dot`, with layouts for
    multiply-adds in registers: each thread holds small rectangles of accumulators, and the rows of A and columns of B
    for them over all of K.

    Where the target has matrix instructions of warp groups (`GpuInfo::groupMma`), one takes the dot and the option
    `groups` permits them, it becomes a `tilegpu.group_mma`. Its operands may have any layout, but for an A that is computed from another dot, which
    stays in registers. A tf32 dot whose B is not stored along K is transposed (`transposedC`) if its A is. So is one of
    which only B is converted from a loaded tile of fewer bits. An A like that gets `tilegpu.a_moves_to_registers`.

    Requires: `assign-layouts`.
    Establishes: each dot can be computed by one thread, or by warps without data from others but in shared memory.
    Destroys: nothing. Conversions surround every dot until `propagate-layouts`.
  }];
  let options = [Option<"groups", "groups", "bool", /*default=*/"true",
                        "Whether to use matrix instructions of warp groups.">,
                 Option<"side", "side", "int", /*default=*/"0",
                        "M and N of the matrix instructions where there is one of this size; 0 lets the pass choose.">];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def PropagateLayouts : Pass<"propagate-layouts", "mlir::ModuleOp"> {
  let summary = "Choose layouts that minimize the cost of the whole function";
  let description = [{
    Memory accesses, dots and reductions prefer certain layouts; the operations between them support any. A
    broadcast whose other layouts would all repeat elements in registers may also keep the layout of assign-layouts. The
    pass minimizes the cost of the whole function: conversions between layouts, less efficient accesses and redundant
    work by replicas, each weighted by the trip counts of the surrounding loops (CostModel.h). Conversions move to where
    they convert the fewest bytes and out of loops, and disappear where it is cheaper to rematerialize a tile.

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

    Requires: tiles with layouts; scf control flow.
    Establishes: only conversions that reduce the total cost remain.
    Destroys: nothing.
  }];
  let options = [Option<"printCosts", "print-costs", "bool", "false", "print the remaining operations and their costs">];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def DecomposeReductions : Pass<"decompose-reductions", "mlir::ModuleOp"> {
  let summary = "Decompose reductions, scans and histograms across warps";
  let description = [{
    A reduction across warps becomes a reduction inside each warp, an exchange of the partial
    results, and a reduction of these. Splitting the dimension moves no data: reshape and trans only
    rename coordinates.

    ```mlir
    %s = tile.reduce(%x) 0 {...} : (tensor<256xf32, #two_warps>) -> f32
    // becomes
    %r = tile.reshape %x : tensor<256xf32, #two_warps> -> tensor<2x128xf32, #warp_per_row>
    %p = tile.reduce(%r) 1 {...} : (tensor<2x128xf32, #warp_per_row>) -> tensor<2xf32, #one_per_warp>
    %q = tilegpu.convert_layout %p : tensor<2xf32, #one_per_warp> -> tensor<2xf32, #both_everywhere>
    %s = tile.reduce(%q) 0 {...} : (tensor<2xf32, #both_everywhere>) -> f32
    ```

    The operands of a scan across warps, and of a reduction that planReduction cannot decompose, are
    converted to a layout in which each warp holds whole lines along the dimension.

    The counts of a histogram are in shared memory, to which all threads add their elements:

    ```mlir
    %h = tile.histogram %x 64 : tensor<1024xi32, #x> -> tensor<64xi32, #h>
    // becomes
    %b = tilegpu.local_alloc : !tilegpu.buffer<64xi32, #shared>
    tilegpu.local_store %zeros, %b : tensor<64xi32, #h> -> !tilegpu.buffer<64xi32, #shared>
    tilegpu.local_histogram %x, %b : tensor<1024xi32, #x> -> !tilegpu.buffer<64xi32, #shared>
    %h = tilegpu.local_load %b : !tilegpu.buffer<64xi32, #shared> -> tensor<64xi32, #h>
    ```

    Requires: layouts.
    Establishes: no tile.reduce or tile.scan crosses warps (planReduction, planScan); no tile.histogram.
    Destroys: nothing.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def StageGroupOperands : Pass<"stage-group-operands", "mlir::ModuleOp"> {
  let summary = "Put operands of group_mma into shared memory";
  let description = [{
    The operands of a `group_mma` that its instruction reads from shared memory become buffers, in the layout that the
    instruction reads (`layout::nvmmaShared`). A tile is stored where it is computed, so that an asynchronous copy can
    replace a load and its store, and dots that have it in common share the buffer. A transposition before the dot is
    left to the instruction. An A with `tilegpu.a_moves_to_registers` is converted to registers. Of a tf32 dot, A is
    converted to registers, which round it, and a B that is computed is
    rounded before it is stored, as the instruction cuts off what it reads from shared memory.

    ```mlir
    %t = tile.trans %x : tensor<64x32xf16, #rows> -> tensor<32x64xf16, #columns>
    %r = tilegpu.group_mma "m64k16.f16.f16.f32" %p, %t, %acc
    // becomes
    %b = tilegpu.local_alloc : !tilegpu.buffer<64x32xf16, #shared>
    tilegpu.local_store %x, %b : tensor<64x32xf16, #rows> -> !tilegpu.buffer<64x32xf16, #shared>
    %r = tilegpu.group_mma "m64k16.f16.f16.f32" %p, %b transposed, %acc
    ```

    Requires: layouts.
    Establishes: operands of group_mma are buffers, but for those marked as being in registers.
    Destroys: nothing.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def OverlapGroupMma : Pass<"overlap-group-mma", "mlir::ModuleOp"> {
  let summary = "Keep group_mma in flight across iterations";
  let description = [{
    If a loop's `group_mma` only add to accumulators that nothing else in the loop uses, those of an iteration need not
    have completed before those of the next one start. They become asynchronous. Each iteration waits for those of
    the iteration before, after which the buffers that they have read may be overwritten, and the code after the loop
    waits for all.

    ```mlir
    scf.for iter_args(%acc, %slot) {
      %r = tilegpu.group_mma "m64k16.f16.f16.f32" %a, %b, %acc         // read slot %slot
      scf.yield %r, %next
    }
    // becomes
    scf.for iter_args(%acc, %slot, %before) {
      %r = tilegpu.group_mma "m64k16.f16.f16.f32" async %a, %b, %acc
      %w = tilegpu.group_mma_wait %r pending 1 read %a_before, %b_before
      scf.yield %w, %next, %slot
    }
    %d = tilegpu.group_mma_wait %loop pending 0 read %a_slots, %b_slots
    ```

    In loops like that of attention, where sums use what other `group_mma`, the products, have computed, the sums are in
    flight until the products of the next iteration have completed. Copies that follow these products overlap with both.

    If A is in registers, those of an iteration are in flight until its end, while the next iteration's A is loaded.

    Requires: buffers; loops that `expand-pipeline` has expanded.
    Establishes: nothing.
    Destroys: nothing.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect", "::mlir::arith::ArithDialect"];
}

def RaiseConversions : Pass<"raise-conversions", "mlir::ModuleOp"> {
  let summary = "Convert what operands of dots are computed from instead of the operands";
  let description = [{
    If an operand of a dot is computed from loaded tiles that nothing else uses, the loads are converted to the layout
    of the operand, and the operations between are repeated in it. Then the value that stage-operands stores to shared
    memory is the value loaded, so that an asynchronous copy can replace both. Scalars, constants and indices get any
    layout at no cost, and tiles with at most an eighth of the operand's elements, such as the scales of its rows, are
    converted.

    ```mlir
    %x = tile.load %p : tensor<64x32x!tile.ptr<f16>, #rows>
    %y = arith.mulf %x, %scale : tensor<64x32xf16, #rows>
    %z = tilegpu.convert_layout %y : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #operand>
    // becomes
    %x = tile.load %p : tensor<64x32x!tile.ptr<f16>, #rows>
    %c = tilegpu.convert_layout %x : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #operand>
    %z = arith.mulf %c, %scale : tensor<64x32xf16, #operand>
    ```

    It happens where asynchronous copies can be made iterations ahead in a loop of several stages, if shared memory has
    room for all that the loop loads; at most four threads may repeat an element, and only one if operations take more
    than an instruction. Besides, it happens everywhere if one load crosses warps, only transpositions and casts are
    between, and no more bytes move.

    Requires: layouts; reductions inside warps; the operands of group_mma staged.
    Establishes: nothing.
    Destroys: nothing.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def StageOperands : Pass<"stage-operands", "mlir::ModuleOp"> {
  let summary = "Move conversions across warps through shared memory";
  let description = [{
    A conversion that crosses warps becomes a store to a buffer in shared memory and a load. The
    buffer's layout is chosen for these two accesses (chooseSwizzle), and for ldmatrix where the
    target can load fragments with it.

    ```mlir
    %y = tilegpu.convert_layout %x : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #operand>
    // becomes
    %b = tilegpu.local_alloc : !tilegpu.buffer<64x32xf16, #shared>
    tilegpu.local_store %x, %b : tensor<64x32xf16, #rows> -> !tilegpu.buffer<64x32xf16, #shared>
    %y = tilegpu.local_load %b : !tilegpu.buffer<64x32xf16, #shared> -> tensor<64x32xf16, #operand>
    ```

    A conversion within a warp also goes through shared memory if a loop of several stages loads what it converts for
    dots, and the GPU has asynchronous copies, which can replace the load: shuffles would wait for it in each iteration.

    The result of an atomic that several threads hold goes through shared memory too, as only one of them executes the
    atomic. So does that of a volatile load, as each of them may read another value.

    Requires: layouts; reductions inside warps.
    Establishes: no convert_layout crosses warps (planConversion); the thread that executes an atomic shares its
    result with the others through shared memory.
    Destroys: nothing.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def StageLoads : Pass<"stage-loads", "mlir::ModuleOp"> {
  let summary = "Move loads of loops with a number of stages through shared memory";
  let description = [{
    Loads of a loop for which the user asks for stages, `tile.num_stages`, are stored to buffers and loaded back, so
    that asynchronous copies can replace them: those that can be executed ahead, and of which each thread can copy its
    own elements. Loops in a nest with dots, or with loads that other passes have stored to buffers, are left alone, and
    so are kernels with functions that are not inlined. A loop gets only as many stages as shared memory has room for
    beside a second program on the multiprocessor, but at least one slot.

    Loops of several stages that have dots themselves are pipelined anyway. There, loads from which operands of dots are
    computed are staged, if shared memory has room for all stages, and if the operands that are only loaded can't be
    copies of boxes.

    ```mlir
    %x = tile.load %p mask %m other %o : ...
    // becomes
    %copied = tile.load %p mask %m : ...
    tilegpu.local_store %copied, %b : ...
    %loaded = tilegpu.local_load %b : ...
    %x = arith.select %m, %loaded, %o : ...
    ```

    Requires: layouts.
    Establishes: each thread reads from the buffers what it has written, so that `insert-barriers` needs no barrier.
    Destroys: nothing.
  }];
  let options = [
    Option<"asBoxes", "as-boxes", "bool", /*default=*/"false",
           "whether plan-boxes runs, so that loops with copies of boxes must be left alone">
  ];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect", "::mlir::arith::ArithDialect"];
}

def SliceDotsK : Pass<"slice-dots-k", "mlir::ModuleOp"> {
  let summary = "Slice dots along K, and load operands one slice ahead";
  let description = [{
    A dot whose operands come from shared memory becomes a chain of dots, each with the K of one instruction. The
    operands of each slice are loaded before the dot of the previous slice, so that matrix instructions and loads
    overlap, and at most two slices are in registers.

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

    Requires: `stage-operands`; operands in which only registers map to K beyond the instruction's, as `choose-mma`
    lays them out.
    Establishes: sliced dots.
    Destroys: nothing.
  }];
}

def PlanPipeline : Pass<"plan-pipeline", "mlir::ModuleOp"> {
  let summary = "Decide which loads of a loop are started in earlier iterations";
  let description = [{
    The number of stages of a loop is the user's request, its attribute `tile.num_stages`, or else the module's
    `tilegpu.default_num_stages`. Each load that is only stored to buffers in shared memory, in layouts that let each
    thread copy 4, 8 or 16 bytes at a time, becomes an asynchronous copy, started num_stages - 1 iterations before its
    data are used. The decision is recorded in `tilegpu.schedule` on all operations of the loop: stage 0 for such loads,
    their stores to buffers and the computation of their addresses, and a later stage for the others. Clusters order
    the operations of different stages in an iteration of the pipelined loop.

    ```mlir
    %x = tile.load %p {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>}
    tilegpu.local_store %x, %b {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>}
    %a = tilegpu.local_load %b {tilegpu.schedule = #tilegpu.schedule<stage = 2, cluster = 1, partition = 0>}
    ```

    With `as-boxes`, threads need not be able to copy what a loop loads if all of it can be copies of boxes, as
    `plan-boxes` finds out with the same analysis.

    If another dot follows the last load from these buffers, the operands of the loop's first dot are loaded one
    iteration ahead (in stage num_stages - 1, the rest in stage num_stages), so that waiting for copies and at
    barriers overlaps with a dot.

    Where `group_mma` only add products of copies, outside of nests, and two stages are asked for, the loop gets three if
    three quarters of the programs or more still fit on a multiprocessor: dots in flight read one slot, and copies into
    the other one of two slots would begin when they are waited for.

    If a `group_mma` reads A from registers, and these suffice, A is loaded an iteration ahead in stage num_stages - 2,
    followed by the copies.

    With three stages or more, copies follow the products of copies whose results other `group_mma` of the loop use (see
    `overlap-group-mma`). They are started num_stages - 2 iterations ahead, and the loop gets `tilegpu.kept_slots`: a
    slot that only operations in flight read.

    A loop that contains pipelined loops and has no `tile.num_stages` is pipelined only if shared memory has room for its
    copies, too.

    On a target without asynchronous copies (`GpuInfo::copiesThroughRegisters`), a load that is stored to a buffer is
    started one iteration ahead, in stage 0, into registers, whatever the number of stages, and masked elements have any
    value. Its store is in stage 0, too, but in a later cluster than the rest of the loop in stage 1: registers hold the
    data while those of the previous iteration are read and multiplied. If shared memory has room, `tilegpu.kept_slots`
    asks for a second slot, so that one barrier per iteration is enough. Loops with loops in them stay as they are, and
    all such loops with `through-registers=false`.

    A load is not pipelined if an operation of the loop may write the memory it reads, if one has an effect on all
    memory, as barriers and assertions do, or if its address or mask depends on a load from memory
    that the loop may write. Nor is it pipelined if the
    loop has an atomic that releases or acquires, unless the kernel only reads that memory. As addresses are also
    computed for iterations beyond the last one, the operations that compute them must be speculatable, or divisions,
    which `expand-pipeline` guards.

    Requires: `stage-operands`; `width` on accesses.
    Establishes: `tilegpu.schedule` on the operations of loops that are to be pipelined.
    Destroys: nothing.
  }];
  let options = [
    Option<"throughRegisters", "through-registers", "bool", /*default=*/"true",
           "Start loads ahead that registers hold, where the target has no asynchronous copies">,
    Option<"asBoxes", "as-boxes", "bool", /*default=*/"false",
           "Start loads ahead that only copies of boxes can do, if plan-boxes follows">,
  ];
}

def PlanBoxes : Pass<"plan-boxes", "mlir::ModuleOp"> {
  let summary = "Find loops whose copies one thread can start, as copies of boxes of arrays, and such stores";
  let description = [{
    From sm_90 on, one thread copies a box of an array, which a tensor map describes, to shared memory (TMA). This pass
    finds pipelined loops all of whose copies can be such copies. Their loads get the addresses
    `tilegpu.box_pointers`, whose coordinates are scalars, instead of masks and tiles of pointers.

    ```mlir
    %x = tile.load %p mask %m                           // rows %y to %y + 63 below %M, columns %k to %k + 31
    // becomes
    %p = tilegpu.box_pointers 0[%k, %y]                 // with an extent of %M in the map
    %x = tile.load %p
    ```

    A load qualifies if

    - only `group_mma` read the buffers to which it is stored, in a layout of `layout::nvmmaShared`; or threads load
      what becomes A in registers, and the buffer gets such a layout;
    - its addresses are an argument of the kernel, a multiple of 16 bytes, and sums of products: one dimension of the
      tile is contiguous, the other has a stride that is known at launch and may be a multiple of 16 bytes;
    - its mask is the conjunction of `index < end` for dimensions of the tile, with an end that is known at launch;
    - remainders in its addresses do not wrap, or nothing sees the elements that do, such as rows of a matmul beyond the
      last one, whose results no store writes: `end` is the divisor then;
    - no write of the same program to global memory can precede it, and nothing with which the program may wait for
      another one, such as an atomic or a volatile load, unless nothing writes the array.

    A store outside of such loops becomes a `box_store` if its tile is read from a buffer that only the store needs, if
    its addresses and mask are such, with an end at a multiple of 16 bytes, and if no other access may be to the same
    memory and no atomic may follow. So does one of elements of four bytes outside of any loop, of which warp groups
    hold rows, if as many programs fit on a multiprocessor with a buffer for it.

    An atomic whose result is not used becomes a `box_store` that reduces, inside of pipelined loops, too, if it is
    relaxed, not of the scope of the system, and one of those that boxes can do: additions of f32, f16 and bf16, and
    `add`, `and`, `or` and `xor` of 32-bit integers. Other relaxed atomics may follow it.

    Outside of loops, warp groups store their rows in parts of some columns:

    ```mlir
    %c = local_alloc : <64x32xf32, 2>
    %left = extract_slice %x from [0, 0], %l = local_slot %c[0]
    local_store %left, %l
    box_store 0[%column, %row] of %array from %l
    %right = extract_slice %x from [0, 32], %r = local_slot %c[1]
    local_store %right, %r                              // beside the copy of the left part
    box_store 0[%column + 32, %row] of %array from %r
    box_store_wait %c
    ```

    A loop whose loads only boxes can copy (`plan-pipeline`) and that does not qualify after all loses its schedule.

    Coordinates, strides and extents must not depend on loaded values because the launch checks that no coordinate is
    negative, that strides are multiples of 16 bytes, and that none of the integers in addresses and masks wraps,
    together with what the hardware asks of a tensor map. A launch for which that does not hold runs the kernel's
    variant without maps.

    Requires: `plan-pipeline`.
    Establishes: `tilegpu.tensor_maps` and its steps on the kernel, with arguments for the maps.
    Destroys: nothing.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect", "::mlir::arith::ArithDialect"];
}

def DeferStoreWaits : Pass<"defer-store-waits", "mlir::ModuleOp"> {
  let summary = "Let copies of boxes to global memory run beside the loop's next iteration";
  let description = [{
    `plan-boxes` waits for a copy to global memory right after its start, since the buffer's memory may have other uses.
    In a loop, this pass moves the wait to where the next iteration writes the buffer:

    ```mlir
    scf.for %tile = ... {
      %b = tilegpu.local_alloc
      tilegpu.local_store %x, %b
      tilegpu.box_store 0[%i, %j] of %array from %b
      tilegpu.box_store_wait %b
    }
    // becomes
    %b = tilegpu.local_alloc
    scf.for %tile = ... {
      tilegpu.box_store_wait %b
      tilegpu.local_store %x, %b
      tilegpu.box_store 0[%i, %j] of %array from %b
    }
    tilegpu.box_store_wait %b
    ```

    The buffer then shares no memory with others of the loop. Waits stay where shared memory is too small for that, or for
    as many programs on a multiprocessor as before.

    Requires: buffers with the slots that `expand-pipeline` gives them, where `pipeline-outer-loops` leaves them.
    Establishes: nothing.
    Destroys: nothing.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def ReleaseSlots : Pass<"release-slots", "mlir::ModuleOp"> {
  let summary = "Tell when the slots of a ring are free again";
  let description = [{
    Where `expand-pipeline` has made copies of boxes, each iteration waits until a slot is full. This pass adds a
    `ring_release` after the loop's last read of the slot's data, or of those of the iteration before, if dots are in
    flight that long. If all reads are an iteration ahead, the slot that is read before the loop is released there. No
    barrier of all threads is needed in such a loop: warp groups drift apart, so that one
    computes while the other's matrix instructions run.

    Requires: `overlap-group-mma`, which decides how long dots are in flight.
    Establishes: a release for each use of a slot, which `insert-barriers` relies on.
    Destroys: nothing.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect", "::mlir::arith::ArithDialect"];
}

def RaiseLoads : Pass<"raise-loads", "mlir::ModuleOp"> {
  let summary = "Start loads before an iteration's dots of warp groups, or before the wait for them";
  let description = [{
    A load that is no copy, as that of a row's maximum in the backward pass of attention, comes where the program uses
    its values: after a wait for dots. Nothing moves it across the wait later, and threads would wait for memory when
    the dots have completed. The pass moves such loads, with the computation of their addresses, before the first dot
    of the iteration; if too few registers are left for that, before the first wait.

    ```mlir
    %s = tilegpu.group_mma async ...
    %w = tilegpu.group_mma_wait %s
    %x = tile.load %p
    // becomes
    %x = tile.load %p
    %s = tilegpu.group_mma async ...
    %w = tilegpu.group_mma_wait %s
    ```

    Loads stay where something in the loop may write the memory or orders accesses to it, where their addresses depend
    on dots, and where their values would occupy many registers while the dots run.

    Requires: loops that `expand-pipeline` has expanded, and dots in flight as `overlap-group-mma` leaves them.
    Establishes: nothing.
    Destroys: nothing.
  }];
}

def ExpandPipeline : Pass<"expand-pipeline", "mlir::ModuleOp"> {
  let summary = "Overlap a loop's copies with the work of earlier iterations";
  let description = [{
    Executes the operations of each loop as their `tilegpu.schedule` says, which may also be written by hand: the
    operations of stage s, s iterations later than those of stage 0, and in each iteration in the order of clusters.
    Loads of stage 0 become asynchronous copies, one group per iteration; the copies of the first iterations precede the
    loop. Buffers get as many slots as the schedule requires.

    ```mlir
    scf.for %i = ... {
      %x = tile.load %p {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>}
      tilegpu.local_store %x, %b {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>}
      %a = tilegpu.local_load %b {tilegpu.schedule = #tilegpu.schedule<stage = 1, cluster = 1, partition = 0>}
    }
    // becomes
    %c0 = tilegpu.async_copy %p0, %slots[0] mask %first_exists
    %t0 = tilegpu.async_commit of %c0
    %last = scf.for %i = ... iter_args(%write = 1, %read = 0, %token = %t0) {
      %done = tilegpu.async_wait %token
      %c1 = tilegpu.async_copy %p1, %slots[%write] mask %next_exists
      %t1 = tilegpu.async_commit of %c1
      %a = tilegpu.local_load %slots[%read] after %done
    }
    tilegpu.async_wait %last
    ```

    The wait comes first in its cluster, that of the copies or of the first reads, whichever is earlier. So one barrier
    per iteration, after the wait, is enough: it also separates the loads from a slot from the copy into it. Copies for
    iterations that do not exist are masked out, however short the loop, and divisions for their addresses divide by 1.
    Reads of slots that boxes would fill for such an iteration are in branches.

    On a target without asynchronous copies, loads and their stores to slots stay what they are, at their positions in
    the schedule, and are executed an iteration ahead. Other operations of the loop may use a loaded tile, too.

    Requires: `plan-pipeline`.
    Establishes: asynchronous copies in flight across iterations, and waits for their tokens; `tilegpu.partition` on
    operations of partitions other than 0.
    Destroys: `tilegpu.schedule`.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect", "::mlir::arith::ArithDialect",
                           "::mlir::ub::UBDialect"];
}

def PipelineOuterLoops : Pass<"pipeline-outer-loops", "mlir::ModuleOp"> {
  let summary = "Start the first copies of an inner loop before the outer loop's previous iteration ends";
  let description = [{
    `expand-pipeline` starts the first copies of a loop right before it. If the loop is in another one, as in a persistent
    kernel, each iteration of the outer loop would wait for these copies while the memory is idle. This pass starts them
    where the inner loop of the previous iteration has ended: they are in flight during the rest of that iteration. The
    outer loop carries their tokens and the position in the ring of slots, which continues from tile to tile.

    ```mlir
    scf.for %tile = ... {
      %t0 = copies(%tile)
      %last = scf.for %k = ... iter_args(%slot = 0, %token = %t0) { ... }
      async_wait %last
      stores(%tile)
    }
    // becomes
    %first = copies(%begin) mask %any
    %end = scf.for %tile = ... iter_args(%position = 0, %t0 = %first) {
      %last = scf.for %k = ... iter_args(%slot = %position, %token = %t0) { ... }
      async_wait %last
      %next = copies(%tile + %step) mask %exists
      stores(%tile)
    }
    async_wait %end
    ```

    Copies of boxes go further where the inner loop's bounds are the same for all tiles: each of its iterations starts
    the copies that are as many iterations ahead as slots allow, also those of the next tile, so that they never pause.
    The loops carry the tile and the iteration of the next copies.

    This is done for the first pipelined loop in the body of a loop, unless

    - an operation of the outer loop may write the memory that the copies read, or orders the reads,
    - their addresses depend on memory or on an inner loop,
    - the outer loop has `tile.num_stages` of less than two, or none and copies that are not of boxes (the module's
      default does not count), or
    - the buffers, which then share no memory with others of the outer loop, would not fit into shared memory, or leave
      it for fewer programs on a multiprocessor where the user has not asked for stages.

    Requires: `expand-pipeline`.
    Establishes: copies in flight across iterations of outer loops.
    Destroys: nothing.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect", "::mlir::arith::ArithDialect"];
}

def DecomposeGathers : Pass<"decompose-gathers", "mlir::ModuleOp"> {
  let summary = "Gather from shared memory where shuffles are not enough";
  let description = [{
    A gather whose source elements are in few registers of the same warp is left alone; `tilegpu-to-thread` emits shuffles
    for it. For all others, the source is stored to shared memory, from which each thread loads its elements.

    ```mlir
    %y = tile.gather %x[%i] 0 : tensor<1024xf32, #x>, tensor<256xi32, #i> -> tensor<256xf32, #i>
    // becomes
    %b = tilegpu.local_alloc : !tilegpu.buffer<1024xf32, #shared>
    tilegpu.local_store %x, %b : tensor<1024xf32, #x> -> !tilegpu.buffer<1024xf32, #shared>
    %y = tilegpu.local_gather %b[%i] 0 : !tilegpu.buffer<1024xf32, #shared>, tensor<256xi32, #i> -> tensor<256xf32, #i>
    ```

    Requires: layouts.
    Establishes: no tile.gather crosses warps (planGather).
    Destroys: nothing.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def AllocateShared : Pass<"allocate-shared", "mlir::ModuleOp"> {
  let summary = "Assign every buffer an offset in shared memory";
  let description = [{
    Sets the offsets of `tilegpu.local_alloc`, and the total on the module. Buffers that are not live at the same time
    may share memory; those that several partitions access are live at all times. As sharing costs a barrier, small
    buffers only share memory across a barrier that is needed
    anyway. It is an error if the total exceeds the shared memory of the target.

    Requires: no later pass creates buffers.
    Establishes: offsets; `tilegpu.shared_bytes`.
    Destroys: nothing.
  }];
}

def InsertBarriers : Pass<"insert-barriers", "mlir::ModuleOp"> {
  let summary = "Insert barriers between conflicting accesses of different threads";
  let description = [{
    Puts a `tilegpu.barrier` on every path between two accesses by different threads that may alias, in shared or in
    global memory, if at least one of them writes. A barrier also separates an atomic that releases from all earlier
    accesses of other threads to global memory, and one that acquires from all later ones, except for memory that the
    kernel only reads. Barriers are placed as late as possible and outside of loops where that suffices; none is
    redundant. The time grows linearly with the length of the program. In a function with `tilegpu.group_mma`, a
    `tilegpu.async_fence` precedes each barrier.

    It is an error if operations of different partitions may access the same memory and no token orders them.

    Requires: offsets in shared memory.
    Establishes: threads observe memory accesses in program order.
    Destroys: nothing.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def ResolveWaits : Pass<"resolve-waits", "mlir::ModuleOp"> {
  let summary = "Derive from tokens how many groups a wait may leave in flight";
  let description = [{
    Groups of asynchronous copies complete in order, and the hardware waits until at most `pending` groups are in
    flight. That is the number of groups committed after those of the wait's tokens, on the path with the fewest.

    ```mlir
    %t0 = tilegpu.async_commit of %c0
    %t1 = tilegpu.async_commit of %c1
    %done = tilegpu.async_wait %t0
    // becomes
    %done = tilegpu.async_wait %t0 pending 1
    ```

    Requires: no later pass moves copies, commits or waits.
    Establishes: `pending` on all waits.
    Destroys: nothing.
  }];
}

def SpecializeWarps : Pass<"specialize-warps", "mlir::ModuleOp"> {
  let summary = "Specialize warps: let producer warps start the copies of boxes";
  let description = [{
    Where a loop has `tile.warp_specialize`, or an option says so, the kernel becomes one `tilegpu.specialize_warps`: a
    producer, which waits for free slots of rings and starts copies to them, and the consumers, which do everything else.
    Both are slices of the program, with the loops and branches that they need. So the producer runs ahead, also into the
    next iterations of outer loops, as far as slots are free, and consumers neither compute coordinates nor wait for free
    slots.

    ```mlir
    tilegpu.ring_begin %ring
    tilegpu.barrier
    scf.for %i ... {
      %full = tilegpu.ring_wait %read, %p
      ...
      tilegpu.ring_release %read
      tilegpu.ring_acquire %write, %q expects 4096
      tilegpu.box_copy 0[%i, %c] to %a completes %write
    }
    // becomes
    tilegpu.specialize_warps registers [24, 240] producer {
      tilegpu.barrier joint
      scf.for %i ... {
        tilegpu.ring_acquire %write, %q expects 4096
        tilegpu.box_copy 0[%i, %c] to %a completes %write
      }
    } consumers {
      tilegpu.ring_begin %ring
      tilegpu.barrier joint
      scf.for ... {
        %full = tilegpu.ring_wait %read, %p
        ...
        tilegpu.ring_release %read
      }
    }
    ```

    The first barrier after a `ring_begin` joins the two. A program of several warp groups gets one more; one of its
    warps starts the copies, and its registers move to the other groups. Without `can-move-registers`, and in programs of
    one group, the pass adds one warp, if the tiles leave registers for it.

    The kernel stays as it is if

    - copies are in loops other than scf.for, or depend on tiles, on memory that the kernel may write, or on loads that
      an assertion may guard;
    - another buffer takes memory of the slots while a ring exists;
    - `limits-registers` is set, the program has no room for more threads, or fewer programs would fit on a
      multiprocessor, unless with `always`;
    - assembly, libraries or functions of the kernel may wait at barriers of all threads.

    Requires: offsets of buffers, and all barriers and releases.
    Establishes: `tilegpu.producer_warps`, and `tilegpu.registers` if registers move, on the module of a kernel that it
      specializes; `tilegpu.partition` on the operations of the producer.
    Destroys: the order of copies among other operations.
  }];
  let options = [
    Option<"always", "always", "bool", "false", "do it without a request">,
    Option<"never", "never", "bool", "false", "only state that it is not done where a loop asks for it">,
    Option<"automatic", "automatic", "bool", "false", "do it without a request where it is expected to pay">,
    Option<"limitsRegisters", "limits-registers", "bool", "false", "the user limits the registers of all threads">,
    Option<"canMoveRegisters", "can-move-registers", "bool", "true",
           "the assembler supports that warp groups exchange registers">,
  ];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def TakeTurns : Pass<"take-turns", "mlir::ModuleOp"> {
  let summary = "Let two warp groups start their matrix instructions alternately";
  let description = [{
    In loops like that of attention, a warp group either computes or waits for its matrix instructions. The tensor
    cores are busy all the time if one group computes while those of the other run. Without order, groups tend to do
    the same at the same time. The pass makes each group wait for its turn before the sum of an iteration, and pass the
    turn on after the products of the next one.

    ```mlir
    scf.for ... {
      %s = tilegpu.group_mma async %q, %k, %zero
      ...
      %r = tilegpu.group_mma async %p registers, %v, %acc
    }
    // becomes
    tilegpu.take_turn only 1
    scf.for ... {
      %s = tilegpu.group_mma async %q, %k, %zero
      tilegpu.pass_turn
      ...
      tilegpu.take_turn
      %r = tilegpu.group_mma async %p registers, %v, %acc
    }
    tilegpu.pass_turn only 0
    ```

    This is done for programs of two groups, where a multiprocessor has shared memory for one program only, in loops
    with copies of boxes into rings of three slots or more, or of two if a producer fills them, and without barriers,
    also in assembly.

    Requires: offsets of buffers, and all barriers: nothing else that makes groups wait for each other comes later.
    Establishes: nothing.
    Destroys: nothing.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def GuardSelects : Pass<"guard-selects", "mlir::ModuleOp"> {
  let summary = "Skip selections by masks of which all elements are true";
  let description = [{
    Loops often compute with tiles of which only the last, or those on a diagonal, are masked. A mask that compares sums
    of scalars and indices is true for all elements where the comparison holds for the largest difference, which is a
    comparison of scalars. The pass branches on it around selections by such masks; where the selected value is a
    constant, it looks for masks that are false for all elements.

    ```mlir
    %m = arith.cmpi sge, %rows, %columns         // %first + 0 .. 127, %start + 0 .. 63
    %y = arith.select %m, %x, %other
    // becomes
    %all = (%start + 63 <= %first), and neither sum wraps
    %y = scf.if %all {
      scf.yield %x
    } else {
      %m = arith.cmpi sge, %rows, %columns
      %s = arith.select %m, %x, %other
      scf.yield %s
    }
    ```

    The scalars have 64 bits. Integers of tiles may wrap; where one does, the selection is not skipped.

    Requires: nothing. Must run after all other passes that look for selections because they do not look through
    the branch.
    Establishes: nothing.
    Destroys: nothing.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def StartFromZero : Pass<"start-from-zero", "mlir::ModuleOp"> {
  let summary = "Let the first dot of a loop take its accumulator for zero";
  let description = [{
    A loop of dots usually begins with an accumulator of zeros, which each thread would write to its registers before
    the loop; in a persistent kernel, before each tile. The hardware can leave out the addition instead:

    ```mlir
    %r = scf.for %k = %first to %end ... iter_args(%a = %zero) {
      %b = tilegpu.group_mma async %x, %y, %a
    // becomes
    %any = arith.cmpi slt, %first, %end
    %r = scf.if %any {
      %s = scf.for %k = %first to %end ... iter_args(%a = %poison) {
        %continues = arith.cmpi ne, %k, %first
        %b = tilegpu.group_mma async %x, %y, %a if %continues
      ...
      scf.yield %s
    } else {
      scf.yield %zero
    }
    ```

    This is done for accumulators that nothing else in the loop reads, of asynchronous dots.

    Requires: nothing. Must run after the passes that match loops because it wraps them in `scf.if`.
    Establishes: nothing.
    Destroys: nothing.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"];
}

def AnnotateConstancy : Pass<"annotate-constancy", "mlir::ModuleOp"> {
  let summary = "Say which elements of a mask are equal";
  let description = [{
    Comparisons of tiles get what axis analysis knows about their results: for each dimension, the length of aligned
    runs of equal elements. `tilegpu-to-thread` computes one element of those that a thread holds of a run.

    ```mlir
    %m = arith.cmpi slt, %i, %n : tensor<1024xi32, #rows>
    // becomes, if 4 divides %n
    %m = arith.cmpi slt, %i, %n {tilegpu.constancy = array<i64: 4>} : tensor<1024xi32, #rows>
    ```

    Requires: no later pass on tiles changes comparisons: it could keep the attribute.
    Establishes: `tilegpu.constancy`.
    Destroys: nothing.
  }];
}

def WarnLargeTiles : Pass<"warn-large-tiles", "mlir::ModuleOp"> {
  let summary = "Warn of a tile that does not fit into registers";
  let description = [{
    A thread has at most 255 registers of 32 bits. Tiles that need several times as many are stored to memory and loaded
    again, and the time to compile them grows. The warning is for the kernel's largest tile of data, if it needs more
    than 512 registers of each thread.

    Requires: layouts.
    Establishes: nothing.
    Destroys: nothing.
  }];
}

#endif // TILEWRIGHT_DIALECT_TILEGPU_TRANSFORMS_PASSES
