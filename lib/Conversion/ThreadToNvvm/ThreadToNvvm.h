// Lowers the thread dialect to NVIDIA's instructions. Each file has the patterns of one family of operations; see
// Passes.td.

#ifndef TILEWRIGHT_LIB_CONVERSION_THREADTONVVM_THREADTONVVM_H
#define TILEWRIGHT_LIB_CONVERSION_THREADTONVVM_THREADTONVVM_H

#include "tilewright/Dialect/Thread/IR/Thread.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright::nvidia {

using Builder = mlir::ImplicitLocOpBuilder;

//===----------------------------------------------------------------------===//
// Symbols.cpp: symbols of the module besides the kernel
//===----------------------------------------------------------------------===//

/// Returns the declaration of a function that CUDA's driver links into every kernel, and creates it on first use.
mlir::LLVM::LLVMFuncOp declareFunction(Builder &builder, llvm::StringRef name, mlir::LLVM::LLVMFunctionType type);

/// The address of a global C string.
mlir::Value createText(Builder &builder, llvm::StringRef text);

/// The address of the dynamic shared memory of the launch, which determines its size.
mlir::Value sharedMemory(Builder &builder);

//===----------------------------------------------------------------------===//
// Patterns, by family
//===----------------------------------------------------------------------===//

/// Replaces an operation without operands and results.
template <typename Op, typename Replacement> struct Bare : mlir::OpRewritePattern<Op> {
  using mlir::OpRewritePattern<Op>::OpRewritePattern;
  mlir::LogicalResult matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<Replacement>(op);
    return mlir::success();
  }
};

void addBoxPatterns(mlir::RewritePatternSet &patterns);
void addGroupMmaPatterns(mlir::RewritePatternSet &patterns);
void addInlineAsmPatterns(mlir::RewritePatternSet &patterns);
void addMathPatterns(mlir::RewritePatternSet &patterns);
void addMemoryPatterns(mlir::RewritePatternSet &patterns);
void addWarpPatterns(mlir::RewritePatternSet &patterns);
void addMessagePatterns(mlir::RewritePatternSet &patterns);

/// Passes the functions' arguments with the attribute `thread.tensor_map` by value.
void passTensorMapsByValue(mlir::ModuleOp module);

} // namespace tilewright::nvidia

#endif // TILEWRIGHT_LIB_CONVERSION_THREADTONVVM_THREADTONVVM_H
