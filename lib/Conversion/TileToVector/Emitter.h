// Emits the loops, vectors and memory accesses of a plan.

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_EMITTER_H
#define TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_EMITTER_H

#include "tilewright/Conversion/TileToVector/Emission.h"
#include "tilewright/Conversion/TileToVector/Plan.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Hardware/Cpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringMap.h"

namespace tilewright::cpu {

/// The bit width of a tile's element in memory or in a register: at least 8, and 64 for pointers.
int64_t getBitWidth(mlir::Type element);

/// A tile in scratch memory. Booleans take one byte.
///
/// The right operand of a dot is stored in consecutive panels, so that the micro-kernel reads consecutive memory along
/// K and the lines of a panel do not conflict in the cache.
///
///     row-major               panels of 2
///       0  1  2  3              0  1 |  6  7
///       4  5  6  7              2  3 |  8  9
///       8  9 10 11              4  5 | 10 11
struct Buffer {
  mlir::Value base;                   ///< !llvm.ptr to element (0, 0, ...)
  mlir::Type element;                 ///< element type of the tile
  llvm::SmallVector<int64_t> strides; ///< in elements, one per dimension; within a panel
  int64_t panel = 0;                  ///< columns per panel; 0 if not in panels
  int64_t panelStride = 0;            ///< in elements, from panel to panel
};

/// A position in a tile: one i64 index per dimension, and the dimension along which `width` consecutive elements form a
/// vector.
struct Point {
  llvm::SmallVector<mlir::Value> index;
  int vectorDim = -1; ///< -1 for a scalar
  int64_t width = 1;

  bool isScalar() const { return vectorDim < 0; }
  /// The first element of the vector.
  Point first() const { return Point{index, -1, 1}; }
};

/// What the micro-kernel multiplies: single elements, or words of 32 bits with elements that are adjacent along K; see
/// DotWords.cpp.
enum class Words { None, Bytes, Bfloats };

/// 1 for single elements.
int64_t elementsPerWord(Words words);

/// The words that the processor has an instruction for, if the tile's sides are multiples of what it takes.
Words wordsOf(tile::DotOp dot, const hardware::CpuInfo &cpu);

/// A matrix that the micro-kernel reads, in scratch or in user memory. Its rows, or those of a panel, are consecutive
/// elements.
struct DotOperand {
  mlir::Value base;         ///< !llvm.ptr to element (0, 0)
  mlir::Type element;       ///< type of an element
  mlir::Value rowStride;    ///< i64, in bytes
  mlir::Value columnStride; ///< i64, in bytes: a panel is that far from the first one for each column between them
  int64_t batchStride = 0;  ///< in bytes, from one matrix to the next

  int64_t bytes() const { return getBitWidth(element) / 8; }
};

/// One matrix multiplication c += a * b, and its blocking.
struct MatrixProduct {
  DotOperand a, b;
  Buffer c;
  int64_t rows, columns, depth;
  int64_t blockRows;    ///< rows of accumulators in registers
  int64_t blockVectors; ///< vectors of `width` in each of them
  int64_t width;
  mlir::Value start;                                ///< what all sums start from; null if they are in `c`
  Words words;                                      ///< what the elements of a and b are
  mlir::Value rowExtent, columnExtent, depthExtent; ///< i64: up to where products are needed; null: all of them
};

/// The steps along K that the micro-kernel takes at once, so that the overhead of the loop overlaps with products.
constexpr int64_t kDepthOfStep = 2;

/// The type that sums of a dot are computed in: f32 for narrow floats, which would be rounded at every step otherwise.
mlir::Type getComputeType(mlir::Type element);

/// Converts a number or a vector to a wider or narrower float or integer type.
mlir::Value convertElement(mlir::OpBuilder &builder, mlir::Value value, mlir::Type type);

/// The sizes of one matrix product of a dot that is computed in `element`, and its blocking.
MatrixProduct describeProduct(tile::DotOp dot, const hardware::CpuInfo &cpu, mlir::Type element);

/// The number of columns that the micro-kernel processes at once.
int64_t panelOf(tile::DotOp dot, const hardware::CpuInfo &cpu, mlir::Type element);

/// A boolean, or a tile of booleans, that varies along one dimension of a mask at most.
struct MaskCondition {
  mlir::Value value;
  int dim;      ///< of the mask; -1 if the condition is the same everywhere
  int64_t size; ///< along this dimension; 1 if there is none
};

/// Whether the tile is computed from numbers only, so that it has the same elements wherever it is evaluated.
bool isOfNumbers(mlir::Value value);

/// Conditions that together are the mask; nothing if one of them varies along several dimensions.
std::optional<llvm::SmallVector<MaskCondition>> splitMask(mlir::Value mask);

/// Whether every operation of a combiner can be applied to vectors elementwise.
bool isElementwise(mlir::Region &combiner);

/// Values of the emitted function that describe the current program.
struct ProgramContext {
  mlir::Value id[3];   ///< i32 position in the grid
  mlir::Value grid;    ///< !llvm.ptr to three i32
  mlir::Value scratch; ///< !llvm.ptr, 64-byte aligned
  mlir::Value number;  ///< i64 linear index of the program
  /// !llvm.ptr to the argument slots; null if bounds are not checked.
  mlir::Value checkedSlots;
};

/// What callers have to know of a function that has been emitted.
struct EmittedFunction {
  int64_t scratchBytes = 0;  ///< of the function and its callees
  bool storesStream = false; ///< the function or a callee has nontemporal stores
};

/// By name. A function is emitted before its callers.
using EmittedFunctions = llvm::StringMap<EmittedFunction>;

/// The state of the emission of a program, and what the models of EmissionOpInterface share: tiles at points, scratch
/// memory, loops, and checked accesses to user memory.
class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, AxisInfoAnalysis &axis, const hardware::CpuInfo &cpu,
          const EmittedFunctions &functions, ProgramContext program)
      : b(builder), axis(axis), memory(axis), cpu(cpu), functions(functions), program(program) {}

  /// Emits all operations of a block except its terminator.
  mlir::LogicalResult emitBlock(mlir::Block &block);

  /// Maps a scalar of the Tile IR to an emitted value.
  void map(mlir::Value scalar, mlir::Value emitted) { scalars.map(scalar, emitted); }

  /// Ends the emission of a function. Returns failure if a combiner has an unsupported operation, after an error.
  llvm::FailureOr<EmittedFunction> finish();

  /// The checked accesses: a dictionary for each, in the order of their indices.
  llvm::ArrayRef<mlir::Attribute> getCheckedAccesses() const { return checkedAccesses; }

  //===--- Nests.cpp: loops over a shape ----------------------------------===//
  struct Shape {
    llvm::SmallVector<int64_t> sizes;
    int vectorDim;
    int64_t width;
    llvm::SmallVector<mlir::Value> extents = {}; ///< i64 per dimension: up to where loops go; null or none for all

    int64_t stepAlong(int dim) const { return dim == vectorDim ? width : 1; }
  };
  using Body = llvm::function_ref<void(const Point &)>;

  void emitNest(const Nest &planned);
  void emitSink(const Sink &sink, const Point &point, const llvm::DenseMap<mlir::Value, Buffer> &made);
  std::optional<Buffer> findReusable(mlir::Value tile);
  bool isReadElsewhere(const Nest &nest, mlir::Value tile) const;
  /// Properties of the operations in a nest that determine its step.
  struct Demands {
    llvm::SmallVector<std::pair<mlir::Operation *, mlir::Value>> accesses; ///< loads and stores with their pointers
    int64_t maxBits = 8;
    int64_t operations = 0;
  };
  Demands collectDemands(const Nest &nest) const;
  void collectDemands(mlir::Value tile, llvm::SmallPtrSetImpl<void *> &seen, Demands &demands) const;
  Shape chooseSteps(const Nest &nest);
  /// Emits loops over `dims` in order, and `body` at each point.
  void emitLoops(const Shape &shape, llvm::ArrayRef<int> dims, Point &point, llvm::function_ref<void()> body);
  void emitPointwise(llvm::ArrayRef<int64_t> sizes, int vectorDim, int64_t width, Body body,
                     llvm::ArrayRef<mlir::Value> extents = {});
  mlir::Value emitLoop(int64_t size, int64_t step, mlir::ValueRange init,
                       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body,
                       llvm::SmallVectorImpl<mlir::Value> *results = nullptr);
  /// The same up to `extent`, an i64 that is at most `size`, unless it is null.
  mlir::Value emitLoopTo(mlir::Value extent, int64_t size, int64_t step, mlir::ValueRange init,
                         llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body,
                         llvm::SmallVectorImpl<mlir::Value> *results = nullptr);

  //===--- Transposed.cpp: nests that transpose what they load ------------===//
  /// Loads that are consecutive along `loadedDim`, in a nest that writes along `vectorDim`, by squares.
  struct Transposition {
    int vectorDim, loadedDim;
    int64_t side;
    llvm::SmallVector<mlir::Value> loads;
  };
  std::optional<Transposition> findTransposition(const Nest &nest);
  void emitSquare(const Nest &nest, const Transposition &how, const Point &origin,
                  const llvm::DenseMap<mlir::Value, Buffer> &made);
  void emitTransposed(const Nest &nest, const Transposition &how, const llvm::DenseMap<mlir::Value, Buffer> &made);

  //===--- Reduce.cpp -----------------------------------------------------===//
  void emitReduceNest(const Nest &nest, const Shape &shape, llvm::DenseMap<mlir::Value, Buffer> &made);
  llvm::SmallVector<mlir::Value> combine(mlir::Region &combiner, mlir::ValueRange lhs, mlir::ValueRange rhs);
  llvm::SmallVector<mlir::Value> combineVectors(mlir::Region &combiner, mlir::ValueRange lhs, mlir::ValueRange rhs);
  llvm::SmallVector<mlir::Value> combineLanes(mlir::Region &combiner, mlir::ValueRange lhs, mlir::ValueRange rhs);
  llvm::SmallVector<mlir::Value> combineElements(mlir::Region &combiner, llvm::ArrayRef<mlir::Value> arguments);
  llvm::SmallVector<mlir::Value> combineUnless(mlir::Value isFirst, tile::ReduceOp reduce,
                                               mlir::ValueRange accumulators, llvm::ArrayRef<mlir::Value> values);
  llvm::SmallVector<mlir::Value> startAccumulators(llvm::ArrayRef<tile::ReduceOp> reduces, int64_t width);
  llvm::SmallVector<mlir::Value> accumulate(llvm::ArrayRef<tile::ReduceOp> reduces, mlir::ValueRange accumulators,
                                            mlir::ValueRange elements, const Point &point, int axis);
  void finishReductions(llvm::ArrayRef<tile::ReduceOp> reduces, llvm::ArrayRef<mlir::Value> accumulators, Point point,
                        int axis, const llvm::DenseMap<mlir::Value, Buffer> &made);
  llvm::SmallVector<mlir::Value> emitLine(const Nest &nest, const Shape &shape, llvm::ArrayRef<tile::ReduceOp> reduces,
                                          mlir::Value end, Point point,
                                          const llvm::DenseMap<mlir::Value, Buffer> &made);
  llvm::SmallVector<mlir::Value> reduceLanes(mlir::Region &combiner, llvm::SmallVector<mlir::Value> vectors);

  //===--- Padding.cpp: reductions that end where masks do -----------------===//
  /// i64: from where along the axis everything that the nest needs is the same; null if that is not known.
  mlir::Value findPadding(const Nest &nest, const Shape &shape);
  struct PaddedLine {
    mlir::Value end;                              ///< i64: up to where the loop goes
    llvm::SmallVector<mlir::Value> reduced, kept; ///< the padding's values, of reductions and of tiles to keep
  };
  PaddedLine beginPaddedLine(const Nest &nest, const Shape &shape, mlir::Value end, Point point);
  /// Combines the padding with the accumulators, and fills the rest of tiles to keep.
  llvm::SmallVector<mlir::Value> endPaddedLine(const Nest &nest, const Shape &shape, const PaddedLine &line,
                                               Point point, llvm::ArrayRef<mlir::Value> accumulators,
                                               const llvm::DenseMap<mlir::Value, Buffer> &made);

  //===--- Element.cpp: a tile's value at a point --------------------------===//
  /// The value at a point: a scalar at a scalar point, or if all lanes have the same value.
  mlir::Value evaluate(mlir::Value tile, const Point &at);
  /// The value at a point, always a vector at a vector point.
  mlir::Value evaluateVector(mlir::Value tile, const Point &point);
  mlir::Value evaluateUncached(mlir::Value tile, const Point &point);
  mlir::Value findCached(mlir::Value tile, const Point &point) const;
  /// The point with index 0 and no vector along dimensions of size 1.
  Point normalize(mlir::Type type, const Point &point);
  mlir::Value laneNumbers(int64_t width);
  mlir::Value evaluateElementwise(mlir::OpResult tile, const Point &point);
  /// The i64 number of lanes, at the start of a vector, for which the comparison of consecutive numbers with a bound
  /// holds; null if it does not have this form.
  mlir::Value countInBounds(mlir::arith::CmpIOp op, const Point &point);
  /// The results of an elementwise operation on scalars and vectors of equal width.
  llvm::SmallVector<mlir::Value> applyElementwise(mlir::Operation *op, const llvm::SmallVector<mlir::Value> &operands);
  mlir::Value addPointer(mlir::Type pointee, mlir::Value pointer, mlir::Value offset);

  //===--- Memory.cpp -----------------------------------------------------===//
  mlir::Value emitScalarLoad(mlir::Type type, mlir::Value pointer, mlir::Value mask, mlir::Value other,
                             bool isVolatile = false);
  Buffer allocate(mlir::Type tileType, mlir::Type element = {});
  static llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape);
  Buffer allocateInPanels(mlir::Type tileType, mlir::Type element, int64_t panel);
  /// Calls `fn` for each part of a vector along the last dimension that is in one panel.
  void forEachPanel(const Buffer &buffer, const Point &point, llvm::function_ref<void(const Point &, int64_t)> fn);
  mlir::Value readBuffer(const Buffer &buffer, const Point &point);
  void writeBuffer(const Buffer &buffer, const Point &point, mlir::Value value);
  mlir::Value addressIn(const Buffer &buffer, const Point &point);
  /// The type of an element in memory: i8 for booleans.
  mlir::Type memoryType(mlir::Type element);
  mlir::Value toMemory(mlir::Value value);
  mlir::Value fromMemory(mlir::Value value, mlir::Type element);

  //===--- Bounds.cpp: checks of user memory ------------------------------===//
  /// A checked access.
  struct NumberedAccess {
    int32_t number;                   ///< index among the checked accesses
    int64_t bytes;                    ///< per element
    llvm::SmallVector<int64_t> slots; ///< the arguments that the pointer may come from
  };
  /// Ends the program before an access to `lanes` consecutive elements from `pointer`, or to the elements of a vector
  /// of pointers, if one that is not masked off is out of bounds.
  void checkBounds(mlir::Operation *op, mlir::Value pointer, int64_t lanes, mlir::Value mask);
  mlir::Value liesInSomeArray(const NumberedAccess &access, mlir::Value pointer, mlir::Value count, mlir::Value mask);
  mlir::Value askRuntime(const NumberedAccess &access, mlir::Value pointer, mlir::Value count, mlir::Value mask);
  const NumberedAccess &numberAccess(mlir::Operation *op);
  /// The address and size of the array in a slot, loaded once at the start of the function.
  std::pair<mlir::Value, mlir::Value> memoryOf(int64_t slot);
  mlir::Value storeForRuntime(mlir::Value vector);

  //===--- Masks.cpp: what masks say of a whole tile ------------------------===//
  /// i1: whether the condition holds everywhere.
  mlir::Value holdsEverywhere(const MaskCondition &condition);
  /// i64: one more than the last index at which the condition holds; 0 if there is none.
  mlir::Value extentOf(const MaskCondition &condition);
  Point startOf(const MaskCondition &condition, int64_t width);
  /// i64: up to where the condition holds, if it compares consecutive numbers with a bound; else null.
  mlir::Value countInBounds(const MaskCondition &condition);
  /// The smallest of the conditions' extents; null if there are none.
  mlir::Value smallestExtent(llvm::ArrayRef<MaskCondition> conditions);
  /// The extents of a nest that stores only, by one mask; none for other nests.
  llvm::SmallVector<mlir::Value> extentsOfStores(const Nest &nest);
  /// Folds the condition's vectors, in order, by `fn(index, vector, value so far)`.
  void forEachVector(const MaskCondition &condition, mlir::Value start, llvm::SmallVectorImpl<mlir::Value> &result,
                     llvm::function_ref<mlir::Value(mlir::Value, mlir::Value, mlir::Value)> fn);

  //===--- Materialized.cpp: operations emitted as one step ---------------===//
  mlir::LogicalResult emitMaterialized(mlir::Operation *op);
  /// Fills a buffer with a tile of the given type; `element` provides the value at each point.
  void fillBuffer(mlir::Type type, const Buffer &into, llvm::function_ref<mlir::Value(const Point &)> element);
  void copyTile(mlir::Value tile, const Buffer &into);
  void copyBuffer(mlir::Type type, const Buffer &from, const Buffer &into);

  //===--- Dot.cpp --------------------------------------------------------===//
  void emitDot(tile::DotOp dot);
  struct Sums {
    Buffer result, computed; ///< of the tile's type, and of the type that is computed in, which may be the same
    mlir::Value start;       ///< what all of them start from; null if they are in memory
  };
  Sums startSums(tile::DotOp dot);
  void emitProduct(const MatrixProduct &product);
  void emitDotBlock(const MatrixProduct &product, mlir::Value row, mlir::Value column,
                    llvm::ArrayRef<mlir::Value> excess);
  llvm::SmallVector<mlir::Value> emitDotSteps(const MatrixProduct &product, mlir::Value row, mlir::Value column,
                                              mlir::ValueRange block);
  llvm::SmallVector<mlir::Value> emitDotStep(const MatrixProduct &product, mlir::Value row, mlir::Value column,
                                             mlir::Value k, mlir::ValueRange accumulators);
  /// `width` elements of a row, from `offset` bytes after its first one.
  mlir::Value readOperand(const DotOperand &operand, mlir::Value row, mlir::Value offset, int64_t width);
  mlir::Value readVectorOfB(const MatrixProduct &product, mlir::Value column, mlir::Value k, int64_t vector);
  void convertBuffer(const Buffer &from, const Buffer &into, mlir::Type type);
  /// The buffer of `from`, if `user` may overwrite it with its result.
  std::optional<Buffer> takeOver(mlir::Value from, mlir::Operation *user);

  //===--- DotExtents.cpp: what is zero or not needed -----------------------===//
  struct Extents {
    mlir::Value rows, columns, depth; ///< i64 each, in elements; null for all
    mlir::Value wholeSteps;           ///< the depth, rounded up to steps of the micro-kernel
  };
  Extents findExtents(tile::DotOp dot);
  mlir::Value roundUp(mlir::Value extent, int64_t step);

  //===--- DotOperands.cpp: in scratch memory, or in place -----------------===//
  /// Drops the copies of operands that dots read in user memory, in place or to pack them.
  void deferOperands(Plan &plan);
  bool canReadInPlace(tile::DotOp dot, mlir::Value operand);
  bool canPackAtDot(tile::DotOp dot, mlir::Value operand);
  /// An operand in the form that the micro-kernel needs, up to the extents at least.
  DotOperand operandOf(tile::DotOp dot, bool isA, const Extents &extents);
  DotOperand readInPlaceOr(tile::DotOp dot, mlir::Value tile, llvm::function_ref<Buffer()> copy);
  struct EvenRows {
    mlir::Value first;    ///< the first pointer
    mlir::Value distance; ///< i64, in bytes: from the first row to the second
    mlir::Value areEven;  ///< i1: all rows are at this distance
  };
  /// Compares the first pointers of the rows.
  EvenRows compareDistances(mlir::Value pointers);
  DotOperand describeBuffer(const Buffer &buffer);
  /// Up to where a copy of an operand is needed: i64 each, null for all.
  struct OperandEnds {
    mlir::Value rows, columns;
    mlir::Value existingRows; ///< rows from there on are zeros, without access to memory
  };
  Buffer packOperand(mlir::Value tile, mlir::Type element, int64_t panel, const OperandEnds &ends);
  /// Elements of a row; zeros from row `count` on, which may be null.
  mlir::Value evaluateRow(mlir::Value tile, const Point &point, mlir::Value count);
  /// Allocates memory for a tile that is kept, in the layout that its user needs.
  Buffer allocateKept(mlir::Value tile);

  //===--- DotWords.cpp: products of 8-bit integers and of bfloat16 --------===//
  Buffer packWordsOfA(mlir::Value tile, Words kind, const OperandEnds &ends);
  Buffer packWordsOfB(mlir::Value tile, Words kind, int64_t panel, const OperandEnds &ends);
  /// The extent in words, of one in elements that is a multiple.
  mlir::Value extentInWords(mlir::Value extent, Words kind);
  /// sums + the products of the elements of each word of `scale` and `values`; bytes are unsigned and signed.
  mlir::Value addProductsOfWords(Words kind, mlir::Value sums, mlir::Value scale, mlir::Value values);
  llvm::SmallVector<mlir::Value> sumBytesOfColumns(const MatrixProduct &product, mlir::Value column);

  //===--- ControlFlow.cpp ------------------------------------------------===//
  mlir::LogicalResult emitFor(mlir::scf::ForOp op);
  mlir::LogicalResult emitIf(mlir::scf::IfOp op);
  mlir::LogicalResult emitWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult emitRegionInto(mlir::Block &block, llvm::ArrayRef<Buffer> into);
  llvm::SmallVector<Buffer> enterLoop(mlir::Operation *loop, mlir::ValueRange init);
  llvm::SmallVector<Buffer> allocateFor(mlir::ValueRange values);
  /// Copies the tiles among `values` to `into`, as a parallel assignment; returns the scalars.
  llvm::SmallVector<mlir::Value> moveInto(mlir::ValueRange values, llvm::ArrayRef<Buffer> into);
  void bind(mlir::ValueRange values, mlir::ValueRange emittedScalars, llvm::ArrayRef<Buffer> tiles);

  //===--- Functions.cpp: functions that are not inlined -------------------===//
  mlir::LogicalResult emitCall(tile::CallOp call);
  /// The address of memory with the tile, which the called function may overwrite.
  mlir::Value passTile(mlir::Value tile, tile::CallOp call);
  /// The scratch memory of called functions, which begins where that of this one ends.
  mlir::Value scratchOfCallees();

  //===--- Helpers --------------------------------------------------------===//
  mlir::Value scalar(mlir::Value value) { return scalars.lookup(value); }
  /// Null for an optional operand that is missing.
  mlir::Value optionalScalar(mlir::Value value) { return value ? scalar(value) : mlir::Value(); }
  /// A constant, created once at the start of the function.
  mlir::Value constant(mlir::TypedAttr value);
  mlir::Value i64(int64_t value) { return constant(b.getI64IntegerAttr(value)); }
  mlir::Value zero(mlir::Type type);
  mlir::Value allTrue(int64_t width);
  mlir::Type convert(mlir::Type type);
  mlir::Value broadcast(mlir::Value value, int64_t width);
  static int64_t widthOf(mlir::Value value);
  static mlir::Type vectorOf(mlir::Type element, int64_t width);
  /// Clones the operation with other operands and results of width `width`.
  mlir::Operation *cloneWide(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands, int64_t width);

  mlir::OpBuilder &b;
  AxisInfoAnalysis &axis;
  MemoryOrder memory;
  RematerializationCost rematerialization;
  const hardware::CpuInfo &cpu;
  const EmittedFunctions &functions;
  ProgramContext program;
  mlir::IRMapping scalars;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  int64_t scratchBytes = 0;
  bool storesStream = false;
  EmittedFunction callees;                 ///< the most that a called function needs
  mlir::arith::ConstantOp ownScratchBytes; ///< the offset of the callees' scratch memory; null without calls
  mlir::Value calleeScratch;
  bool hasFailed = false;
  llvm::DenseMap<mlir::Operation *, NumberedAccess> accesses;
  llvm::SmallVector<mlir::Attribute> checkedAccesses;
  llvm::DenseMap<int64_t, std::pair<mlir::Value, mlir::Value>> slotMemory;
  llvm::DenseMap<mlir::Type, Buffer> askedFor; ///< scratch memory for vectors passed to the runtime

  /// For masks of the first lanes, their number as an i64.
  llvm::DenseMap<mlir::Value, mlir::Value> laneCounts;

  /// Values already computed at a point, innermost loop last.
  struct CacheEntry {
    mlir::Value tile;
    Point point;
    mlir::Value result;
  };
  std::vector<CacheEntry> cache;
};

/// Replaces a function that is called by one that executes it for one program. See Functions.cpp.
llvm::FailureOr<EmittedFunction> convertFunction(mlir::func::FuncOp function, const hardware::CpuInfo &cpu,
                                                 const EmittedFunctions &functions);

/// Drops values computed inside a loop or branch from the cache at its end.
class CacheScope {
public:
  explicit CacheScope(Emitter &emitter) : emitter(emitter), size(emitter.cache.size()) {}
  ~CacheScope() { emitter.cache.resize(size); }

private:
  Emitter &emitter;
  size_t size;
};

//===----------------------------------------------------------------------===//
// Models of EmissionOpInterface
//===----------------------------------------------------------------------===//

template <typename Model, typename Op> using EmissionModel = EmissionOpInterface::ExternalModel<Model, Op>;

template <template <typename> class Model, typename... Ops> void attachToAll(mlir::MLIRContext *context) {
  (Ops::template attachInterface<Model<Ops>>(*context), ...);
}

/// Emits the atomic for one element and returns the old value.
mlir::Value emitOneAtomic(mlir::OpBuilder &b, mlir::Operation *op, mlir::ValueRange operands);

/// Emits the atomic, whose old values nothing uses, several elements at a time. Returns false if it is no addition of
/// floats to consecutive addresses, or if the processor has no such exchange.
bool emitVectorAtomics(tile::AtomicRMWOp op, Emitter &e);

/// The models of the tile dialect by family, one function per file.
void attachElementwise(mlir::MLIRContext *context);
void attachShapes(mlir::MLIRContext *context);
void attachMemory(mlir::MLIRContext *context);
void attachAtomics(mlir::MLIRContext *context);
void attachReductions(mlir::MLIRContext *context);
void attachScans(mlir::MLIRContext *context);
void attachMap(mlir::MLIRContext *context);
void attachLibraries(mlir::MLIRContext *context);
void attachDot(mlir::MLIRContext *context);
void attachPoll(mlir::MLIRContext *context);
void attachPrint(mlir::MLIRContext *context);
void attachPrograms(mlir::MLIRContext *context);
void attachCalls(mlir::MLIRContext *context);
/// The models of other dialects.
void attachArith(mlir::MLIRContext *context);
void attachControlFlow(mlir::MLIRContext *context);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_EMITTER_H
