// Dots by matrix instructions of warp groups: one instruction per fragment of the accumulators and step along K.

#include "TileGPUToThread.h"

#include "tilewright/Dialect/TileGPU/IR/PartialSums.h"
#include "tilewright/Layout/Algebra.h"
#include "tilewright/Layout/Shared.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

using hardware::GroupMmaInstruction;
using layout::LinearLayout;
using layout::Operand;
using Point = LinearLayout::Point;

/// Where the fragments of a tile are; coordinates count fragments.
struct Fragments {
  int64_t registers;       ///< of each
  SmallVector<Point> at;   ///< the fragments that a thread holds, in the order of its registers
  SmallVector<Point> bits; ///< of each bit of the group's index

  /// None if the tile's layout is not tiled by the fragment.
  static std::optional<Fragments> of(const LinearLayout &map, const LinearLayout &fragment) {
    std::optional<LinearLayout> rest = layout::divideLeft(map, fragment);
    if (!rest) {
      return std::nullopt;
    }
    Fragments result = {fragment.inSize(layout::kRegister), {}, {}};
    for (int64_t index = 0; index < rest->inSize(layout::kRegister); ++index) {
      result.at.push_back(rest->unpackOut(rest->apply(uint64_t(index) << rest->inStart(layout::kRegister))));
    }
    for (uint64_t column : rest->columnsOf(layout::kWarp)) {
      result.bits.push_back(rest->unpackOut(column));
    }
    return result;
  }
};

/// An operand in shared memory. Coordinates are those of the operand, K along dimension `k`.
class InShared {
public:
  InShared(tilegpu::BufferType buffer, int k, bool isTransposed)
      : bytes(buffer.getElementBytes()), isSwapped(isTransposed),
        offsets(layout::pseudoInverse(buffer.getLayout().getMap())) {
    for (int swizzle : {128, 64, 32}) {
      for (bool alongFirst : {false, true}) {
        int along = alongFirst ? 0 : 1;
        bool fits = buffer.getShape()[along] * bytes >= swizzle;
        if (fits && layout::nvmmaShared(layout::Shape(buffer.getShape()), static_cast<int>(8 * bytes), swizzle,
                                        alongFirst) == buffer.getLayout().getMap()) {
          describe(buffer, swizzle, along, isTransposed ? 1 - k : k);
          return;
        }
      }
    }
  }

  bool isReadable() const { return swizzle != 0; }

  thread::SharedMatrixAttr attribute(MLIRContext *context) const {
    return thread::SharedMatrixAttr::get(context, swizzle, leading, stride, !isMajorAlongK);
  }

  /// The bytes from the beginning of the buffer to an element.
  int64_t offsetOf(int64_t row, int64_t column) const {
    Point point = isSwapped ? Point{column, row} : Point{row, column};
    return static_cast<int64_t>(offsets.apply(offsets.packIn(point))) * bytes;
  }

private:
  /// Lines of `swizzle` bytes follow one another along the other dimension; where they end, the next ones begin that
  /// continue the first ones.
  void describe(tilegpu::BufferType buffer, int bytesOfLine, int along, int k) {
    constexpr int64_t kLines = 8;
    swizzle = bytesOfLine;
    isMajorAlongK = along == k;
    stride = kLines * swizzle;
    leading = isMajorAlongK ? 0 : buffer.getShape()[1 - along] * swizzle;
  }

  int64_t bytes, swizzle = 0, leading = 0, stride = 0;
  bool isSwapped, isMajorAlongK = true;
  LinearLayout offsets;
};

/// The address at which a group's part of an operand begins.
Value partOfGroup(Builder &builder, Value address, ArrayRef<int64_t> offsetOfBit) {
  if (llvm::all_of(offsetOfBit, [](int64_t offset) { return offset == 0; })) {
    return address;
  }
  Value offset = linearImage(builder, groupIndex(builder), offsetOfBit);
  return LLVM::GEPOp::create(builder, address.getType(), builder.getI8Type(), address, offset);
}

bool isNarrow(Value elements) { return cast<VectorType>(elements.getType()).getElementTypeBitWidth() < 32; }

/// The registers in which instructions change accumulators: elements of 32 bits, or words of narrower ones.
SmallVector<Value> sumsOf(Builder &builder, Value accumulators) {
  return unpack(builder, isNarrow(accumulators) ? asWords(builder, accumulators) : accumulators);
}

Value fromSums(Builder &builder, Type type, SmallVector<Value> sums) {
  Value packed = pack(builder, std::move(sums));
  return packed.getType() == type ? packed : vector::BitCastOp::create(builder, type, packed).getResult();
}

/// The accumulators' fragments, of as many columns as one instruction computes.
struct Accumulators {
  Fragments fragments;
  int64_t columns;
  int64_t words; ///< of a fragment

  static std::optional<Accumulators> of(const LinearLayout &map, const GroupMmaInstruction &row) {
    constexpr int64_t kMostColumns = 256;
    for (int64_t columns = std::min(map.outSize(layout::dimName(1)), kMostColumns); columns >= 8; columns /= 2) {
      std::optional<Fragments> found =
          row.takes(columns) ? Fragments::of(map, row.operand(Operand::C, columns)) : std::nullopt;
      if (found) {
        int64_t words = found->registers * hardware::bitsOf(row.accumulator) / 32;
        return Accumulators{std::move(*found), columns, words};
      }
    }
    return std::nullopt;
  }
};

/// Operand A, in shared memory or in registers.
class LeftOperand {
public:
  LeftOperand(tilegpu::GroupMmaOp op, const GroupMmaInstruction &row) {
    if (auto buffer = dyn_cast<tilegpu::BufferType>(op.getA().getType())) {
      shared.emplace(buffer, /*k=*/1, op.getTransposedA());
    } else {
      LinearLayout map = tilegpu::mapOf(op.getA());
      map = op.getTransposedA() ? layout::transposed(map, {1, 0}) : map;
      registers = Fragments::of(map, row.operand(Operand::A, 8));
      isRounded = row.a == hardware::ElementType::TF32;
    }
  }

  bool isReadable() const { return shared ? shared->isReadable() : registers.has_value(); }

  void read(Builder &builder, Value value, ArrayRef<Point> groupBits) {
    if (shared) {
      SmallVector<int64_t> offsets;
      for (const Point &at : groupBits) {
        offsets.push_back(shared->offsetOf(at[0] * GroupMmaInstruction::kRows, 0));
      }
      words = {partOfGroup(builder, value, offsets)};
      return;
    }
    words = isRounded ? rounded(builder, value) : unpack(builder, asWords(builder, value));
    perFragment = static_cast<int64_t>(words.size()) / static_cast<int64_t>(registers->at.size());
  }

  /// What the instruction takes of the fragment in a row and a column of fragments; empty if the thread lacks it.
  ArrayRef<Value> at(int64_t row, int64_t column) const {
    if (shared) {
      return words;
    }
    const auto *found = llvm::find(registers->at, Point{row, column});
    return found == registers->at.end()
               ? ArrayRef<Value>()
               : ArrayRef(words).slice((found - registers->at.begin()) * perFragment, perFragment);
  }

  int64_t offsetOf(int64_t row, int64_t column) const { return shared ? shared->offsetOf(row, column) : 0; }

  thread::SharedMatrixAttr attribute(MLIRContext *context) const {
    return shared ? shared->attribute(context) : thread::SharedMatrixAttr();
  }

private:
  static SmallVector<Value> rounded(Builder &builder, Value value) {
    return llvm::map_to_vector(unpack(builder, value),
                               [&](Value element) -> Value { return thread::RoundToTF32Op::create(builder, element); });
  }

  bool isRounded = false; ///< in registers, to tf32
  std::optional<InShared> shared;
  std::optional<Fragments> registers;
  SmallVector<Value> words;
  int64_t perFragment = 0;
};

/// What the accumulators of a group_mma begin with.
struct Start {
  bool isZero;
  Value continues; ///< where it is false, they begin with zero, too; null if it is true
};

/// The instructions of a group_mma.
struct Products {
  const GroupMmaInstruction &row;
  const Accumulators &accumulators;
  const LeftOperand &a;
  const InShared &b;
  Value addressB;

  /// Adds the products of columns of A from `begin` to `end` to `sums`. K is the outermost loop, so that consecutive
  /// instructions do not depend on each other. Fails if the group lacks a part of A.
  LogicalResult emit(Builder &builder, int64_t begin, int64_t end, MutableArrayRef<Value> sums, Start start) const {
    const Fragments &fragments = accumulators.fragments;
    for (int64_t k = begin; k < end; k += row.k) {
      for (auto [index, at] : llvm::enumerate(fragments.at)) {
        ArrayRef<Value> left = a.at(at[0], k / row.k);
        if (left.empty()) {
          return failure();
        }
        MutableArrayRef<Value> part = sums.slice(index * accumulators.words, accumulators.words);
        auto product = thread::GroupMmaOp::create(
            builder, row.name(), accumulators.columns, left, addressB, SmallVector<Value>(part),
            k == begin ? start.continues : Value(), a.attribute(builder.getContext()),
            b.attribute(builder.getContext()), a.offsetOf(at[0] * GroupMmaInstruction::kRows, k),
            b.offsetOf(k, at[1] * accumulators.columns), start.isZero && k == begin);
        llvm::copy(product.getResults(), part.begin());
      }
    }
    return success();
  }

  /// The same as a group that other code waits for, which has the accumulators in registers of its own.
  LogicalResult emitAndWait(Builder &builder, int64_t begin, int64_t end, SmallVector<Value> &sums, Start start) const {
    sums = llvm::to_vector_of<Value>(thread::GroupMmaBeginOp::create(builder, ValueRange(sums)).getResults());
    if (failed(emit(builder, begin, end, sums, start))) {
      return failure();
    }
    thread::GroupMmaCommitOp::create(builder);
    auto wait = thread::GroupMmaWaitOp::create(builder, builder.getI32IntegerAttr(0), sums);
    sums = llvm::to_vector_of<Value>(wait.getResults());
    return success();
  }

  /// Adds the products of `partialK` columns of A at a time, with the precision of the accumulators.
  LogicalResult emitPartial(Builder &builder, int64_t depth, int64_t partialK, SmallVector<Value> &sums) const {
    for (int64_t k = 0; k < depth; k += partialK) {
      Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(sums.front().getType()));
      SmallVector<Value> parts(sums.size(), zero);
      if (failed(emitAndWait(builder, k, std::min(k + partialK, depth), parts, {/*isZero=*/true, Value()}))) {
        return failure();
      }
      for (auto [sum, part] : llvm::zip_equal(sums, parts)) {
        sum = arith::AddFOp::create(builder, sum, part);
      }
    }
    return success();
  }
};

struct GroupMma : OpConversionPattern<tilegpu::GroupMmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tilegpu::GroupMmaOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto bufferB = dyn_cast<tilegpu::BufferType>(op.getB().getType());
    if (!bufferB) {
      return op.emitError("stage-group-operands has not put the operands into shared memory");
    }
    const GroupMmaInstruction &row = *hardware::lookupGroupMma(op.getInstruction());
    LinearLayout map = tilegpu::mapOf(op.getType());
    auto accumulators = Accumulators::of(op.getTransposedC() ? layout::transposed(map, {1, 0}) : map, row);
    LeftOperand a(op, row);
    InShared b(bufferB, /*k=*/0, op.getTransposedB());
    if (!accumulators || !a.isReadable() || !b.isReadable()) {
      return op.emitError("the operands' layouts do not match the instruction ") << op.getInstruction();
    }
    Builder builder(op.getLoc(), rewriter);
    ArrayRef<Point> groupBits = accumulators->fragments.bits;
    a.read(builder, adaptor.getA(), groupBits);
    SmallVector<int64_t> offsetsB;
    for (const Point &at : groupBits) {
      offsetsB.push_back(b.offsetOf(0, at[1] * accumulators->columns));
    }
    Value addressB = partOfGroup(builder, adaptor.getB(), offsetsB);
    SmallVector<Value> sums = sumsOf(builder, adaptor.getAcc());
    Products products = {row, *accumulators, a, b, addressB};
    if (failed(emit(builder, op, products, sums, {isZero(adaptor.getAcc()), adaptor.getContinues()}))) {
      return op.emitError("a warp group does not hold its part of A");
    }
    rewriter.replaceOp(op, fromSums(builder, adaptor.getAcc().getType(), std::move(sums)));
    return success();
  }

private:
  static LogicalResult emit(Builder &builder, tilegpu::GroupMmaOp op, const Products &products,
                            SmallVector<Value> &sums, Start start) {
    int64_t depth = depthOf(op);
    if (std::optional<int64_t> columns = tilegpu::partialK(op)) {
      return products.emitPartial(builder, depth, *columns, sums);
    }
    if (!op.getAsync()) {
      return products.emitAndWait(builder, 0, depth, sums, start);
    }
    // Accumulators in flight from the previous iteration must not be copied.
    bool mayCopy = !isInFlight(op.getAcc());
    auto begin = thread::GroupMmaBeginOp::create(builder, mayCopy ? ValueRange(sums) : ValueRange());
    if (mayCopy) {
      sums = llvm::to_vector_of<Value>(begin.getResults());
    }
    LogicalResult emitted = products.emit(builder, 0, depth, sums, start);
    thread::GroupMmaCommitOp::create(builder);
    return emitted;
  }

  /// Whether the accumulators may be in flight. A loop carries them as a block argument, which the conversion may have
  /// replaced by a cast.
  static bool isInFlight(Value acc) {
    return isa<BlockArgument>(acc) ||
           isa<UnrealizedConversionCastOp, tilegpu::GroupMmaOp, tilegpu::GroupMmaWaitOp>(acc.getDefiningOp());
  }

  /// The size along K.
  static int64_t depthOf(tilegpu::GroupMmaOp op) {
    ArrayRef<int64_t> shape = cast<tilegpu::BufferType>(op.getB().getType()).getShape();
    return shape[op.getTransposedB() ? 1 : 0];
  }
};

struct Wait : OpConversionPattern<tilegpu::GroupMmaWaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::GroupMmaWaitOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    auto wait = thread::GroupMmaWaitOp::create(builder, op.getPendingAttr(), sumsOf(builder, adaptor.getAcc()));
    rewriter.replaceOp(op, fromSums(builder, adaptor.getAcc().getType(), llvm::to_vector_of<Value>(wait.getResults())));
    return success();
  }
};

struct RoundToTF32 : OpConversionPattern<tilegpu::RoundToTF32Op> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::RoundToTF32Op op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    SmallVector<Value> elements = unpack(builder, adaptor.getX());
    for (Value &element : elements) {
      Value bits = thread::RoundToTF32Op::create(builder, element);
      element = LLVM::BitcastOp::create(builder, builder.getF32Type(), bits);
    }
    rewriter.replaceOp(op, pack(builder, elements));
    return success();
  }
};

} // namespace

void addGroupMmaPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<GroupMma, Wait, RoundToTF32>(types, patterns.getContext());
}

} // namespace tilewright::gpu
