// Lowers tiles to thread-level code: each tile becomes one vector with the thread's registers in the layout's order.
// Each file has the patterns of one family of operations; see Passes.td.

#ifndef TILEWRIGHT_LIB_CONVERSION_TILEGPUTOTHREAD_TILEGPUTOTHREAD_H
#define TILEWRIGHT_LIB_CONVERSION_TILEGPUTOTHREAD_TILEGPUTOTHREAD_H

#include "tilewright/Dialect/Thread/IR/Thread.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Layout/VectorAccess.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"

#include <map>

namespace tilewright::gpu {

/// tensor<128x64xf16, #layout>  ->  vector<64xf16>       the layout's registers
/// tensor<...x!tile.ptr<f32>>   ->  vector<Nx!llvm.ptr<1>>
/// !tile.ptr<f32>               ->  !llvm.ptr<1>         global memory
/// !tile.bytes<128, 64>         ->  !llvm.ptr            a parameter of the kernel
/// !tilegpu.buffer<...>         ->  !llvm.ptr<3>         the address of its first slot in shared memory
class ThreadTypes : public mlir::TypeConverter {
public:
  ThreadTypes();
};

using Builder = mlir::ImplicitLocOpBuilder;

//===----------------------------------------------------------------------===//
// Threads.cpp: thread indices, layouts in code, and vectors
//===----------------------------------------------------------------------===//

/// The thread's lane and warp index; i32. CSE merges the duplicates.
mlir::Value laneId(Builder &builder);
mlir::Value warpId(Builder &builder);
/// The index of the warp group, which all its threads know to be the same.
mlir::Value groupIndex(Builder &builder);

/// The lane with the bits of `mask` cleared.
mlir::Value clearLaneBits(Builder &builder, mlir::Value lane, int64_t mask);

/// True in one thread of the program, or of those of a partition that execute anything.
mlir::Value isFirstThread(Builder &builder, int64_t partition = 0);

/// `mask`, and `exists` if there is one.
mlir::Value both(Builder &builder, mlir::Value mask, mlir::Value exists);

/// The threads of the program around the insertion point.
tilegpu::Threads threadsAround(Builder &builder);

mlir::Value constantI32(Builder &builder, int64_t value);

/// The numbers of barriers. Barrier 0 is that of `thread.barrier`.
inline constexpr int64_t kFirstTurnBarrier = 1;  ///< for each of two warp groups (Turns.cpp)
inline constexpr int64_t kFirstGroupBarrier = 3; ///< for each warp group, of which there are up to eight (Boxes.cpp)
inline constexpr int64_t kJointBarrier = 15;     ///< of all partitions (Barrier.cpp)

/// For each output dimension of `map`, the image of this thread's register 0; i32. The image of register r is the xor
/// of that and registerImages(map)[r].
llvm::SmallVector<mlir::Value> threadImages(Builder &builder, const layout::LinearLayout &map);

/// The sum over GF(2), i.e. the xor, of `sum` and of `bases[i]` for the bits i that are set in `index`; null for an
/// empty sum.
mlir::Value linearImage(Builder &builder, mlir::Value index, llvm::ArrayRef<int64_t> bases, mlir::Value sum = {});

/// Whether any bit of `mask` is set in `index`.
mlir::Value hasBits(Builder &builder, mlir::Value index, int64_t mask);

/// For each register and output dimension, the image of the register in thread 0.
llvm::SmallVector<llvm::SmallVector<int64_t>> registerImages(const layout::LinearLayout &map);

/// Whether registers and threads map to disjoint bits of this dimension, so that their images may be added.
bool areDisjoint(const layout::LinearLayout &map, llvm::StringRef dim);

/// Combines the thread's `image` with the `offset` of a register.
mlir::Value combineImages(Builder &builder, mlir::Value image, int64_t offset, bool disjoint);

/// The elements of a vector, and a vector of elements.
llvm::SmallVector<mlir::Value> unpack(Builder &builder, mlir::Value vector);
mlir::Value pack(Builder &builder, llvm::ArrayRef<mlir::Value> elements);

/// The words of 32 bits of a thread's elements. Narrower elements share words.
mlir::Value asWords(Builder &builder, mlir::Value value);

/// Whether all elements are known to be zero, floats positive zero.
bool isZero(mlir::Value value);

/// A scalar as a vector of one element; a vector or null is returned unchanged.
mlir::Value asVector(Builder &builder, mlir::Value value);

/// A vector of the registers order[0], order[1], ... of a vector.
mlir::Value selectRegisters(Builder &builder, mlir::Value vector, llvm::ArrayRef<int64_t> order);

/// If several threads hold replicas of the same elements: true in one of them, so that memory is written once. Null if
/// there are no replicas.
mlir::Value ownsElements(Builder &builder, const layout::LinearLayout &map);

/// The type of an element in memory: i1 and 8-bit floats are i8.
mlir::Type memoryType(mlir::Type element);

/// Converts a vector to the element type in memory, and back.
mlir::Value toMemory(Builder &builder, mlir::Value value);
mlir::Value fromMemory(Builder &builder, mlir::Value value, mlir::Type element);

//===----------------------------------------------------------------------===//
// Offsets.cpp: addresses as an argument and an offset of 32 bits
//===----------------------------------------------------------------------===//

/// Notes on each access with the mark of mark-small-offsets which argument its pointers are derived from. Must run
/// before the conversion, which replaces the tiles.
void findBases(mlir::ModuleOp module);

/// The operands of an access: an address, and where it is derived from an argument of the kernel in the same way by all
/// threads, how many bytes behind it the access is.
struct Place {
  mlir::Value ptr, offset;
};

/// Lets `pointers` have the mark of the tile that it has the elements of, if that has one (PointerOffsets.h).
void keepMark(mlir::Operation *tile, mlir::Operation *pointers);
/// Removes all of these marks.
void dropMarks(mlir::ModuleOp module);

/// That of an access to an element of a vector of pointers.
Place placeOf(Builder &builder, mlir::Operation *access, mlir::Value pointers, int64_t element);

//===----------------------------------------------------------------------===//
// LocalMemory.cpp, LocalAccess.cpp: shared memory
//===----------------------------------------------------------------------===//

/// The address of a byte in the program's shared memory.
mlir::Value sharedAddress(Builder &builder, int64_t offset);

/// The address of a byte after `address`.
mlir::Value offsetBy(Builder &builder, mlir::Value address, int64_t bytes);

/// For each of `registers`, its address relative to `base`; `bytes` maps (register, lane, warp) to (offset), and
/// `start` is xored to each offset.
llvm::SmallVector<mlir::Value> emitSharedAddresses(Builder &builder, mlir::Value base,
                                                   const layout::LinearLayout &bytes, const std::vector<int> &registers,
                                                   int64_t start = 0);

/// The mapping between a tile and a buffer in shared memory.
struct LocalMove {
  layout::LinearLayout offsets; ///< (register, lane, warp) -> (offset), in elements; see layout::offsetsOf
  int64_t elementBytes;
  const hardware::GpuInfo *target;
  int64_t start = 0;  ///< offset of the first element of the part, xored to the others
  bool isOwn = false; ///< whether each thread accesses its elements itself
};

LocalMove localMove(mlir::Operation *op, mlir::Type tile, tilegpu::BufferType buffer);

/// Loads the thread's registers, as `type`, from the buffer at `base`, and stores them there. If several threads hold
/// the same elements, one of them stores them.
mlir::Value emitLocalLoad(Builder &builder, mlir::Value base, mlir::VectorType type, const LocalMove &move);
void emitLocalStore(Builder &builder, mlir::Value value, mlir::Value base, const LocalMove &move);

//===----------------------------------------------------------------------===//
// Shuffle.cpp: vectors between the lanes of a warp
//===----------------------------------------------------------------------===//

/// The vector of the lane whose index differs in the bits of `mask`.
mlir::Value shuffleAcross(Builder &builder, mlir::Value vector, int64_t mask);

/// The vector of the given lane.
mlir::Value shuffleFrom(Builder &builder, mlir::Value vector, mlir::Value lane);

//===----------------------------------------------------------------------===//
// Combiner.cpp
//===----------------------------------------------------------------------===//

/// The region of a reduction or scan as a function of vectors.
class Combiner {
public:
  explicit Combiner(mlir::Region &region);

  /// Combines one vector per operand of the reduction on each side, elementwise.
  llvm::SmallVector<mlir::Value> operator()(Builder &builder, llvm::ArrayRef<mlir::Value> lhs,
                                            llvm::ArrayRef<mlir::Value> rhs) const;

  /// Whether swapping the sides is known to give bit-identical results.
  bool isCommutative() const { return commutes; }

  /// The only operation of the region besides its terminator; null if there are others.
  mlir::Operation *only() const;

private:
  mlir::Block &body;
  bool commutes, isElementwise;
};

/// Emits the operations of a region's block on scalars, and returns what it yields.
llvm::SmallVector<mlir::Value> applyToScalars(Builder &builder, mlir::Block &body,
                                              llvm::ArrayRef<mlir::Value> arguments);

//===----------------------------------------------------------------------===//
// Patterns, by family
//===----------------------------------------------------------------------===//

void addElementwisePatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addShapePatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addMemoryPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addAtomicPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addPollPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addConversionPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addReductionPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addScanPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addGatherPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addPrintPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addAssertPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addBarrierPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addPartitionPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addTurnPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addAsyncCopyPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addBoxPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);

/// Lets the first thread of the kernel prefetch the parameters that are tensor maps, if they are few: the first copy
/// would wait for its map, while the threads still compute addresses and make barriers.
void prefetchTensorMaps(mlir::FunctionOpInterface kernel);

void addRingPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addLocalMemoryPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addInlineAsmPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addLibraryPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addDotPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addGroupMmaPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
void addMmaPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types);
/// Functions, loops and branches; also sets up `target`.
void addControlPatterns(mlir::RewritePatternSet &patterns, const ThreadTypes &types, mlir::ConversionTarget &target);

} // namespace tilewright::gpu

#endif // TILEWRIGHT_LIB_CONVERSION_TILEGPUTOTHREAD_TILEGPUTOTHREAD_H
