// The passes of lib/Conversion: each lowers one dialect to the one below.
// A description ends with the pass's contract: requires, establishes, destroys.

#ifndef TILEWRIGHT_CONVERSION_PASSES
#define TILEWRIGHT_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ExpandMath : Pass<"expand-math"> {
  let summary = "Expand math functions into SIMD arithmetic";
  let description = [{
    Rewrites `math` functions on f32 and f64, scalars and vectors of any shape, into straight `arith` and `math.fma`
    code that a vector unit runs without calling a library. f16 and bf16 are extended to f32 and rounded back. Errors and
    special values are listed in docs/math.md.

    ```mlir
    %e = math.exp %x : vector<16xf32>
    // becomes a clamp, a reduction, a polynomial (seven math.fma) and two multiplications by a power of two.
    ```

    Functions of no expansion stay for `convert-math-to-llvm` and `convert-math-to-libm`; so do the
    operations that are one instruction (floor, ceil, sqrt, fma, absf, roundeven, trunc, copysign). For a GPU, what
    `math-to-ptx` knows stays too, and the others' expansions use its exp.

    Requires: nothing. Sin and cos emit `scf.if`, so the pass runs before scf is lowered.
    Establishes: no expanded function remains, of powf none but that on f64.
    Destroys: nothing.
  }];
  let options = [Option<"gpu", "gpu", "bool", "false", "for a GPU: exp, exp2 and rsqrt stay">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

def SpecializeRanges : Pass<"specialize-ranges", "mlir::ModuleOp"> {
  let summary = "Mark index arithmetic that does not wrap, and check at each launch what that depends on";
  let description = [{
    Integers wrap, so a run of consecutive indices is consecutive as far as a comparison, a division, an extension or a
    pointer is concerned only where the analysis knows that nothing wraps. This pass follows the ranges of a kernel's
    integers from the grid, its integer arguments and the bounds of its loops, and says on an operation what holds:

    ```mlir
    %o = arith.addi %a, %b : tensor<128xi32>     ->  arith.addi %a, %b overflow<nsw> : tensor<128xi32>
    %q = arith.divsi %o, %n                      ->  arith.divui %o, %n     neither is negative; remsi, floordivsi
    %c = arith.cmpi ult, %o, %n                  ->  arith.cmpi slt, %o, %n
    %w = arith.extui %o                          ->  arith.extsi %o
    ```

    What holds for every launch is said outright. With `at-launch`, what depends on the arguments and the grid is said
    too, and becomes part of the module's attribute `tile.launch_conditions`, which the runtime evaluates before each
    launch of the code (Runtime/LaunchConditions.h); a launch for which it is false runs a variant that was compiled
    without the option. Operations from which axis analysis would learn nothing are left alone.

    A loop whose index plus its step may wrap would never come to its upper bound. That it does not is a condition like
    the others; where it can't be told, the loop counts its iterations, and its index is computed from their number.

    Requires: calls are inlined; each argument names its slot by `tile.slot`.
    Establishes: `tile.launch_conditions`, where anything is assumed.
    Destroys: nothing.
  }];
  let options = [Option<"atLaunch", "at-launch", "bool", "true", "assume what each launch can check">];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def TileToVector : Pass<"tile-to-vector", "mlir::ModuleOp"> {
  let summary = "Lower kernels on tiles to loops over vectors for the host";
  let description = [{
    Replaces each function marked `tile.kernel` by one that runs a range of the grid's programs:
    `(args: ptr, grid: ptr, begin: i64, end: i64, scratch: ptr) -> i32`. Operations on tiles are grouped into loop
    nests; values that cross nests go through scratch memory, whose size becomes the attribute `tile.scratch_bytes`.
    With `check-bounds` an assertion of the status `tile.status` stands before each access of memory, and the attribute
    `tile.checked_accesses` says where each one comes from.

    Requires: calls are inlined; control flow is scf; each argument names its slot by `tile.slot`.
    Establishes: no tile operation and no tensor remains in kernels; memory is accessed by LLVM dialect operations.
    Destroys: axis information.
  }];
  let options = [Option<"features", "features", "std::string", "\"\"",
                        "the host's features in LLVM's notation, such as +avx2,+fma">,
                 Option<"checkBounds", "check-bounds", "bool", "false",
                        "end a program that is about to access memory outside of the arrays it was given">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect", "mlir::LLVM::LLVMDialect",
                           "mlir::math::MathDialect", "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"];
}

def CheckBounds : Pass<"check-bounds", "mlir::ModuleOp"> {
  let summary = "Assert before each access that it is within the arrays that the kernel was given";
  let description = [{
    For GPUs; on the host `tile-to-vector` does so. Kernels get further arguments in hidden slots: where each array
    begins, its size, and a mailbox for the first failure. The attribute `tile.checked_accesses` lists the accesses by
    the numbers, counted from 1, that assertions report.

    Requires: calls are inlined; each argument names its slot by `tile.slot`.
    Establishes: no thread accesses memory out of bounds, but through pointers that come from integers.
    Destroys: nothing. Loops with assertions are not pipelined.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "tilewright::tile::TileDialect"];
}

def ReturnOnAssert : Pass<"return-on-assert", "mlir::func::FuncOp"> {
  let summary = "Return a code of its own from each failed assertion";
  let description = [{
    Each `cf.assert` becomes a branch to a return of its number, counted from 1; the function's attribute
    `tile.asserts` lists messages and positions in that order. One with the attribute `tile.status` returns that
    number, and is not listed.

    Requires: control flow is cf; the function returns one i32, where 0 means success.
    Establishes: no `cf.assert` remains.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect"];
}

def GuardDivision : Pass<"guard-division"> {
  let summary = "Keep integer divisions from trapping";
  let description = [{
    Divides by one where the divisor is zero or the signed quotient does not fit. Divisions by other constants stay
    as they are, and so do those that carry `tile.safe_division`.

    Requires: nothing.
    Establishes: no arith.divsi, divui, remsi or remui traps. Rounding divisions are expanded later, from operands of
    which the same is not known: the language makes none.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def ExpandMinMax : Pass<"expand-min-max"> {
  let summary = "Expand minima and maxima of floats into comparisons that processors have";
  let description = [{
    Requires: nothing.
    Establishes: no arith.maxnumf, minnumf, maximumf or minimumf remains.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def ExpandDivision : Pass<"expand-division"> {
  let summary = "Write f32 quotients as a reciprocal, a product and a correction";
  let description = [{
    For GPUs, whose own approximation of a quotient is off by up to 2 ulp even where the quotient is a float. What this
    pass makes is rounded to nearest, but for quotients that are nearly denormal: see docs/math.md. Divisions that
    carry `tile.precise` stay as they are.

    ```mlir
    %ds = vector.broadcast %d : f32 to vector<4xf32>
    %q = arith.divf %x, %ds : vector<4xf32>
    // becomes, without what scales the divisor and guards against infinity
    %r = ptx.rcp.ftz %d : f32
    %rs = vector.broadcast %r : f32 to vector<4xf32>
    %q0 = arith.mulf %x, %rs : vector<4xf32>
    %e = math.fma %q0, %ds, %minus_x : vector<4xf32>
    %q = math.fma %minus_e, %rs, %q0 : vector<4xf32>
    ```

    Requires: divisors that elements share are `vector.broadcast` or `vector.shuffle` of the different ones. The
    products and sums that it writes do not become multiply-adds afterwards.
    Establishes: no `arith.divf` of f32 without `tile.precise`.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect", "mlir::vector::VectorDialect",
                           "::tilewright::ptx::PtxDialect"];
}

def ExpandRemainder : Pass<"expand-remainder"> {
  let summary = "Computes remainders of floats by a loop, exactly";
  let description = [{
    For code generators whose own way is inexact where the quotient is large, as LLVM's for PTX. Halves are computed as
    floats.

    Requires: nothing.
    Establishes: there is no `arith.remf`; loops in scf form.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

def StrictRounding : Pass<"strict-rounding"> {
  let summary = "Round narrow floats after each operation";
  let description = [{
    Requires: nothing.
    Establishes: no arith.extf or truncf has fast-math flags, so that none is left out later.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def Distribute : Pass<"distribute", "mlir::ModuleOp"> {
  let summary = "Lower tiles with layouts to the code of one thread";
  let description = [{
    Each tile becomes one vector: what the thread holds of it, in the layout's order of registers. Arithmetic and
    control flow stay what they are, on vectors; memory is accessed by as few instructions as alignment,
    contiguity and masks allow.

    ```mlir
    %y = arith.addf %x, %x : tensor<128xf32, #layout>
    // becomes, with 32 threads
    %y = arith.addf %x, %x : vector<4xf32>
    ```

    Requires: every tile has a layout, consistent under `verifyLayouts`; shared memory is allocated; barriers stand
    where they are needed.
    Establishes: no tile and no tile operation remains; the module's `tilegpu` attributes
    stay.
    Destroys: layouts; facts about arguments that LLVM has no word for.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect",
                           "mlir::NVVM::NVVMDialect", "mlir::scf::SCFDialect", "mlir::vector::VectorDialect",
                           "::tilewright::ptx::PtxDialect"];
}

def ExpandFloat8 : Pass<"expand-float8", "mlir::ModuleOp"> {
  let summary = "Make floats of 8 bits bytes, with conversions written out";
  let description = [{
    Arithmetic on them is that of f32, rounded; `tile.dot` takes them as f16, which has all their numbers. Conversions
    become integer arithmetic or, where the module's target has them, instructions for two elements at once.
    Conversions to them saturate.

    ```mlir
    %y = arith.extf %x : vector<2xf8E4M3FN> to vector<2xf16>
    // becomes, for a target that has it
    %y = nvvm.convert.f8x2.to.f16x2 %bytes : vector<2xi8> (f8E4M3FN) -> vector<2xf16>
    ```

    Requires: nothing; on a GPU, products have become instructions, which need the types.
    Establishes: no type f8E5M2, f8E4M3FN, f8E5M2FNUZ or f8E4M3FNUZ remains.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect", "mlir::NVVM::NVVMDialect",
                           "mlir::vector::VectorDialect"];
}

def AllowContraction : Pass<"allow-contraction"> {
  let summary = "Let the user's products and sums become multiply-adds with one rounding";
  let description = [{
    Sets the fast-math flag `contract` on every arith.addf, subf and mulf. The back end fuses no others, so that what
    later passes write, where each rounding counts, stays as it is.

    Requires: every operation on floats is the user's: `expand-math` and its kin have not been run.
    Establishes: nothing.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def SplitMasks : Pass<"split-masks"> {
  let summary = "Compare and select element by element";
  let description = [{
    A predicate is a register of its own, while LLVM's code generator for NVIDIA GPUs packs the bits of a vector of i1
    into words. Elementwise operations on such vectors become one operation for each element, so that those that nobody
    asks for go away: of a mask that is the same for four elements, three.

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

def MathToPtx : Pass<"math-to-ptx"> {
  let summary = "Write functions of single precision with the approximations that GPUs have";
  let description = [{
    exp, exp2, sqrt, rsqrt and quotients of f32, and the functions among them of f16 and bf16. What carries
    `tile.precise` stays, and is rounded to nearest by the instructions that LLVM chooses. Errors are listed in
    docs/math.md.

    ```mlir
    %q = arith.divf %x, %y : vector<4xf32>
    // becomes
    %q = ptx.div %x, %y : vector<4xf32>
    ```

    Requires: `expand-math{gpu}` has been run.
    Establishes: each operation of `math` that remains is an instruction, or a few, by LLVM.
    Destroys: nothing.
  }];
  let options = [Option<"flushDenormals", "flush-denormals", "bool", "false",
                        "exp2 is one instruction instead of four, and zero where its result is below 2^-126">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect", "::tilewright::ptx::PtxDialect"];
}

def PtxToLLVM : Pass<"ptx-to-llvm", "mlir::ModuleOp"> {
  let summary = "Lower the ptx dialect to inline assembly and intrinsics";
  let description = [{
    Operands are cut into the registers that the assembly of each operation names, results are put together from them.
    What is an intrinsic is called once for each element.

    Requires: operands and results are types of the LLVM dialect.
    Establishes: no operation of the ptx dialect remains.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def NvvmKernel : Pass<"nvvm-kernel", "mlir::ModuleOp"> {
  let summary = "Mark kernels for NVVM, with the number of threads they are launched with";
  let description = [{
    ```mlir
    llvm.func @add(...) attributes {tile.kernel}
    // becomes, in a module of 4 warps
    llvm.func @add(...) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>}
    ```

    Requires: functions are the LLVM dialect's.
    Establishes: kernels can be launched, with a known number of threads.
    Destroys: `tile.kernel`.
  }];
  let options = [Option<"maxRegisters", "max-registers", "int", "0", "most registers a thread may use; 0 leaves it open">];
  let dependentDialects = ["mlir::NVVM::NVVMDialect"];
}

def RestoreLocations : Pass<"restore-locations"> {
  let summary = "Give every operation a position in the source";
  let description = [{
    An operation without a position takes that of the operation around it. A stack of calls, which inlining nests in any
    way, becomes a list of positions from the innermost call outwards; a frame without a position is left out. The pass that
    makes debug information requires both: it dereferences the position of the innermost frame.

    ```mlir
    loc(callsite(callsite("a.py":1:1 at unknown) at "c.py":3:3))
    // becomes
    loc(callsite("a.py":1:1 at "c.py":3:3))
    ```

    Requires: nothing.
    Establishes: every operation in an operation with a position has one.
    Destroys: names and metadata of locations.
  }];
}

#endif // TILEWRIGHT_CONVERSION_PASSES
