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

namespace {
struct RocdlKernel : tilewright::impl::RocdlKernelBase<RocdlKernel> {
  using RocdlKernelBase::RocdlKernelBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      applyLoopAnnotations(function);
      if (function->removeAttr(tile::TileDialect::kKernelAttr)) {
        mark(function, tilegpu::launchedThreads(getOperation()).count());
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
