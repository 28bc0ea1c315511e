// What nvvm-kernel and rocdl-kernel share.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_GPUKERNEL_H
#define TILEWRIGHT_LIB_TRANSFORMS_GPUKERNEL_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tilewright {

/// Upstream's conversions carry a loop's annotation to its branch, but leave it where its export to LLVM does not look.
inline void applyLoopAnnotations(mlir::LLVM::LLVMFuncOp function) {
  constexpr llvm::StringLiteral name = "llvm.loop_annotation";
  function.walk([&](mlir::LLVM::BrOp branch) {
    if (auto annotation = branch->getAttrOfType<mlir::LLVM::LoopAnnotationAttr>(name)) {
      branch.setLoopAnnotationAttr(annotation);
      branch->removeDiscardableAttr(name);
    }
  });
}

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TRANSFORMS_GPUKERNEL_H
