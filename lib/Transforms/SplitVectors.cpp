// split-vectors: splits vectors of many elements into pieces. See Passes.td.
//
//   %y = arith.addf %x, %x : vector<256xf32>
// becomes
//   %y0 = arith.addf %x0, %x0 : vector<16xf32>
//   ...
//   %y15 = arith.addf %x15, %x15 : vector<16xf32>
//
// where %x0 to %x15 are the pieces of %x. The type converter names the pieces, and the driver of conversions replaces
// each value by them. An operation without a pattern keeps its vectors, which materializations assemble from the pieces
// and take apart.

#include "ShortenLifetimes/LiveWords.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright {
#define GEN_PASS_DEF_SPLITVECTORS
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

namespace {

/// An element of a value's pieces.
struct Place {
  Value piece;
  int64_t index;
};

Value extract(OpBuilder &builder, Location loc, Place place) {
  return builder.createOrFold<vector::ExtractOp>(loc, place.piece, place.index);
}

Value fromPlaces(OpBuilder &builder, Location loc, VectorType type, ArrayRef<Place> places) {
  SmallVector<Value> elements;
  for (Place place : places) {
    elements.push_back(extract(builder, loc, place));
  }
  return vector::FromElementsOp::create(builder, loc, type, elements);
}

/// All pieces but the last have the same length.
Place placeOf(ValueRange pieces, int64_t position) {
  int64_t length = cast<VectorType>(pieces.front().getType()).getNumElements();
  return {pieces[position / length], position % length};
}

SmallVector<Place> placesOf(ValueRange pieces) {
  SmallVector<Place> places;
  for (Value piece : pieces) {
    for (int64_t index = 0; index < cast<VectorType>(piece.getType()).getNumElements(); ++index) {
      places.push_back({piece, index});
    }
  }
  return places;
}

/// The elements of a piece. Shorter pieces would be more operations, and longer ones take LLVM longer to split.
constexpr int64_t kPiece = 16;

/// The same where pieces are computed in turn, so that their intermediate results need few registers.
constexpr int64_t kShortPiece = 4;

class Pieces : public TypeConverter {
public:
  /// Splits vectors of more than `most` elements.
  explicit Pieces(int64_t most) : most(most) {
    addConversion([](Type type) { return type; });
    addConversion([this](VectorType type, SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
      if (!isLong(type)) {
        return std::nullopt;
      }
      for (int64_t first = 0; first < type.getNumElements(); first += length()) {
        types.push_back(VectorType::get(std::min(length(), type.getNumElements() - first), type.getElementType()));
      }
      return success();
    });
    addSourceMaterialization([](OpBuilder &builder, VectorType type, ValueRange pieces, Location loc) {
      return fromPlaces(builder, loc, type, placesOf(pieces));
    });
    addTargetMaterialization([](OpBuilder &builder, TypeRange types, ValueRange whole, Location loc) {
      SmallVector<Place> places = placesOf(whole);
      ArrayRef<Place> rest = places;
      SmallVector<Value> pieces;
      for (Type type : types) {
        auto piece = cast<VectorType>(type);
        pieces.push_back(fromPlaces(builder, loc, piece, rest.take_front(piece.getNumElements())));
        rest = rest.drop_front(piece.getNumElements());
      }
      return pieces;
    });
  }

  /// The elements of a piece; the last one may have fewer.
  int64_t length() const { return std::min(most, kPiece); }
  bool isLong(Type type) const {
    auto vector = dyn_cast<VectorType>(type);
    return vector && vector.getRank() == 1 && !vector.isScalable() && vector.getNumElements() > most;
  }
  bool concerns(Operation *op) const {
    auto isLongType = [this](Type type) { return isLong(type); };
    return llvm::any_of(op->getOperandTypes(), isLongType) || llvm::any_of(op->getResultTypes(), isLongType);
  }
  SmallVector<Type> of(Type type) const {
    SmallVector<Type> types;
    (void)convertType(type, types);
    return types;
  }

private:
  int64_t most;
};

//===----------------------------------------------------------------------===//
// Operations on corresponding elements
//===----------------------------------------------------------------------===//

/// Whether element i of the result depends on element i of each operand that is a vector.
bool isLanewise(Operation *op) {
  if (isa<LLVM::GEPOp, LLVM::IntToPtrOp, LLVM::PtrToIntOp, ub::PoisonOp>(op)) {
    return true;
  }
  return OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1;
}

struct Lanewise : ConversionPattern {
  Lanewise(const Pieces &pieces, MLIRContext *context)
      : ConversionPattern(pieces, MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isLanewise(op)) {
      return failure();
    }
    SmallVector<Type> types = static_cast<const Pieces *>(getTypeConverter())->of(op->getResult(0).getType());
    SmallVector<Value> results;
    for (auto [index, type] : llvm::enumerate(types)) {
      OperationState state(op->getLoc(), op->getName());
      for (ValueRange operand : operands) {
        state.operands.push_back(operand.size() == 1 ? operand.front() : operand[index]);
      }
      state.addTypes(type);
      state.addAttributes(op->getDiscardableAttrDictionary().getValue());
      state.propertiesAttr = op->getPropertiesAsAttribute();
      results.push_back(rewriter.create(state)->getResult(0));
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Vectors from elements, and elements of vectors
//===----------------------------------------------------------------------===//

template <typename Op> struct Pattern : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  SmallVector<Type> piecesOf(Value value) const {
    return static_cast<const Pieces *>(this->getTypeConverter())->of(value.getType());
  }
};

struct Constant : Pattern<arith::ConstantOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto whole = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!whole) {
      return failure();
    }
    SmallVector<Value> pieces;
    auto rest = whole.getValues<Attribute>();
    int64_t first = 0;
    for (Type type : piecesOf(op)) {
      auto piece = cast<VectorType>(type);
      SmallVector<Attribute> elements;
      if (whole.isSplat()) {
        elements.push_back(whole.getSplatValue<Attribute>());
      } else {
        for (int64_t index = 0; index < piece.getNumElements(); ++index) {
          elements.push_back(rest[first + index]);
        }
      }
      first += piece.getNumElements();
      pieces.push_back(arith::ConstantOp::create(rewriter, op.getLoc(), DenseElementsAttr::get(piece, elements)));
    }
    rewriter.replaceOpWithMultiple(op, {pieces});
    return success();
  }
};

struct Broadcast : Pattern<vector::BroadcastOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(vector::BroadcastOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (adaptor.getSource().size() != 1) {
      return failure();
    }
    SmallVector<Value> pieces;
    for (Type type : piecesOf(op)) {
      bool isSame = !pieces.empty() && pieces.back().getType() == type;
      pieces.push_back(
          isSame ? pieces.back()
                 : vector::BroadcastOp::create(rewriter, op.getLoc(), type, adaptor.getSource().front()).getResult());
    }
    rewriter.replaceOpWithMultiple(op, {pieces});
    return success();
  }
};

struct FromElements : Pattern<vector::FromElementsOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(vector::FromElementsOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> elements(op.getElements()), pieces;
    ArrayRef<Value> rest = elements;
    for (Type type : piecesOf(op)) {
      auto piece = cast<VectorType>(type);
      pieces.push_back(
          vector::FromElementsOp::create(rewriter, op.getLoc(), piece, rest.take_front(piece.getNumElements())));
      rest = rest.drop_front(piece.getNumElements());
    }
    rewriter.replaceOpWithMultiple(op, {pieces});
    return success();
  }
};

struct Extract : Pattern<vector::ExtractOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(vector::ExtractOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (op.hasDynamicPosition() || op.getStaticPosition().size() != 1 || op.getStaticPosition().front() < 0) {
      return failure();
    }
    Place place = placeOf(adaptor.getSource(), op.getStaticPosition().front());
    rewriter.replaceOp(op, extract(rewriter, op.getLoc(), place));
    return success();
  }
};

/// A vector of these elements: a piece, or a shuffle of at most two, or assembled from elements.
Value choose(OpBuilder &builder, Location loc, VectorType type, ArrayRef<Place> chosen) {
  llvm::SmallSetVector<Value, 4> sources;
  bool isWhole = chosen.front().piece.getType() == type;
  for (auto [index, place] : llvm::enumerate(chosen)) {
    sources.insert(place.piece);
    isWhole &= place.piece == chosen.front().piece && place.index == static_cast<int64_t>(index);
  }
  if (isWhole) {
    return chosen.front().piece;
  }
  if (sources.size() > 2) {
    return fromPlaces(builder, loc, type, chosen);
  }
  int64_t ofFirst = cast<VectorType>(sources[0].getType()).getNumElements();
  SmallVector<int64_t> mask = llvm::map_to_vector(
      chosen, [&](Place place) { return place.piece == sources[0] ? place.index : ofFirst + place.index; });
  return vector::ShuffleOp::create(builder, loc, sources[0], sources.back(), mask);
}

struct Shuffle : Pattern<vector::ShuffleOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(vector::ShuffleOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Place> places = placesOf(adaptor.getV1());
    llvm::append_range(places, placesOf(adaptor.getV2()));
    ArrayRef<int64_t> rest = op.getMask();
    SmallVector<Value> pieces;
    for (Type type : piecesOf(op)) {
      auto piece = cast<VectorType>(type);
      SmallVector<Place> chosen;
      for (int64_t index : rest.take_front(piece.getNumElements())) {
        // Any element will do for one that is not specified.
        chosen.push_back(places[std::max<int64_t>(index, 0)]);
      }
      rest = rest.drop_front(piece.getNumElements());
      pieces.push_back(choose(rewriter, op.getLoc(), piece, chosen));
    }
    rewriter.replaceOpWithMultiple(op, {pieces});
    return success();
  }
};

/// Casts parts of at most a piece's length before and after the cast, and assembles the pieces of the result.
struct Bitcast : Pattern<vector::BitCastOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(vector::BitCastOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    VectorType from = op.getSourceVectorType(), to = op.getResultVectorType();
    int64_t fromBits = from.getElementTypeBitWidth(), toBits = to.getElementTypeBitWidth();
    int64_t longest = static_cast<const Pieces *>(getTypeConverter())->length();
    int64_t step = longest * std::min(fromBits, toBits) / fromBits;
    if (step * fromBits % toBits != 0 || from.getNumElements() * fromBits % toBits != 0 || step == 0) {
      return failure();
    }
    SmallVector<Place> all = placesOf(adaptor.getSource()), places;
    for (ArrayRef<Place> rest = all; !rest.empty(); rest = rest.drop_front(std::min<size_t>(step, rest.size()))) {
      ArrayRef<Place> chosen = rest.take_front(step);
      int64_t count = chosen.size();
      Value part = choose(rewriter, op.getLoc(), VectorType::get(count, from.getElementType()), chosen);
      auto type = VectorType::get(count * fromBits / toBits, to.getElementType());
      Value cast = vector::BitCastOp::create(rewriter, op.getLoc(), type, part);
      llvm::append_range(places, placesOf(cast));
    }
    ArrayRef<Place> rest = places;
    SmallVector<Value> pieces;
    for (Type type : piecesOf(op)) {
      auto piece = cast<VectorType>(type);
      pieces.push_back(choose(rewriter, op.getLoc(), piece, rest.take_front(piece.getNumElements())));
      rest = rest.drop_front(piece.getNumElements());
    }
    rewriter.replaceOpWithMultiple(op, {pieces});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Integers are associative, so the pieces are combined first.
struct Reduction : Pattern<vector::ReductionOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(vector::ReductionOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value sum;
    if (!op.getType().isInteger() || op.getAcc()) {
      return failure();
    }
    for (Value piece : adaptor.getVector()) {
      sum = sum ? vector::ReductionOp::create(rewriter, op.getLoc(), op.getKind(), piece, sum)
                : vector::ReductionOp::create(rewriter, op.getLoc(), op.getKind(), piece);
    }
    rewriter.replaceOp(op, sum);
    return success();
  }
};

struct SplitVectors : tilewright::impl::SplitVectorsBase<SplitVectors> {
  using SplitVectorsBase::SplitVectorsBase;

  void runOnOperation() override {
    Pieces pieces(exceedsRegisters() ? std::min<int64_t>(maxElements, kShortPiece) : maxElements);
    bool isConcerned =
        getOperation()->walk([&](Operation *op) { return WalkResult(failure(pieces.concerns(op))); }).wasInterrupted();
    if (!isConcerned) {
      return markAllAnalysesPreserved();
    }
    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    patterns.add<Lanewise>(pieces, &getContext());
    patterns.add<Constant, Broadcast, FromElements, Extract, Shuffle, Bitcast, Reduction>(pieces, &getContext());
    scf::populateSCFStructuralTypeConversionsAndLegality(pieces, patterns, target);
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) -> std::optional<bool> { return pieces.concerns(op) ? std::nullopt : std::optional(true); });
    ConversionConfig config;
    config.allowPatternRollback = false;
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns), config))) {
      signalPassFailure();
    }
  }

  bool exceedsRegisters() {
    return llvm::any_of(getOperation().getOps<func::FuncOp>(), [](func::FuncOp function) {
      std::optional<int64_t> registers = registersPerThread(function);
      auto exceeds = [&](Block *block) {
        return mostLiveWords(*block) > *registers ? WalkResult::interrupt() : WalkResult::advance();
      };
      return registers && function.walk(exceeds).wasInterrupted();
    });
  }
};

} // namespace
