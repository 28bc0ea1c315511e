// nvvm-kernel: marks functions of the LLVM dialect as kernels. See Passes.td.

#include "GpuKernel.h"

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright {
#define GEN_PASS_DEF_NVVMKERNEL
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

/// Nothing writes to parameters: so their addresses may be taken without a copy to local memory.
static void markConstantParameters(LLVM::LLVMFuncOp kernel) {
  for (unsigned index = 0; index < kernel.getNumArguments(); ++index) {
    if (kernel.getArgAttr(index, LLVM::LLVMDialect::getByValAttrName())) {
      kernel.setArgAttr(index, NVVM::NVVMDialect::getGridConstantAttrName(), UnitAttr::get(kernel.getContext()));
    }
  }
}

namespace {
struct NvvmKernel : tilewright::impl::NvvmKernelBase<NvvmKernel> {
  using NvvmKernelBase::NvvmKernelBase;

  void runOnOperation() override {
    Builder builder(&getContext());
    int threads = tilegpu::launchedThreads(getOperation()).count();
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      applyLoopAnnotations(function);
      if (!function->removeAttr(tile::TileDialect::kKernelAttr)) {
        function.setNoInline(!function.isDeclaration()); // the tile phase has inlined those that may be
        continue;
      }
      function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
      function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), builder.getDenseI32ArrayAttr({threads}));
      if (maxRegisters > 0) {
        function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(), builder.getI32IntegerAttr(maxRegisters));
      } else if (Attribute atStart = getOperation()->getAttr(tilegpu::TileGPUDialect::kRegistersAttr)) {
        function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(), atStart);
      }
      markConstantParameters(function);
    }
  }
};
} // namespace
