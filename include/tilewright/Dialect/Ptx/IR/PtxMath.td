// PTX's approximations, which LLVM reaches by intrinsics of one element. Errors are those of the PTX ISA's chapter on
// floating-point instructions.

#ifndef TILEWRIGHT_DIALECT_PTX_IR_PTXMATH_TD
#define TILEWRIGHT_DIALECT_PTX_IR_PTXMATH_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "tilewright/Dialect/Ptx/IR/PtxOps.td"

def Ptx_F32 : AnyTypeOf<[F32, VectorOfAnyRankOf<[F32]>], "f32 or a vector of f32">;

/// `arguments` are floats of the result's type; `names` is what the assembly format calls them.
class Ptx_Approximation<string mnemonic, string intrinsic, dag operands, string names>
    : Op<Ptx_Dialect, mnemonic,
         [Pure, Elementwise, SameOperandsAndResultType, DeclareOpInterfaceMethods<Ptx_IntrinsicOpInterface>]> {
  let arguments = operands;
  let results = (outs Ptx_F32:$result);
  let assemblyFormat = names # " attr-dict `:` type($result)";
  let extraClassDefinition = "::llvm::StringRef $cppClass::getIntrinsic() { return \"" # intrinsic # "\"; }";
}

class Ptx_UnaryApproximation<string mnemonic, string intrinsic>
    : Ptx_Approximation<mnemonic, intrinsic, (ins Ptx_F32:$x), "$x">;

def Ptx_Ex2Op : Ptx_UnaryApproximation<"ex2", "llvm.nvvm.ex2.approx.f32"> {
  let summary = "2^x, off by 2 ulp; four instructions, since the processor's own one flushes denormals";
}

def Ptx_Ex2FtzOp : Ptx_UnaryApproximation<"ex2.ftz", "llvm.nvvm.ex2.approx.ftz.f32"> {
  let summary = "2^x, off by 2 ulp, where results below 2^-126 are zero; one instruction";
}

def Ptx_RsqrtOp : Ptx_UnaryApproximation<"rsqrt", "llvm.nvvm.rsqrt.approx.f"> {
  let summary = "1 / sqrt(x), with a relative error of 2^-22.9";
}

def Ptx_SqrtOp : Ptx_UnaryApproximation<"sqrt", "llvm.nvvm.sqrt.approx.f"> {
  let summary = "sqrt(x), with a relative error of 2^-23";
}

def Ptx_RcpFtzOp : Ptx_UnaryApproximation<"rcp.ftz", "llvm.nvvm.rcp.approx.ftz.f"> {
  let summary = "1 / x, off by 1 ulp, where denormal operands and results are zeros";
}

def Ptx_DivOp
    : Ptx_Approximation<"div", "llvm.nvvm.div.full", (ins Ptx_F32:$x, Ptx_F32:$y), "$x `,` $y"> {
  let summary = "x / y, off by 2 ulp over the whole range";
}

def Ptx_FmaSatOp : Ptx_Approximation<"fma.sat", "llvm.nvvm.fma.rn.sat.f",
                                     (ins Ptx_F32:$x, Ptx_F32:$y, Ptx_F32:$z), "$x `,` $y `,` $z"> {
  let summary = "x * y + z, rounded once and limited to [0, 1]; NaN gives 0";
}

#endif // TILEWRIGHT_DIALECT_PTX_IR_PTXMATH_TD
