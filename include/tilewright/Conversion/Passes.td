// The passes of lib/Conversion: from one dialect to the dialect below. Each description ends with the pass's contract:
// requires, establishes, destroys.

#ifndef TILEWRIGHT_CONVERSION_PASSES
#define TILEWRIGHT_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def TileToVector : Pass<"tile-to-vector", "mlir::ModuleOp"> {
  let summary = "Lower tile kernels to loops over vectors for the host";
  let description = [{
    Replaces each function with `tile.kernel` by one that executes a range of the grid's programs:
    `(args: ptr, grid: ptr, begin: i64, end: i64, scratch: ptr) -> i32`. Operations on tiles are
    grouped into loop nests; values that cross nests go through scratch memory, whose size becomes
    the attribute `tile.scratch_bytes`. With `check-bounds`, an assertion with a `tile.status`
    precedes each memory access, and the attribute `tile.checked_accesses` describes each access and
    its source position. The callee of a `tile.call` is emitted for one program: it takes the program's
    position and returns a status before its results. Tiles are passed in scratch memory.

    Requires: no recursion, and no calls with `check-bounds`; scf control flow; each argument has its slot in `tile.slot`.
    Establishes: no tile operation and no tensor remains; memory is accessed by LLVM dialect operations.
    Destroys: axis information.
  }];
  let options = [Option<"features", "features", "std::string", "\"\"",
                        "the host's features in LLVM's notation, such as +avx2,+fma">,
                 Option<"checkBounds", "check-bounds", "bool", "false",
                        "end a program before it accesses memory outside of its arrays">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect", "mlir::LLVM::LLVMDialect",
                           "mlir::math::MathDialect", "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"];
}

def TileGPUToThread : Pass<"tilegpu-to-thread", "mlir::ModuleOp"> {
  let summary = "Lower tiles with layouts to thread-level code";
  let description = [{
    Each tile becomes one vector with the elements that the thread holds, in the layout's register order. Arithmetic
    and control flow operations remain, on vectors. Memory is accessed with as few instructions as alignment,
    contiguity and masks allow.

    ```mlir
    %y = arith.addf %x, %x : tensor<128xf32, #layout>
    // becomes, with 32 threads
    %y = arith.addf %x, %x : vector<4xf32>
    ```

    Requires: layouts that `verifyLayouts` accepts; shared memory is allocated; barriers are inserted.
    Establishes: no tile and no tile operation remains; the module's `tilegpu` attributes stay.
    Destroys: layouts; argument attributes without an equivalent in LLVM.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect",
                           "mlir::scf::SCFDialect", "mlir::vector::VectorDialect", "::tilewright::thread::ThreadDialect"];
}

def ThreadToNvvm : Pass<"thread-to-nvvm", "mlir::ModuleOp"> {
  let summary = "Lower the thread dialect to NVIDIA's instructions";
  let description = [{
    ```mlir
    %y = thread.shuffle <xor> %x, %mask : f32
    // becomes
    %y = nvvm.shfl.sync bfly %all, %x, %mask, %c31 : f32 -> f32
    ```

    Arguments with the attribute `thread.tensor_map` are passed by value, as 128 bytes that are aligned to 64.

    Requires: the module's `tilegpu.target` and `tilegpu.num_warps`; functions are func.func and control flow is scf.
    Establishes: no operation or attribute of the thread dialect remains.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::NVVM::NVVMDialect",
                           "mlir::scf::SCFDialect", "mlir::vector::VectorDialect", "::tilewright::ptx::PtxDialect"];
}

def ThreadToRocdl : Pass<"thread-to-rocdl", "mlir::ModuleOp"> {
  let summary = "Lower the thread dialect to AMD's instructions";
  let description = [{
    ```mlir
    %y = thread.shuffle <index> %x, %lane : i32
    // becomes
    %y = rocdl.ds_bpermute %address, %x : (i32, i32) -> i32
    ```

    Accesses at an argument plus an offset of 32 bits become buffer accesses, which give masked lanes an offset that is
    out of range. Other accesses with a mask become branches. Barriers get the fences that make the program's accesses visible.

    Requires: the module's `tilegpu.target` and `tilegpu.num_warps`; functions are func.func and control flow is scf.
    Establishes: no operation of the thread dialect remains.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::ROCDL::ROCDLDialect",
                           "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"];
}

def MathToPtx : Pass<"math-to-ptx"> {
  let summary = "Lower f32 functions to the approximate instructions of GPUs";
  let description = [{
    Lowers exp, exp2, sqrt, rsqrt and division of f32, and these functions, but not division, of f16 and bf16.
    Operations with `tile.precise` are left alone; LLVM lowers them to instructions that round to nearest.
    docs/math.md lists the errors.

    ```mlir
    %q = arith.divf %x, %y : vector<4xf32>
    // becomes
    %q = ptx.div %x, %y : vector<4xf32>
    ```

    Requires: must run after `expand-math{gpu}` because its expansions use exp, and before the conversion of `math` to
    LLVM.
    Establishes: LLVM lowers each remaining `math` operation to one or a few instructions.
    Destroys: nothing.
  }];
  let options = [Option<"flushDenormals", "flush-denormals", "bool", "false",
                        "lower exp2 to one instruction instead of four, which flushes results below 2^-126 to zero">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect", "::tilewright::ptx::PtxDialect"];
}

def MathToRocdl : Pass<"math-to-rocdl"> {
  let summary = "Lower f32 functions to the approximate instructions of AMD's GPUs";
  let description = [{
    Lowers exp, exp2 and rsqrt of f32, f16 and bf16. LLVM lowers square roots and divisions, which round to nearest.

    ```mlir
    %y = math.exp2 %x : f32
    // becomes
    %y = rocdl.exp2 %x f32 -> f32
    ```

    Requires: must run after `expand-math{gpu}` because its expansions use exp, and before the conversion of `math` to
    LLVM. Vectors have one dimension.
    Establishes: LLVM lowers each remaining `math` operation to one or a few instructions.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect",
                           "mlir::ROCDL::ROCDLDialect", "mlir::vector::VectorDialect"];
}

def PtxToLLVM : Pass<"ptx-to-llvm", "mlir::ModuleOp"> {
  let summary = "Lower the ptx dialect to inline assembly and intrinsics";
  let description = [{
    Operands are split into the registers that the assembly of each operation uses, and results are assembled from
    them. Intrinsics are called once per element.

    Requires: operands and results have LLVM dialect types.
    Establishes: no operation of the ptx dialect remains.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

#endif // TILEWRIGHT_CONVERSION_PASSES
