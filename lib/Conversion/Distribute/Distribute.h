// From tiles to the code of one thread: each tile becomes one vector, the thread's
// registers in the layout's order. Patterns by family, one file each; see Passes.td.

#ifndef TILEWRIGHT_LIB_CONVERSION_DISTRIBUTE_DISTRIBUTE_H
#define TILEWRIGHT_LIB_CONVERSION_DISTRIBUTE_DISTRIBUTE_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Layout/VectorAccess.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

#include <map>

namespace tilewright::distribute {

/// tensor<128x64xf16, #layout>  ->  vector<64xf16>       the layout's registers
/// tensor<...x!tile.ptr<f32>>   ->  vector<Nx!llvm.ptr<1>>
/// !tile.ptr<f32>               ->  !llvm.ptr<1>         global memory
/// !tilegpu.buffer<...>         ->  !llvm.ptr<3>         where its first slot begins in shared memory
class ThreadTypes : public mlir::TypeConverter {
public:
  ThreadTypes();
};

inline constexpr unsigned kGlobalSpace = 1;
inline constexpr unsigned kSharedSpace = 3;

using Builder = mlir::ImplicitLocOpBuilder;

//===----------------------------------------------------------------------===//
// Threads.cpp: who this thread is, and small pieces of code
//===----------------------------------------------------------------------===//

/// The thread's lane and warp; i32. Equal values are merged by CSE.
mlir::Value laneId(Builder &builder);
mlir::Value warpId(Builder &builder);

/// True in one thread of the program.
mlir::Value isFirstThread(Builder &builder);

mlir::Value constantI32(Builder &builder, int64_t value);

/// Per output dimension of `map`, what lies in this thread's register 0; i32. Register r of it is that
/// exclusive-or'ed with registerImages(map)[r].
llvm::SmallVector<mlir::Value> threadImages(Builder &builder, const layout::LinearLayout &map);

/// The sum over GF(2), that is the exclusive or, of `bases[i]` for the bits i that are set in `index`, and of `sum`;
/// null for nothing.
mlir::Value linearImage(Builder &builder, mlir::Value index, llvm::ArrayRef<int64_t> bases, mlir::Value sum = {});

/// True where any bit of `mask` is set in `index`.
mlir::Value hasBits(Builder &builder, mlir::Value index, int64_t mask);

/// Per register, per output dimension: the image of the register alone.
llvm::SmallVector<llvm::SmallVector<int64_t>> registerImages(const layout::LinearLayout &map);

/// Whether along this dimension no bit is moved both by registers and by threads, so that their images may be added.
bool areDisjoint(const layout::LinearLayout &map, llvm::StringRef dim);

/// `image`, of this thread, combined with `offset`, of a register.
mlir::Value combineImages(Builder &builder, mlir::Value image, int64_t offset, bool disjoint);

/// The elements of a vector, and a vector of elements.
llvm::SmallVector<mlir::Value> unpack(Builder &builder, mlir::Value vector);
mlir::Value pack(Builder &builder, llvm::ArrayRef<mlir::Value> elements);

/// A scalar as a vector of one element, a vector as it is; null of null.
mlir::Value asVector(Builder &builder, mlir::Value value);

/// Registers order[0], order[1], ... of a vector as a vector.
mlir::Value selectRegisters(Builder &builder, mlir::Value vector, llvm::ArrayRef<int64_t> order);

/// Where several threads hold copies of the same elements: true in one of them, so that memory is written once.
/// Null where there are no copies.
mlir::Value ownsElements(Builder &builder, const layout::LinearLayout &map);

/// What an element is in memory: i1 takes a byte.
mlir::Type memoryType(mlir::Type element);

/// A vector as memory has it, and back.
mlir::Value toMemory(Builder &builder, mlir::Value value);
mlir::Value fromMemory(Builder &builder, mlir::Value value, mlir::Type element);

//===----------------------------------------------------------------------===//
// LocalMemory.cpp, LocalAccess.cpp: shared memory
//===----------------------------------------------------------------------===//

/// Where a byte of the program's shared memory is.
mlir::Value sharedAddress(Builder &builder, int64_t offset);

/// For each of `registers` the address of its byte from `base` on; `bytes` maps (register, lane, warp) to (offset), and
/// `start` is combined with all of them by ^.
llvm::SmallVector<mlir::Value> emitSharedAddresses(Builder &builder, mlir::Value base,
                                                   const layout::LinearLayout &bytes, const std::vector<int> &registers,
                                                   int64_t start = 0);

/// How a tile lies in shared memory.
struct LocalMove {
  layout::LinearLayout offsets; ///< (register, lane, warp) -> (offset), in elements; see layout::offsetsOf
  int64_t elementBytes;
  const hardware::NvidiaInfo *target;
  int64_t start = 0; ///< offset of the part's first element, combined with the others by ^
};

LocalMove localMove(mlir::Operation *op, mlir::Type tile, tilegpu::BufferType buffer);

/// The thread's registers, as `type`, from what begins at `base`; and there, where of several threads with the same
/// elements one writes them.
mlir::Value emitLocalLoad(Builder &builder, mlir::Value base, mlir::VectorType type, const LocalMove &move);
void emitLocalStore(Builder &builder, mlir::Value value, mlir::Value base, const LocalMove &move);

//===----------------------------------------------------------------------===//
// Shuffle.cpp: vectors between the lanes of a warp
//===----------------------------------------------------------------------===//

/// What the lane that differs in the bits of `mask` has of this vector.
mlir::Value shuffleAcross(Builder &builder, mlir::Value vector, int64_t mask);

/// What that lane has of this vector.
mlir::Value shuffleFrom(Builder &builder, mlir::Value vector, mlir::Value lane);

//===----------------------------------------------------------------------===//
// Combiner.cpp
//===----------------------------------------------------------------------===//

/// The region of a reduction or scan as a function of vectors.
class Combiner {
public:
  explicit Combiner(mlir::Region &region);

  /// One vector per operand of the reduction on each side; element i of the results is made of elements i.
  llvm::SmallVector<mlir::Value> operator()(Builder &builder, llvm::ArrayRef<mlir::Value> lhs,
                                            llvm::ArrayRef<mlir::Value> rhs) const;

  /// Whether exchanging the sides is known to change nothing, not even the last bit.
  bool isCommutative() const { return commutes; }

  /// The only operation of the region, null if there are more.
  mlir::Operation *only() const;

private:
  mlir::Block &body;
  bool commutes, isElementwise;
};

//===----------------------------------------------------------------------===//
// The families
//===----------------------------------------------------------------------===//

void addElementwisePatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addShapePatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addMemoryPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addAtomicPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addConversionPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addReductionPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addScanPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addGatherPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addPrintPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addAssertPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addBarrierPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addAsyncCopyPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addLocalMemoryPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addDotPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addMmaPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
/// Functions, loops and branches; which operations are legal when done.
void addControlPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types, mlir::ConversionTarget &target);

} // namespace tilewright::distribute

#endif // TILEWRIGHT_LIB_CONVERSION_DISTRIBUTE_DISTRIBUTE_H
