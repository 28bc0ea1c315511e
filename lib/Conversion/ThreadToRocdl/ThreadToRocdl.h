// Lowers the thread dialect to AMD's instructions. Each file has the patterns of one family of operations; see
// Passes.td.

#ifndef TILEWRIGHT_LIB_CONVERSION_THREADTOROCDL_THREADTOROCDL_H
#define TILEWRIGHT_LIB_CONVERSION_THREADTOROCDL_THREADTOROCDL_H

#include "tilewright/Dialect/Thread/IR/Thread.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright::amd {

using Builder = mlir::ImplicitLocOpBuilder;

inline mlir::Value constantI32(Builder &builder, int64_t value) {
  return mlir::arith::ConstantIntOp::create(builder, builder.getI32Type(), value);
}

/// The result of one of LLVM's intrinsics for which ROCDL has no operation.
inline mlir::Value callIntrinsic(Builder &builder, llvm::StringRef name, mlir::Type result, mlir::ValueRange operands) {
  return mlir::LLVM::CallIntrinsicOp::create(builder, result, builder.getStringAttr(name), operands).getResult(0);
}

/// The buffer resources that the pass has made, by the argument.
using Resources = llvm::DenseMap<mlir::Value, mlir::Value>;

/// Whether the access becomes a buffer access, which needs no branch where it has a mask (BufferAccesses.cpp).
bool isBufferAccess(thread::LoadOp op);
bool isBufferAccess(thread::StoreOp op);

/// Whether an access says that its data are used once. Other cache modifiers and policies, which are hints, have no
/// equivalent.
bool isStreamed(tile::CacheModifier cache, tile::EvictionPolicy evict);

/// Emits the load, without its mask, as one that is not a buffer access.
mlir::Value emitLoad(Builder &builder, thread::LoadOp op);

/// Replaces loads with a mask by branches, except for buffer accesses (MaskedLoads.cpp).
void branchAroundLoads(mlir::ModuleOp module);

//===----------------------------------------------------------------------===//
// Patterns, by family
//===----------------------------------------------------------------------===//

void addAtomicPatterns(mlir::RewritePatternSet &patterns);
void addBufferPatterns(mlir::RewritePatternSet &patterns, Resources &resources);
void addIndexPatterns(mlir::RewritePatternSet &patterns);
void addMathPatterns(mlir::RewritePatternSet &patterns);
void addMemoryPatterns(mlir::RewritePatternSet &patterns);
void addMessagePatterns(mlir::RewritePatternSet &patterns);
void addMmaPatterns(mlir::RewritePatternSet &patterns);
void addPrintPatterns(mlir::RewritePatternSet &patterns);
void addShufflePatterns(mlir::RewritePatternSet &patterns);
void addSynchronizationPatterns(mlir::RewritePatternSet &patterns);

} // namespace tilewright::amd

#endif // TILEWRIGHT_LIB_CONVERSION_THREADTOROCDL_THREADTOROCDL_H
