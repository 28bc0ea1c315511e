// PTX's approximate instructions, for which LLVM has scalar intrinsics. The errors are from the chapter on
// floating-point instructions of the PTX ISA.

#ifndef TILEWRIGHT_DIALECT_PTX_IR_PTXMATH_TD
#define TILEWRIGHT_DIALECT_PTX_IR_PTXMATH_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "tilewright/Dialect/Ptx/IR/PtxOps.td"

def Ptx_F32 : AnyTypeOf<[F32, VectorOfAnyRankOf<[F32]>], "f32 or a vector of f32">;

/// `operands` are floats of the result's type; `names` lists them for the assembly format.
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
  let summary = "2^x with an error of 2 ulp; four instructions, as the hardware's single one flushes denormals";
}

def Ptx_Ex2FtzOp : Ptx_UnaryApproximation<"ex2.ftz", "llvm.nvvm.ex2.approx.ftz.f32"> {
  let summary = "2^x with an error of 2 ulp, flushing results below 2^-126 to zero; one instruction";
}

def Ptx_RsqrtOp : Ptx_UnaryApproximation<"rsqrt", "llvm.nvvm.rsqrt.approx.f"> {
  let summary = "1 / sqrt(x), with a relative error of 2^-22.9";
}

def Ptx_SqrtOp : Ptx_UnaryApproximation<"sqrt", "llvm.nvvm.sqrt.approx.f"> {
  let summary = "sqrt(x), with a relative error of 2^-23";
}

def Ptx_RcpFtzOp : Ptx_UnaryApproximation<"rcp.ftz", "llvm.nvvm.rcp.approx.ftz.f"> {
  let summary = "1 / x with an error of 1 ulp, flushing denormal operands and results to zero";
}

def Ptx_DivOp
    : Ptx_Approximation<"div", "llvm.nvvm.div.full", (ins Ptx_F32:$x, Ptx_F32:$y), "$x `,` $y"> {
  let summary = "x / y with an error of 2 ulp over the whole range";
}

def Ptx_FmaSatOp : Ptx_Approximation<"fma.sat", "llvm.nvvm.fma.rn.sat.f",
                                     (ins Ptx_F32:$x, Ptx_F32:$y, Ptx_F32:$z), "$x `,` $y `,` $z"> {
  let summary = "x * y + z, rounded once and clamped to [0, 1]; NaN becomes 0";
}

#endif // TILEWRIGHT_DIALECT_PTX_IR_PTXMATH_TD
