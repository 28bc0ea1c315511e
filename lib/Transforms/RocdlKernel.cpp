// rocdl-kernel: marks functions of the LLVM dialect as kernels. See Passes.td.

#include "GpuKernel.h"

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright {
#define GEN_PASS_DEF_ROCDLKERNEL
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

/// AMD's kernels read arguments of several bytes in place, in constant memory, and take their addresses there.
static void passByReference(LLVM::LLVMFuncOp kernel) {
  constexpr unsigned kConstantSpace = 4;
  StringRef byValue = LLVM::LLVMDialect::getByValAttrName();
  SmallVector<Type> types(kernel.getFunctionType().getParams());
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  for (BlockArgument argument : kernel.getArguments()) {
    unsigned index = argument.getArgNumber();
    Attribute bytes = kernel.getArgAttr(index, byValue);
    if (!bytes) {
      continue;
    }
    kernel.removeArgAttr(index, byValue);
    kernel.setArgAttr(index, LLVM::LLVMDialect::getByRefAttrName(), bytes);
    Type generic = argument.getType();
    types[index] = LLVM::LLVMPointerType::get(kernel.getContext(), kConstantSpace);
    argument.setType(types[index]);
    auto cast = LLVM::AddrSpaceCastOp::create(builder, kernel.getLoc(), generic, argument);
    argument.replaceAllUsesExcept(cast, cast);
  }
  kernel.setFunctionType(LLVM::LLVMFunctionType::get(kernel.getFunctionType().getReturnType(), types));
}

namespace {
struct RocdlKernel : tilewright::impl::RocdlKernelBase<RocdlKernel> {
  using RocdlKernelBase::RocdlKernelBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      applyLoopAnnotations(function);
      if (function->removeAttr(tile::TileDialect::kKernelAttr)) {
        mark(function, tilegpu::launchedThreads(getOperation()).count());
        passByReference(function);
      }
    }
  }

private:
  void mark(LLVM::LLVMFuncOp kernel, int threads) {
    Builder builder(&getContext());
    kernel->setAttr(ROCDL::ROCDLDialect::KernelAttrHelper::getNameStr(), builder.getUnitAttr());
    std::string size = std::to_string(threads);
    // LLVM plans registers for the most threads. Without this it would plan for 1024, and spill.
    kernel->setAttr(ROCDL::ROCDLDialect::FlatWorkGroupSizeAttrHelper::getNameStr(),
                    builder.getStringAttr(size + "," + size));
    if (wavesPerEu > 0) {
      kernel->setAttr(ROCDL::ROCDLDialect::WavesPerEuAttrHelper::getNameStr(), builder.getI32IntegerAttr(wavesPerEu));
    }
    if (maxRegisters > 0) {
      kernel.setPassthroughAttr(
          builder.getArrayAttr(builder.getStrArrayAttr({"amdgpu-num-vgpr", std::to_string(maxRegisters)})));
    }
  }
};
} // namespace
