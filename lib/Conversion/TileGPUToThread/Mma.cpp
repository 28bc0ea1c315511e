// Dots by matrix instructions: one instruction per fragment of the accumulators and step along K.

#include "TileGPUToThread.h"

#include "tilewright/Layout/Algebra.h"
#include "tilewright/Layout/Shape.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

using hardware::ElementType;
using hardware::MmaInstruction;
using hardware::MmaOperand;
using layout::LinearLayout;

/// The fragments of an operand and the registers that hold them. Coordinates count fragments, relative to the warp's
/// first one; a batch dimension comes first.
///
/// A tile with fewer rows or columns than the fragment holds it without the elements beyond: the instruction gets
/// others in their place, copies of rows and columns inside, and computes copies of their results.
struct Fragments {
  using Point = LinearLayout::Point;
  int64_t registers = 0;          ///< per fragment, in the tile
  SmallVector<int64_t> sources;   ///< for each register of the instruction, that of the fragment in the tile
  std::map<Point, int64_t> first; ///< the fragment's first register
  LinearLayout warps;             ///< (warp) -> the first fragment of the warp

  /// None if the tile's layout is not tiled by the fragment.
  static std::optional<Fragments> of(Type tile, const LinearLayout &fragment) {
    const LinearLayout &map = tilegpu::mapOf(tile);
    bool hasBatch = map.outs().size() > fragment.outs().size();
    layout::Shape inside = layout::shapeOf(fragment);
    for (auto [size, whole] : llvm::zip_equal(inside, tile::getShape(tile).take_back(inside.size()))) {
      size = std::min(size, whole);
    }
    LinearLayout held = layout::fitToShape(fragment, inside, layout::rowMajorOrder(static_cast<int>(inside.size())));
    auto rest = layout::divideLeft(map, hasBatch ? layout::insertDim(held, 0) : held);
    if (!rest) {
      return std::nullopt;
    }
    Fragments result;
    result.registers = held.inSize(layout::kRegister);
    result.sources = sourcesOf(fragment, inside);
    for (int64_t index = 0; index < rest->inSize(layout::kRegister); ++index) {
      Point at = rest->unpackOut(rest->apply(uint64_t(index) << rest->inStart(layout::kRegister)));
      result.first[at] = index * result.registers;
    }
    result.warps = std::move(*rest);
    return result;
  }

  /// The registers in which a fragment that is cut to a shape holds the elements, or their copies, of the whole one.
  static SmallVector<int64_t> sourcesOf(const LinearLayout &fragment, const layout::Shape &inside) {
    SmallVector<int64_t> sources = {0};
    int64_t kept = 1;
    for (uint64_t column : fragment.columnsOf(layout::kRegister)) {
      Point image = fragment.unpackOut(column);
      bool isCut = llvm::any_of(llvm::zip_equal(image, inside),
                                [](const auto &pair) { return std::get<0>(pair) >= std::get<1>(pair); });
      for (int64_t i = 0, count = static_cast<int64_t>(sources.size()); i < count; ++i) {
        sources.push_back(sources[i] + (isCut ? 0 : kept));
      }
      kept *= isCut ? 1 : 2;
    }
    return sources;
  }

  /// Whether warps are distributed as those of the accumulators, and not along K, the `k`-th dimension from the end.
  bool fits(const Fragments &accumulators, int k) const {
    int rank = static_cast<int>(warps.outs().size());
    for (int dim = 0; dim < rank; ++dim) {
      for (int bit = 0; bit < warps.inBits(layout::kWarp); ++bit) {
        std::string name = layout::dimName(dim);
        int64_t expected = dim == rank - k ? 0 : accumulators.warps.basis(layout::kWarp, bit, name);
        if (warps.basis(layout::kWarp, bit, name) != expected) {
          return false;
        }
      }
    }
    return true;
  }
};

/// An integer as large as a value of the instruction, if that holds several elements.
IntegerType wordType(Builder &builder, const MmaOperand &operand) {
  return builder.getIntegerType(hardware::bitsOf(operand.value.type) * operand.value.count);
}

/// Whether a value is more than a register. An integer of as many bits would be, for LLVM, one number.
bool isWide(const MmaOperand &operand) {
  constexpr int kRegisterBits = 32;
  return operand.elementsPerValue() > 1 && hardware::bitsOf(operand.value.type) * operand.value.count > kRegisterBits;
}

/// Slices of consecutive registers of a tile as operands of the instruction.
SmallVector<Value> toSlices(Builder &builder, Value value, const MmaOperand &operand) {
  int64_t elements = operand.elementsPerValue(), all = cast<VectorType>(value.getType()).getNumElements();
  Type type = thread::valueType(builder.getContext(), operand.value);
  SmallVector<Value> slices;
  for (int64_t first = 0; first < all; first += elements) {
    Value slice = selectRegisters(builder, value, llvm::to_vector(llvm::seq(first, first + elements)));
    slices.push_back(slice.getType() == type ? slice : LLVM::BitcastOp::create(builder, type, slice).getResult());
  }
  return slices;
}

/// Joins the slices, of which there is a power of two, in pairs.
Value fromSlices(Builder &builder, VectorType type, SmallVector<Value> slices, const MmaOperand &operand) {
  auto sliceType = VectorType::get(operand.elementsPerValue(), type.getElementType());
  for (Value &slice : slices) {
    slice = slice.getType() == sliceType ? slice : LLVM::BitcastOp::create(builder, sliceType, slice).getResult();
  }
  for (int64_t elements = 2 * operand.elementsPerValue(); slices.size() > 1; elements *= 2) {
    SmallVector<Value> pairs;
    for (size_t first = 0; first < slices.size(); first += 2) {
      pairs.push_back(vector::ShuffleOp::create(builder, slices[first], slices[first + 1],
                                                llvm::to_vector(llvm::seq<int64_t>(0, elements))));
    }
    slices = std::move(pairs);
  }
  return slices.front();
}

/// Converts the registers of a tile to operands of the instruction.
SmallVector<Value> toWords(Builder &builder, Value value, const MmaOperand &operand) {
  if (isWide(operand)) {
    return toSlices(builder, value, operand);
  }
  int64_t elements = operand.elementsPerValue();
  if (elements > 1) {
    int64_t count = cast<VectorType>(value.getType()).getNumElements() / elements;
    value = vector::BitCastOp::create(builder, VectorType::get(count, wordType(builder, operand)), value);
  }
  Type type = thread::valueType(builder.getContext(), operand.value);
  SmallVector<Value> words = unpack(builder, value);
  for (Value &word : words) {
    if (operand.element == ElementType::TF32) {
      word = thread::RoundToTF32Op::create(builder, word);
    } else if (word.getType() != type) {
      word = LLVM::BitcastOp::create(builder, type, word);
    }
  }
  return words;
}

Value fromWords(Builder &builder, VectorType type, SmallVector<Value> words, const MmaOperand &operand) {
  if (isWide(operand)) {
    return fromSlices(builder, type, words, operand);
  }
  if (operand.elementsPerValue() > 1 && isa<VectorType>(words.front().getType())) {
    for (Value &word : words) {
      word = LLVM::BitcastOp::create(builder, wordType(builder, operand), word);
    }
  }
  Value value = pack(builder, words);
  return value.getType() == type ? value : vector::BitCastOp::create(builder, type, value).getResult();
}

/// A thread's registers of an operand, as operands of instructions.
struct Registers {
  Fragments fragments;
  int64_t perWord;
  SmallVector<Value> words;

  /// The places of one fragment's words, one for each that the instruction takes; empty if the thread does not hold it.
  SmallVector<Value *> at(const Fragments::Point &point) {
    SmallVector<Value *> places;
    auto found = fragments.first.find(point);
    if (found != fragments.first.end()) {
      for (size_t i = 0; i < fragments.sources.size(); i += perWord) {
        places.push_back(&words[(found->second + fragments.sources[i]) / perWord]);
      }
    }
    return places;
  }
};

SmallVector<Value> valuesAt(ArrayRef<Value *> places) {
  return llvm::map_to_vector(places, [](Value *place) { return *place; });
}

/// c += a * b. K is the outermost loop, so that consecutive instructions do not depend on each other.
LogicalResult multiply(Builder &builder, const MmaInstruction &row, Registers &a, Registers &b, Registers &c) {
  size_t last = a.fragments.warps.outs().size() - 1;
  int64_t steps = a.fragments.warps.outSize(layout::dimName(static_cast<int>(last)));
  for (int64_t k = 0; k < steps; ++k) {
    for (const auto &[at, reg] : c.fragments.first) {
      Fragments::Point atA = at, atB = at;
      atA[last] = k;
      atB[last - 1] = k;
      SmallVector<Value> left = valuesAt(a.at(atA)), right = valuesAt(b.at(atB));
      if (left.empty() || right.empty()) {
        return failure();
      }
      SmallVector<Value *> sums = c.at(at);
      auto product = thread::MmaOp::create(builder, row.name, left, right, valuesAt(sums));
      for (auto [sum, result] : llvm::zip_equal(sums, product.getResults())) {
        *sum = result;
      }
    }
  }
  return success();
}

struct Mma : OpConversionPattern<tilegpu::MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tilegpu::MmaOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const MmaInstruction &row = *hardware::lookupMma(op.getInstruction());
    auto a = Fragments::of(op.getA().getType(), row.a().fragment);
    auto b = Fragments::of(op.getB().getType(), row.b().fragment);
    auto c = Fragments::of(op.getType(), row.c().fragment);
    if (!a || !b || !c || !a->fits(*c, 1) || !b->fits(*c, 2)) {
      return op.emitError("the operands' layouts do not match the instruction ") << op.getInstruction();
    }
    Builder builder(op.getLoc(), rewriter);
    Registers left = read(builder, *a, adaptor.getA(), row.a()), right = read(builder, *b, adaptor.getB(), row.b());
    Registers sums = read(builder, *c, adaptor.getAcc(), row.c());
    if (failed(multiply(builder, row, left, right, sums))) {
      return op.emitError("a warp does not hold all operands of its part of the result");
    }
    auto type = cast<VectorType>(adaptor.getAcc().getType());
    rewriter.replaceOp(op, fromWords(builder, type, sums.words, row.c()));
    return success();
  }

private:
  static Registers read(Builder &builder, Fragments fragments, Value value, const MmaOperand &operand) {
    return {std::move(fragments), operand.elementsPerValue(), toWords(builder, value, operand)};
  }
};

} // namespace

void addMmaPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<Mma>(types, patterns.getContext());
}

} // namespace tilewright::gpu
