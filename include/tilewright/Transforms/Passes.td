// The passes of lib/Transforms, which rewrite upstream's dialects in place. Each description ends with the pass's
// contract: requires, establishes, destroys.

#ifndef TILEWRIGHT_TRANSFORMS_PASSES
#define TILEWRIGHT_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def SpecializeRanges : Pass<"specialize-ranges", "mlir::ModuleOp"> {
  let summary = "Mark index arithmetic that does not wrap, with conditions checked at launch";
  let description = [{
    Integer arithmetic wraps. A comparison, a division, an extension or a pointer computed from consecutive indices
    can only rely on their being consecutive if the arithmetic does not wrap. This pass propagates the ranges of a
    kernel's integers from the grid, its integer arguments and the bounds of its loops, and rewrites operations
    accordingly:

    ```mlir
    %o = arith.addi %a, %b : tensor<128xi32>     ->  arith.addi %a, %b overflow<nsw> : tensor<128xi32>
    %q = arith.divsi %o, %n                      ->  arith.divui %o, %n     neither is negative; also remsi, floordivsi
    %c = arith.cmpi ult, %o, %n                  ->  arith.cmpi slt, %o, %n
    %w = arith.extui %o                          ->  arith.extsi %o
    %e = arith.cmpi eq, (arith.extsi %o), %y     ->  arith.cmpi eq, %o, %n  %n is %y if it has 32 bits, else -1
    ```

    Facts that hold for every launch need no condition. With `at-launch`, the pass also uses facts that depend on the
    arguments and the grid, and adds them to the module's attribute `tile.launch_conditions`, which the runtime
    evaluates before each launch (Runtime/LaunchConditions.h). A launch for which they do not hold runs a variant
    compiled without the option. Operations that tell axis analysis nothing are left alone.

    A loop whose index plus its step may wrap would never reach its upper bound. That the sum does not wrap is a
    condition like the others. If it cannot be evaluated at launch, the loop counts its iterations, and its index is
    computed from their number.

    Requires: calls are inlined; each argument has its slot in `tile.slot`.
    Establishes: `tile.launch_conditions` if there are any conditions.
    Destroys: nothing.
  }];
  let options = [Option<"atLaunch", "at-launch", "bool", "true", "use facts that can be checked at launch">];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def MarkSmallOffsets : Pass<"mark-small-offsets", "mlir::ModuleOp"> {
  let summary = "Mark accesses less than 2 GiB behind an argument, with conditions checked at launch";
  let description = [{
    Marks each load and store of tiles whose addresses are those of one argument plus 0 to 2^31 - 1 bytes:

    ```mlir
    %p = tile.addptr %x, %offsets                %p = tile.addptr %x, %offsets
    %v = tile.load %p mask %m               ->   %v = tile.load %p mask %m {tile.small_offsets}
    ```

    `tilegpu-to-thread` lets a marked access have the argument and an offset of 32 bits as operands. The mark speaks of
    elements that the mask selects, so that a pass may run an access ahead for an iteration that does not exist, as long
    as it masks the access there.

    Ranges of integers prove it (Analysis/PointerOffsets.h). With `at-launch`, what they are depends on the arguments
    and the grid, and is added to `tile.launch_conditions`, as `specialize-ranges` does. Accesses are left alone whose
    condition fails in a launch of one program with all arguments 1, or all 1024: those with a constant that makes an
    offset negative, for example, would cost all launches the variant with other conditions.

    Where a loop adds the same distance to all pointers of a tile, the addition of what they start from is marked, too,
    if its offsets also are small: `tilegpu-to-thread` then adds the distance to the argument.

    Left alone are also scalars, which threads load together by other instructions, volatile loads, and accesses to
    pointers.

    Requires: calls are inlined; each argument has its slot in `tile.slot`. Must run after `specialize-ranges`.
    Establishes: the marks; passes that give an access another address must remove its mark.
    Destroys: nothing.
  }];
  let options = [Option<"atLaunch", "at-launch", "bool", "true", "use facts that can be checked at launch">];
}

def WidenConstants : Pass<"widen-constants", "mlir::ModuleOp"> {
  let summary = "Compute offsets in 64 bits if the constants in them have a sum or product of more than 32";
  let description = [{
    An address is the mathematical result of the signed arithmetic that it is computed with (specialize-ranges). But
    simplifications compute with the constants of 32-bit operations modulo 2^32:

    ```mlir
    %a = arith.muli %id, 65536 : i32         %a = arith.muli %id, 65536 : i32
    %b = arith.muli %a, 65536 : i32      ->  %b = arith.muli (extsi %a), 65536 : i64   which is not %id * 0
    %p = tile.addptr %x, %b : i32            %p = tile.addptr %x, %b : i64
    ```

    This pass replaces the operations whose constants have a sum or a product of more than 32 bits, and all arithmetic
    in addresses that depends on them. All other code remains as it is.

    Requires: calls are inlined; no simplification has replaced an operation on constants.
    Establishes: no simplification of sums and products changes an address.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def RecordWrites : Pass<"record-writes", "mlir::ModuleOp"> {
  let summary = "List the arguments whose memory a kernel may write";
  let description = [{
    Sets the module's attribute `tile.written_slots` to the slots of all arguments from which the pointer of a store or
    an atomic may be derived. The runtime refuses a launch with a read-only array in one of them.

    Requires: calls are inlined; each argument has its slot in `tile.slot`.
    Establishes: `tile.written_slots`.
    Destroys: nothing.
  }];
}

def InferArguments : Pass<"infer-arguments", "mlir::ModuleOp"> {
  let summary = "Note on arguments of called functions what axis analysis knows at every call";
  let description = [{
    Sets `tile.contiguity`, `tile.divisibility` and `tile.constancy` on the arguments of functions that `tile.call`
    calls, so that accesses in them can be as wide as if they were inlined.

    Requires: no recursion. Should run after `specialize-ranges`, whose marks tell axis analysis more.
    Establishes: nothing.
    Destroys: nothing.
  }];
}

def ScalarizeCalls : Pass<"scalarize-calls", "mlir::ModuleOp"> {
  let summary = "Pass vectors between functions as their elements";
  let description = [{
    A calling convention for a thread's share of a tile: NVIDIA's has no vectors of booleans, and aligns others to their
    size.

    Requires: each function has one block and one `func.return`.
    Establishes: no private function takes or returns a vector.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::vector::VectorDialect"];
}

def HoistReleases : Pass<"hoist-releases"> {
  let summary = "Release once before a loop that waits for a lock, instead of in each iteration";
  let description = [{
    An atomic that releases makes the thread wait until other programs would see all of its earlier writes, also where
    there are none, as in each further attempt to take a lock. This pass replaces the release by a fence before the loop:

    ```mlir
                                                     scf.if %mask {
                                                       thread.fence <gpu>
    scf.while {                                      scf.while {
      %old = thread.compare_exchange <acq_rel>  ->     %old = thread.compare_exchange <acquire>
      scf.condition(%old == 1)                         scf.condition(%old == 1)
    ```

    A fence and a later write by the same thread release what precedes the fence (PTX ISA, "Release and acquire
    patterns"). The loop must not write anything else that other programs see, and its atomic must be one of the
    first thread, at one address, with the scope of the GPU; else each iteration would have to release what those before
    have written or acquired. No barrier may precede the atomic in the loop, as it may be the one after which the thread
    releases what other threads wrote.

    Requires: thread-level code in scf form with its barriers.
    Establishes: nothing.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::scf::SCFDialect", "tilewright::thread::ThreadDialect"];
}

def DefinePoison : Pass<"define-poison"> {
  let summary = "Replace poison by zeros";
  let description = [{
    NVIDIA's assemblers before CUDA 12.9 execute `wgmma` instructions one at a time if their accumulators begin
    undefined, as `start-from-zero` lets them:

    ```mlir
    %a = ub.poison : vector<128xf32>     ->     %a = arith.constant dense<0.0> : vector<128xf32>
    ```

    Poison of types without a constant of arith, such as pointers, stays.

    Requires: nothing.
    Establishes: accumulators are defined.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::ub::UBDialect"];
}

def HoistInvariants : Pass<"hoist-invariants"> {
  let summary = "Move operations that do not depend on the iteration out of loops";
  let description = [{
    Upstream's `loop-invariant-code-motion`, except for loops with the attribute `tile.disable_licm`: nothing moves out
    of them.

    Requires: nothing.
    Establishes: loops without the attribute have no operation that could be hoisted.
    Destroys: nothing.
  }];
}

def DropUnitDims : Pass<"drop-unit-dims"> {
  let summary = "Access tiles of three and more dimensions without their dimensions of size 1";
  let description = [{
    A tensor descriptor of a batch of matrices has blocks of 1 x M x K. Layouts, copies of boxes and the pipelining of
    loops know tiles of two dimensions. So a load, store or atomic of a tile with more dimensions loses those of size 1,
    from the outermost one, until two remain; addresses, masks and values are reshaped, and the reshapes move to where
    the dimensions come from. Most programs reshape what they load to the same shape, and both reshapes vanish.

    Values with other uses are not computed twice, but addresses and masks may be. Reshapes of kernels without such
    accesses are left alone.

    Requires: tiles without layouts.
    Establishes: no access to a tile of more than two dimensions has dimensions of size 1.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "tilewright::tile::TileDialect"];
}
def PredicateLoads : Pass<"predicate-loads"> {
  let summary = "Execute the loads for conditional dots in every iteration, masked by the condition";
  let description = [{
    A load in a branch of a loop, such as one after `continue`, cannot be started in an earlier iteration:
    `plan-pipeline` takes only loads that every iteration executes. This pass moves the loads from which the operands of
    dots in a branch are computed before it, with their addresses, and masks them by the branch's condition. Where it is
    false, they read nothing, and their values are not used.

    A load stays if an operation before it in the branch may write memory or order accesses, if it is volatile, or if
    computing its address could be undefined where the condition is false, as a division is. So do the loads of a branch
    for which shared memory has no room in all stages of the loop: branches that exclude each other would otherwise
    share it. Loops with one stage keep their loads, too.

    Requires: tiles without layouts.
    Establishes: nothing.
    Destroys: nothing.
  }];
  let options = [
    Option<"numStages", "num-stages", "int", "3", "default number of pipeline stages of loops">,
    Option<"sharedBytes", "shared-bytes", "int64_t", "166912", "shared memory of a program">];
  let dependentDialects = ["mlir::arith::ArithDialect", "tilewright::tile::TileDialect"];
}

def SpeculateLoads : Pass<"speculate-loads"> {
  let summary = "Start loads before a branch if the code after the branch stores to the same addresses";
  let description = [{
    Where programs add to a sum in memory under a lock, the first one stores its value, and the others load the sum, add
    to it and store it. The load waits for the condition, which is often loaded too, and the lock is held meanwhile. This
    pass moves such loads before the branch, so that both waits overlap:

    ```mlir
    %s = scf.if %isFirst {                      %x = tile.load %p mask %m
      scf.yield %v                              %s = scf.if %isFirst {
    } else {                                      scf.yield %v
      %x = tile.load %p mask %m        ->       } else {
      %sum = arith.addf %v, %x                    %sum = arith.addf %v, %x
      scf.yield %sum                              scf.yield %sum
    }                                           }
    tile.store %p, %s mask %m                   tile.store %p, %s mask %m
    ```

    The store proves that the addresses exist. If another program may write them at the same time, the store is a race,
    with or without this pass: between the branch and the store are no atomics and no barriers, and in the other region
    no loops, which could wait for another program, and no assertions. An atomic that does not wait guarantees no order.
    A load stays if an operation before it in its region writes memory or orders accesses, or if it is volatile.

    Requires: tiles without layouts.
    Establishes: nothing.
    Destroys: nothing.
  }];
}

def WarnEndlessLoops : Pass<"warn-endless-loops"> {
  let summary = "Warn of a `while` that waits for memory by a plain load";
  let description = [{
    Emits a warning at a load if the condition of an `scf.while` depends on it and on nothing else that changes in the
    loop: its address is always the same, and the loop neither stores to that memory nor orders its accesses by an
    atomic, a barrier, inline assembly or a call. The code generators then load once, and the loop does not end; or it
    is removed, if only its waiting matters.

    Requires: nothing. Should run before `canonicalize`, which removes loops without results and effects.
    Establishes: nothing.
    Destroys: nothing.
  }];
}

def DropDeadCarried : Pass<"drop-dead-carried"> {
  let summary = "Stop loops from computing values that nothing uses";
  let description = [{
    If no operation uses a result of an `scf.for`, and all that is computed from the argument in the loop is its value in
    the next iteration, the loop yields the argument unchanged. `canonicalize` then removes it, and what computed it. A
    library may keep a maximum in a loop over tiles that only some of its variants store: a reduction of all of the tile.

    Requires: nothing.
    Establishes: nothing.
    Destroys: nothing.
  }];
}

def CheckBounds : Pass<"check-bounds", "mlir::ModuleOp"> {
  let summary = "Assert that each memory access is within the bounds of the kernel's arrays";
  let description = [{
    For GPUs; on the host, `tile-to-vector` checks bounds. Kernels get additional arguments in hidden slots: the
    address and size of each array, and a mailbox for the first failure. The attribute `tile.checked_accesses` lists
    the accesses; assertions report an index into it, counted from 1.

    Requires: calls are inlined; each argument has its slot in `tile.slot`.
    Establishes: no thread accesses memory out of bounds, except through pointers computed from integers.
    Destroys: nothing. Loops with assertions are not pipelined.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "tilewright::tile::TileDialect"];
}

def ReportAsserts : Pass<"report-asserts", "mlir::ModuleOp"> {
  let summary = "Report the number and the program of a failed assertion to the host";
  let description = [{
    For GPUs, whose driver says only that an assertion failed. A kernel with assertions gets an additional argument in a
    hidden slot, the mailbox, unless `check-bounds` has added it; so do the functions with assertions that it calls. The
    attribute `tile.asserts` lists messages and positions; assertions report an index into it, counted from 1 plus the
    number of checked accesses. Those of check-bounds are left as they are. Assertions whose numbers would not fit a
    report have none.

    Requires: at most one kernel, and no recursion. Must run after `check-bounds`, whose assertions have the first
    numbers.
    Establishes: each assertion has a mailbox, except for those whose numbers do not fit.
    Destroys: nothing.
  }];
  let dependentDialects = ["tilewright::tile::TileDialect"];
}

def MakePersistent : Pass<"make-persistent", "mlir::ModuleOp"> {
  let summary = "Execute several programs of the grid in one, in a loop";
  let description = [{
    ```mlir
    func.func @kernel(%x: !tile.ptr<f32>) attributes {tile.kernel} {
      %p = tile.program_id 0 : i32
      ...
    // becomes, with the grid of the launch in hidden arguments
    func.func @kernel(%x: !tile.ptr<f32>, %columns: i32, %rows: i32, %layers: i32)
        attributes {tile.kernel, tile.persistent} {
      scf.for %program = %first to %programs step %started : i32 {
        %p = arith.remsi %program, %columns : i32
        ...
    ```

    The launcher starts as many programs as run at the same time, in a grid of one dimension, and rejects grids of more
    than `kMostPersistentPrograms`, so that the loop's counter does not wrap. Each program executes its share in
    increasing order: waiting for a program with a lower number cannot deadlock.

    With `automatic`, only products become persistent that are expected to be faster then (Benefit.h), and the pass does
    not warn.

    The pass warns, and leaves a kernel unchanged, if it has assertions, checks or prints, takes part in the order of
    grids (`gdc_wait`, `gdc_launch_dependents`), may read its position in assembly or in a library's function, or if
    launches are `cooperative`: all programs run at the same time then.

    Requires: one basic block; no calls; must run after `specialize-ranges`, whose conditions are about the launch's
    grid.
    Establishes: `tile.persistent` on the kernel.
    Destroys: nothing.
  }];
  let options = [Option<"cooperative", "cooperative", "bool", "false", "programs may wait for any other">,
                 Option<"automatic", "automatic", "bool", "false", "only kernels that are expected to be faster">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::scf::SCFDialect", "tilewright::tile::TileDialect"];
}

def FuseMultiplyAdd : Pass<"fuse-multiply-add"> {
  let summary = "Fuse a multiplication and an addition of floats";
  let description = [{
    ```mlir
    %p = arith.mulf %x, %y : tensor<64xf32>
    %s = arith.subf %p, %z : tensor<64xf32>
    // becomes
    %n = arith.negf %z : tensor<64xf32>
    %s = math.fma %x, %y, %n : tensor<64xf32>
    ```

    where the sum is the only use of the product, and is in the same block. Of two such products, the left one is fused.
    A product that is only reduced, by a combiner that only adds its elements, gets the fast-math flag `contract`, and so
    does that addition: the back end may fuse them where it adds up a thread's elements.

    A tile may be computed several times, at several places or in several layouts, which then have to be rounded alike:
    therefore the back end does not decide.

    Requires: must run before tiles are computed twice, and before `expand-math` and the other expansions because their
    arithmetic relies on every rounding.
    Establishes: nothing.
    Destroys: nothing.
  }];
  let options = [Option<"narrow", "narrow", "bool", "false", "also fuse operations of f16 and bf16">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect"];
}

def SplitVectors : Pass<"split-vectors", "mlir::ModuleOp"> {
  let summary = "Split vectors of many elements into pieces";
  let description = [{
    A GPU's thread holds its part of a tile in registers, as one vector. Passes of LLVM take time that grows with the
    square of a vector's length: they visit all uses of a vector for each element that is extracted, and copy a vector
    for each element that is inserted. With pieces of 16 elements, the time grows with the number of elements. Vectors of
    at most `max-elements` elements are kept: for these, the time is short in any case.

    ```mlir
    %y = math.exp %x : vector<256xf32>
    %e = vector.extract %y[40] : f32 from vector<256xf32>
    // becomes
    %y0 = math.exp %x0 : vector<16xf32>
    %y1 = math.exp %x1 : vector<16xf32>
    ...
    %e = vector.extract %y2[8] : f32 from vector<16xf32>
    ```

    In modules in which a block's values need more registers than a thread may have, as `shorten-lifetimes` counts them,
    pieces have 4 elements, and shorter vectors are split, too.

    Requires: control flow in scf form.
    Establishes: no vector of one dimension with more than `max-elements` elements remains in elementwise operations,
    constants, broadcasts, extractions, shuffles, casts of bits, reductions of integers, and control flow; other operations keep theirs.
    Destroys: nothing.
  }];
  let options = [Option<"maxElements", "max-elements", "int64_t", "128", "the number of elements of the longest vectors that are kept">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::vector::VectorDialect"];
}

def ShortenLifetimes : Pass<"shorten-lifetimes", "mlir::ModuleOp"> {
  let summary = "Order operations by their uses where registers would not suffice";
  let description = [{
    Code for tiles has each operation for all of a thread's elements before the next operation: with 256 elements, all
    intermediate results live at the same time, and the assembler stores most of them to local memory. In blocks whose
    values need more registers than a thread may have, each operation moves to right before the first one that needs it,
    so that a store is preceded by what its elements are computed from, and loads come up to 32 words earlier. Accesses
    that may alias keep their order. Of stores to different arrays, as `thread.noalias` says, the one that needs the
    least of what is not computed yet comes next. Nothing changes if this order needs more than three quarters of the
    registers that the old one needs, as where all elements are needed for a sum, and again after it.

    Requires: `split-vectors`: what a long vector is computed from cannot be computed in turn. `guard-division`: a
    division may move above an assertion about its divisor.
    Establishes: `tilegpu.short_lifetimes` if a block has another order.
    Destroys: `thread.noalias`.
  }];
}

def SplitMasks : Pass<"split-masks"> {
  let summary = "Split operations on vectors of i1 into scalar ones";
  let description = [{
    On an NVIDIA GPU each predicate has its own register, but LLVM's code generator packs the bits of a vector of i1
    into words. Elementwise operations on such vectors become one operation per element. Unused ones are removed: if
    four elements share a mask, three of the four comparisons are.

    ```mlir
    %m = arith.cmpi slt, %i, %n : vector<2xi32>
    // becomes
    %i0 = vector.extract %i[0] : i32 from vector<2xi32>
    %n0 = vector.extract %n[0] : i32 from vector<2xi32>
    %m0 = arith.cmpi slt, %i0, %n0 : i32
    ...
    %m = vector.from_elements %m0, %m1 : vector<2xi1>
    ```

    Requires: vectors of rank 1.
    Establishes: no elementwise operation on a vector of i1.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::vector::VectorDialect"];
}

def ExpandFloat8 : Pass<"expand-float8", "mlir::ModuleOp"> {
  let summary = "Lower 8-bit floats to bytes and expand their conversions";
  let description = [{
    Arithmetic is computed in f32 and rounded; `tile.dot` computes with f16, which represents all their values.
    Conversions become integer arithmetic or, if the module's target has them, instructions that convert two elements
    at once. Conversions to 8-bit floats saturate.

    ```mlir
    %y = arith.extf %x : vector<2xf8E4M3FN> to vector<2xf16>
    // becomes, for a target that has the instruction
    %y = thread.extend_pairs %bytes from f8E4M3FN : vector<2xi8> -> vector<2xf16>
    ```

    Requires: nothing. On a GPU, must run after `tilegpu-to-thread` because matrix instructions depend on
    the types.
    Establishes: no type f8E5M2, f8E4M3FN, f8E5M2FNUZ or f8E4M3FNUZ remains.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect", "mlir::vector::VectorDialect",
                           "::tilewright::thread::ThreadDialect"];
}

def ExpandMath : Pass<"expand-math"> {
  let summary = "Expand math functions into SIMD arithmetic";
  let description = [{
    Expands `math` functions on f32 and f64, for scalars and vectors of any shape, into `arith` and `math.fma`
    operations that vectorize without library calls. f16 and bf16 are extended to f32 and rounded back. docs/math.md
    lists errors and special values.

    ```mlir
    %e = math.exp %x : vector<16xf32>
    // becomes a clamp, a reduction, a polynomial (seven math.fma) and two multiplications by a power of two.
    ```

    Functions without an expansion are left to `convert-math-to-llvm` and `convert-math-to-libm`, as are operations
    that lower to one instruction (floor, ceil, sqrt, fma, absf, roundeven, trunc, copysign). For a GPU, functions
    that `math-to-ptx` lowers are left too, and the other expansions use its exp.

    Requires: must run before the lowering of scf because sin and cos expand to `scf.if`.
    Establishes: no function with an expansion remains; powf remains on f64 only.
    Destroys: nothing.
  }];
  let options = [Option<"gpu", "gpu", "bool", "false", "for a GPU: keep exp, exp2 and rsqrt">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

def ExpandDivision : Pass<"expand-division"> {
  let summary = "Expand f32 divisions into products with a reciprocal of twice the precision";
  let description = [{
    For GPUs, whose approximate division has an error of up to 2 ulp even if the exact quotient is representable. The
    expansion rounds to nearest, except for quotients that are nearly denormal: see docs/math.md. Divisions with
    `tile.precise` are left alone.

    ```mlir
    %ds = vector.broadcast %d : f32 to vector<4xf32>
    %q = arith.divf %x, %ds : vector<4xf32>
    // becomes, omitting the scaling of the divisor and what is done for zeros and infinities
    %high = thread.reciprocal %d : f32
    %e = math.fma %minus_high, %d, %one : f32
    %low = arith.mulf %high, %e : f32
    %highs = vector.broadcast %high : f32 to vector<4xf32>
    %lows = vector.broadcast %low : f32 to vector<4xf32>
    %rest = arith.mulf %x, %lows : vector<4xf32>
    %q = math.fma %x, %highs, %rest : vector<4xf32>
    ```

    Requires: divisors shared by several elements are a `vector.broadcast` or `vector.shuffle` of the distinct ones.
    Must run after `fuse-multiply-add`, as the arithmetic it emits must not be contracted.
    Establishes: no `arith.divf` of f32 without `tile.precise`.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect", "mlir::vector::VectorDialect",
                           "::tilewright::thread::ThreadDialect"];
}

def ExpandRemainder : Pass<"expand-remainder"> {
  let summary = "Expand floating-point remainders into an exact loop";
  let description = [{
    For code generators whose expansion is inexact for large quotients, as LLVM's for PTX is. f16 and bf16 are
    computed in f32.

    Requires: nothing.
    Establishes: no `arith.remf` remains; loops in scf form.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

def ExpandMinMax : Pass<"expand-min-max"> {
  let summary = "Expand floating-point minima and maxima into comparisons and selects";
  let description = [{
    Requires: nothing.
    Establishes: no arith.maxnumf, minnumf, maximumf or minimumf remains.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def GuardDivision : Pass<"guard-division"> {
  let summary = "Keep integer divisions from undefined behavior";
  let description = [{
    Divides by one where the divisor is zero or the signed quotient overflows. Divisions by other constants, and those
    with `tile.safe_division`, are left alone.

    Requires: nothing.
    Establishes: no arith.divsi, divui, remsi or remui divides by zero or overflows. Divisions that round, such as
    floordivsi, are not covered; the front end emits none.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def StrictRounding : Pass<"strict-rounding"> {
  let summary = "Round narrow floating-point types after each operation";
  let description = [{
    Requires: nothing.
    Establishes: no arith.extf or truncf has fast-math flags, so that later passes do not remove
    any.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def ReturnOnAssert : Pass<"return-on-assert", "mlir::ModuleOp"> {
  let summary = "Return a distinct status for each failed assertion";
  let description = [{
    Each `cf.assert` becomes a branch to a return of its index in the module, counted from 1. The attribute
    `tile.asserts` of public functions lists messages and positions in that order. An assertion with the attribute
    `tile.status` returns that value instead, and is not listed. Where a called function can fail, its caller returns
    the same status.

    Requires: cf control flow; the first result of functions with assertions is an i32, where 0 means success.
    Establishes: no `cf.assert` remains.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect", "mlir::LLVM::LLVMDialect"];
}

def NvvmKernel : Pass<"nvvm-kernel", "mlir::ModuleOp"> {
  let summary = "Mark kernels for NVVM with their number of threads";
  let description = [{
    ```mlir
    llvm.func @add(...) attributes {tile.kernel}
    // becomes, in a module with 4 warps
    llvm.func @add(...) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>}
    ```

    Parameters that are passed by value get `nvvm.grid_constant`: nothing writes to them, so their addresses can be
    taken without a copy. Annotations of loops, which upstream's conversions leave as `llvm.loop_annotation` on
    branches, become those that are exported to LLVM. Other functions get `no_inline`, which upstream's conversion of
    functions drops: those that may be inlined have been.

    Requires: functions are `llvm.func`.
    Establishes: kernels have `nvvm.kernel` and a fixed number of threads.
    Destroys: `tile.kernel`.
  }];
  let options = [Option<"maxRegisters", "max-registers", "int", "0", "maximum registers per thread; 0 for no limit">];
  let dependentDialects = ["mlir::NVVM::NVVMDialect"];
}

def RocdlKernel : Pass<"rocdl-kernel", "mlir::ModuleOp"> {
  let summary = "Mark kernels for ROCDL with their number of threads";
  let description = [{
    ```mlir
    llvm.func @add(...) attributes {tile.kernel}
    // becomes, in a module with 4 warps of 64 lanes
    llvm.func @add(...) attributes {rocdl.kernel, rocdl.flat_work_group_size = "256,256"}
    ```

    Parameters that are passed by value become addresses in constant memory, where the kernel's arguments are.
    Annotations of loops, which upstream's conversions leave as `llvm.loop_annotation` on branches, become those that
    are exported to LLVM.

    Requires: functions are `llvm.func`.
    Establishes: kernels have `rocdl.kernel` and a fixed number of threads.
    Destroys: `tile.kernel`.
  }];
  let options = [Option<"maxRegisters", "max-registers", "int", "0", "maximum registers per thread; 0 for no limit">,
                 Option<"wavesPerEu", "waves-per-eu", "int", "0",
                        "warps that should fit on a SIMD at once; 0 lets LLVM choose">];
  let dependentDialects = ["mlir::ROCDL::ROCDLDialect"];
}

def RestoreLocations : Pass<"restore-locations"> {
  let summary = "Give every operation a position in the source";
  let description = [{
    An operation without a position gets that of the enclosing operation. A call stack, which inlining may nest in any
    way, becomes a list of positions from the innermost call outwards, without frames that have no position. The pass
    that emits debug information requires both, as it dereferences the position of the innermost frame.

    ```mlir
    loc(callsite(callsite("a.py":1:1 at unknown) at "c.py":3:3))
    // becomes
    loc(callsite("a.py":1:1 at "c.py":3:3))
    ```

    Requires: nothing.
    Establishes: every operation nested in an operation with a position has one.
    Destroys: names and metadata of locations.
  }];
}

def WhileToFor : Pass<"while-to-for"> {
  let summary = "Count the iterations of loops with dots before they begin";
  let description = [{
    A `while` loop, and a loop with `break` or `return`, is an `scf.while`: its trip count is not known when it begins,
    so that no load of a later iteration can be started early. This pass makes such a loop an `scf.for` if what decides
    when it ends is computed from values that are known before it and from loop-carried scalars that depend on nothing
    else:

    ```mlir
    %r:3 = scf.while (%t = 0, %stop = false, %acc = %init) {
      %more = arith.cmpi slt, %t, %n
      %runs = arith.andi %more, (not %stop)
      scf.condition(%runs) %t, %stop, %acc
    } do {
      %k = arith.muli %t, 64
      %exits = arith.cmpi sge, %k, %limit
      %next, %set = scf.if %exits { yield %acc, true } else { ... load, dot ... yield %sum, false }
      scf.yield %t + 1, %set, %next
    }
    // becomes
    %trips, %stopped = the number of iterations before the one that sets %stop, and whether there is one
    %sum = scf.for %t = 0 to %trips step 1 iter_args(%acc = %init) { ... load, dot ... yield %sum }
    %r = scf.if %stopped { the last iteration, which only yields } else { yield %sum }
    ```

    The count has a closed form where conditions compare sums and products of an index, or of a scalar that advances by
    a fixed amount, with a value that the loop does not change. The form is exact if no 32-bit value wraps before the
    loop ends, which the kernel checks; otherwise, and for all other conditions, a loop of scalars counts. It executes
    nothing but integer arithmetic that is defined for all operands. So each load and each effect is executed as often as
    before, and in the same order.

    The iteration that ends the loop early is executed after it. Where no load or dot follows the exit, or a loop comes
    before it, that iteration remains in the loop with its branches.

    Loops without dots are left alone, since nothing else is pipelined.

    Requires: calls are inlined. Should run before `canonicalize`, which moves conditions into the loop's second region.
    Establishes: the `scf.while` that remain with dots depend on memory, on tiles or on other loops
    (Analysis/LoopControl.h).
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
}

#endif // TILEWRIGHT_TRANSFORMS_PASSES
