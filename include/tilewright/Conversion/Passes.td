// The passes of lib/Conversion: each lowers one dialect to the one below.
// A description ends with the pass's contract: requires, establishes, destroys.

#ifndef TILEWRIGHT_CONVERSION_PASSES
#define TILEWRIGHT_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ExpandMath : Pass<"expand-math"> {
  let summary = "Expand single-precision math functions into SIMD arithmetic";
  let description = [{
    Rewrites `math` functions on f32, scalars and vectors of any shape, into straight `arith` and `math.fma` code that
    a host's vector unit runs without calling a library. f16 and bf16 are extended to f32 and rounded back. Errors and
    special values are listed in docs/math.md.

    ```mlir
    %e = math.exp %x : vector<16xf32>
    // becomes a clamp, a reduction, a polynomial (seven math.fma) and two multiplications by a power of two.
    ```

    f64 functions, and those of no expansion, stay for `convert-math-to-llvm` and `convert-math-to-libm`; so do the
    operations that are one instruction (floor, ceil, sqrt, fma, absf, roundeven, trunc, copysign).

    Requires: nothing. Sin and cos emit `scf.if`, so the pass runs before scf is lowered.
    Establishes: no expanded function on f32, f16 or bf16 remains.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

#endif // TILEWRIGHT_CONVERSION_PASSES
