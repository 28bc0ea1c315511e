// Products of narrow elements by instructions that add the products of all elements of a 32-bit word to each of 16
// sums: four of 8-bit integers (AVX-512 VNNI) or two of bfloat16 (AVX-512 BF16).
//
// Operands are packed as words of adjacent elements along K:
//
//     B [K, N]                 words [K / 2, N]
//       b00 b01 b02 ...          b00 b10 | b01 b11 | b02 b12 | ...
//       b10 b11 b12 ...
//
// vpdpbusd takes the bytes of one operand as unsigned, so that 128 is added to the elements of A, which is an exclusive
// or of the highest bit, and 128 times the sums of the columns of B is subtracted from the sums:
//
//     a * b = (a + 128) * b - 128 * b
//
// vdpbf16ps takes numbers below the smallest normal one (1.2e-38) for zero, and rounds such sums to zero, which dots of
// precision `ieee` must not.

#include "Emitter.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {

static constexpr int32_t kHighestBits = int32_t(0x80808080);

int64_t elementsPerWord(Words words) { return words == Words::Bytes ? 4 : words == Words::Bfloats ? 2 : 1; }

Words wordsOf(tile::DotOp dot, const hardware::CpuInfo &cpu) {
  Type a = getElementTypeOrSelf(dot.getA().getType()), b = getElementTypeOrSelf(dot.getB().getType());
  Type sums = getComputeType(getElementTypeOrSelf(dot.getType()));
  Words words = Words::None;
  if (cpu.hasByteDots && sums.isInteger(32) && a.isInteger(8) && b.isInteger(8)) {
    words = Words::Bytes;
  } else if (cpu.hasBfloatDots && sums.isF32() && a.isBF16() && b.isBF16() &&
             dot.getPrecision() != tile::InputPrecision::IEEE) {
    words = Words::Bfloats;
  }
  int64_t depth = tile::getShape(dot.getA().getType()).back(), columns = tile::getShape(dot.getB().getType()).back();
  bool fits = depth % elementsPerWord(words) == 0 && columns % cpu.lanes(32) == 0;
  return fits ? words : Words::None;
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// The type of a tile of words with the elements of `tile`, which are adjacent along `dim`.
static RankedTensorType wordsAlong(Value tile, size_t dim, Words words) {
  SmallVector<int64_t> shape(tile::getShape(tile.getType()));
  shape[dim] /= elementsPerWord(words);
  return RankedTensorType::get(shape, IntegerType::get(tile.getContext(), 32));
}

Value Emitter::extentInWords(Value extent, Words kind) {
  if (!extent || kind == Words::None) {
    return extent;
  }
  return arith::DivUIOp::create(b, extent.getLoc(), extent, i64(elementsPerWord(kind)));
}

/// A [rows, K / 4] with 128 added to each byte, or [rows, K / 2] as it is.
Buffer Emitter::packWordsOfA(Value tile, Words kind, const OperandEnds &ends) {
  RankedTensorType type = wordsAlong(tile, tile::getShape(tile.getType()).size() - 1, kind);
  Buffer words = packOperand(tile, getElementTypeOrSelf(tile.getType()), /*panel=*/0, ends);
  words.element = type.getElementType();
  words.strides = rowMajorStrides(type.getShape());
  if (kind == Words::Bfloats) {
    return words;
  }
  Buffer packed = allocate(type);
  fillBuffer(type, packed, [&](const Point &point) -> Value {
    Value word = readBuffer(words, point);
    Value bits = broadcast(constant(b.getI32IntegerAttr(kHighestBits)), point.width);
    return arith::XOrIOp::create(b, word.getLoc(), word, bits);
  });
  return packed;
}

/// The elements of two vectors in turn.
static Value interleave(OpBuilder &b, Value even, Value odd) {
  int64_t width = Emitter::widthOf(even);
  SmallVector<int64_t> lanes;
  for (int64_t lane = 0; lane < width; ++lane) {
    lanes.append({lane, lane + width});
  }
  return vector::ShuffleOp::create(b, even.getLoc(), even, odd, lanes);
}

/// Words of elements with the same lane in `rows`.
static Value joinRows(OpBuilder &b, SmallVector<Value> rows) {
  Location loc = rows.front().getLoc();
  int64_t width = Emitter::widthOf(rows.front());
  for (auto bits = static_cast<int64_t>(32 / rows.size()); rows.size() > 1; bits *= 2) {
    SmallVector<Value> joined;
    for (size_t i = 0; i < rows.size(); i += 2) {
      Value pairs = interleave(b, rows[i], rows[i + 1]);
      auto type = VectorType::get({width}, b.getIntegerType(2 * bits));
      joined.push_back(vector::BitCastOp::create(b, loc, type, pairs));
    }
    rows = std::move(joined);
  }
  return rows.front();
}

/// B [K / 4, columns] or [K / 2, columns], in panels.
Buffer Emitter::packWordsOfB(Value tile, Words kind, int64_t panel, const OperandEnds &ends) {
  size_t rank = tile::getShape(tile.getType()).size();
  RankedTensorType type = wordsAlong(tile, rank - 2, kind);
  Buffer packed = allocateInPanels(type, type.getElementType(), panel);
  Location loc = program.scratch.getLoc();
  int64_t count = elementsPerWord(kind), width = std::min(panel, cpu.lanes(32 / count));
  Type narrow = vectorOf(b.getIntegerType(32 / count), width);
  SmallVector<Value> inWords(rank);
  inWords[rank - 2] = extentInWords(ends.rows, kind);
  inWords[rank - 1] = ends.columns;
  auto join = [&](const Point &point) {
    Value first = arith::MulIOp::create(b, loc, point.index[rank - 2], i64(count));
    SmallVector<Value> rows;
    for (int64_t i = 0; i < count; ++i) {
      Point row = point;
      row.index[rank - 2] = arith::AddIOp::create(b, loc, first, i64(i));
      rows.push_back(vector::BitCastOp::create(b, loc, narrow, evaluateRow(tile, row, ends.existingRows)));
    }
    writeBuffer(packed, point, joinRows(b, rows));
  };
  CacheScope scope(*this);
  emitPointwise(type.getShape(), static_cast<int>(rank) - 1, width, join, inWords);
  return packed;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Value Emitter::addProductsOfWords(Words kind, Value sums, Value scale, Value values) {
  bool isBytes = kind == Words::Bytes;
  Type element = isBytes ? Type(b.getI8Type()) : Type(b.getBF16Type());
  auto elements = VectorType::get({cpu.lanes(32) * elementsPerWord(kind)}, element);
  Location loc = sums.getLoc();
  auto split = [&](Value words) { return vector::BitCastOp::create(b, loc, elements, words).getResult(); };
  StringRef name = isBytes ? "llvm.x86.avx512.vpdpbusd.512" : "llvm.x86.avx512bf16.dpbf16ps.512";
  auto call = LLVM::CallIntrinsicOp::create(b, loc, sums.getType(), b.getStringAttr(name),
                                            ValueRange{sums, split(scale), split(values)});
  return call.getResults();
}

/// 128 times the sums of the columns of B that begin at `column`, for each vector of a block.
SmallVector<Value> Emitter::sumBytesOfColumns(const MatrixProduct &product, Value column) {
  Value factors = broadcast(constant(b.getI32IntegerAttr(kHighestBits)), product.width);
  SmallVector<Value> sums(product.blockVectors, zero(factors.getType())), results;
  emitLoopTo(
      product.depthExtent, product.depth, 1, sums,
      [&](Value k, ValueRange running) {
        SmallVector<Value> next;
        for (auto [v, sum] : llvm::enumerate(running)) {
          Value values = readVectorOfB(product, column, k, static_cast<int64_t>(v));
          next.push_back(addProductsOfWords(Words::Bytes, sum, factors, values));
        }
        return next;
      },
      &results);
  return results;
}

} // namespace tilewright::cpu
