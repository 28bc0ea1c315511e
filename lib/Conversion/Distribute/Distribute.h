// From tiles to the code of one thread: each tile becomes one vector, the thread's
// registers in the layout's order. Patterns by family, one file each; see Passes.td.

#ifndef TILEWRIGHT_LIB_CONVERSION_DISTRIBUTE_DISTRIBUTE_H
#define TILEWRIGHT_LIB_CONVERSION_DISTRIBUTE_DISTRIBUTE_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tilewright::distribute {

/// tensor<128x64xf16, #layout>  ->  vector<64xf16>       the layout's registers
/// tensor<...x!tile.ptr<f32>>   ->  vector<Nx!llvm.ptr<1>>
/// !tile.ptr<f32>               ->  !llvm.ptr<1>         global memory
/// !tilegpu.buffer<...>         ->  !llvm.ptr<3>         where a slot begins in shared memory
class ThreadTypes : public mlir::TypeConverter {
public:
  explicit ThreadTypes(mlir::MLIRContext *context);
};

inline constexpr unsigned kGlobalSpace = 1;
inline constexpr unsigned kSharedSpace = 3;

/// A pattern that sees operands as vectors.
template <typename Op> class ThreadPattern : public mlir::OpConversionPattern<Op> {
public:
  using mlir::OpConversionPattern<Op>::OpConversionPattern;
  using Adaptor = typename Op::Adaptor;

protected:
  mlir::Type threadType(mlir::Type type) const { return this->getTypeConverter()->convertType(type); }
};

using Builder = mlir::ImplicitLocOpBuilder;

//===----------------------------------------------------------------------===//
// Threads.cpp: who this thread is, and small pieces of code
//===----------------------------------------------------------------------===//

/// The thread's number in its block, and its lane and warp; i32. Equal calls are merged by CSE.
mlir::Value threadId(Builder &builder);
mlir::Value laneId(Builder &builder);
mlir::Value warpId(Builder &builder);

mlir::Value constantI32(Builder &builder, int64_t value);

/// The images under `map`, per output dimension, of this thread with register 0, as i32: the exclusive or of the
/// bases of all set bits of lane and warp. Register r adds (by exclusive or) what `registerOffsets` says.
llvm::SmallVector<mlir::Value> threadImages(Builder &builder, const layout::LinearLayout &map);

/// Per register, per output dimension: the image of the register alone.
llvm::SmallVector<llvm::SmallVector<int64_t>> registerImages(const layout::LinearLayout &map);

/// The elements of a vector, and a vector of elements.
llvm::SmallVector<mlir::Value> unpack(Builder &builder, mlir::Value vector);
mlir::Value pack(Builder &builder, llvm::ArrayRef<mlir::Value> elements);

/// Registers `order[0]`, `order[1]`, ... of a vector as a vector.
mlir::Value selectRegisters(Builder &builder, mlir::Value vector, llvm::ArrayRef<int64_t> order);

/// Where copies of elements lie in several threads (free bits of lane and warp), true for one of them, so that
/// stores and atomics happen once; null where there are no copies.
mlir::Value ownsElements(Builder &builder, const layout::LinearLayout &map);

//===----------------------------------------------------------------------===//
// The families
//===----------------------------------------------------------------------===//

void addElementwisePatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types); // Elementwise.cpp
void addShapePatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);       // Shape.cpp
void addMemoryPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);      // Memory.cpp
void addControlPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);     // Control.cpp

} // namespace tilewright::distribute

#endif // TILEWRIGHT_LIB_CONVERSION_DISTRIBUTE_DISTRIBUTE_H
