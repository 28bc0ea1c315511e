// Products of 8-bit integers by an instruction that adds four products of bytes to each of 16 sums (AVX-512 VNNI).
//
// Operands are packed as words of four bytes along K. The instruction takes one operand as unsigned, so that 128 is
// added to the elements of A, which is an exclusive or of the highest bit, and 128 times the sums of the columns of B
// is subtracted from the sums:
//
//     a * b = (a + 128) * b - 128 * b

#include "Emitter.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {

static constexpr int32_t kHighestBits = int32_t(0x80808080);

bool multipliesBytes(tile::DotOp dot, const hardware::CpuInfo &cpu) {
  auto isElement = [](Value tile, unsigned bits) { return getElementTypeOrSelf(tile.getType()).isInteger(bits); };
  int64_t depth = tile::getShape(dot.getA().getType()).back(), columns = tile::getShape(dot.getB().getType()).back();
  return cpu.hasByteDots && isElement(dot.getA(), 8) && isElement(dot.getB(), 8) && isElement(dot.getResult(), 32) &&
         depth % kBytesPerWord == 0 && columns % cpu.lanes(32) == 0;
}

/// The type of a tile of words with the bytes of `tile`, which are adjacent along `dim`.
static RankedTensorType wordsOf(Value tile, size_t dim) {
  SmallVector<int64_t> shape(tile::getShape(tile.getType()));
  shape[dim] /= kBytesPerWord;
  return RankedTensorType::get(shape, IntegerType::get(tile.getContext(), 32));
}

/// A [rows, K / 4], with 128 added to each element.
Buffer Emitter::packBytesOfA(Value tile) {
  RankedTensorType type = wordsOf(tile, tile::getShape(tile.getType()).size() - 1);
  Buffer words = buffers.find(tile)->second, packed = allocate(type);
  words.element = type.getElementType();
  words.strides = packed.strides;
  fillBuffer(type, packed, [&](const Point &point) -> Value {
    Value word = readBuffer(words, point);
    Value bits = broadcast(constant(b.getI32IntegerAttr(kHighestBits)), point.width);
    return arith::XOrIOp::create(b, word.getLoc(), word, bits);
  });
  return packed;
}

/// B [K / 4, columns], in panels.
Buffer Emitter::packBytesOfB(Value tile, int64_t panel) {
  size_t rank = tile::getShape(tile.getType()).size();
  RankedTensorType type = wordsOf(tile, rank - 2);
  Buffer bytes = buffers.find(tile)->second, packed = allocateInPanels(type, type.getElementType(), panel);
  Location loc = program.scratch.getLoc();
  int64_t width = cpu.lanes(32);
  emitPointwise(type.getShape(), static_cast<int>(rank) - 1, width, [&](const Point &point) {
    Value first = arith::MulIOp::create(b, loc, point.index[rank - 2], i64(kBytesPerWord)), word;
    for (int64_t i = 0; i < kBytesPerWord; ++i) {
      Point row = point;
      row.index[rank - 2] = arith::AddIOp::create(b, loc, first, i64(i));
      Value wide = arith::ExtUIOp::create(b, loc, vectorOf(b.getI32Type(), width), readBuffer(bytes, row));
      Value bits = broadcast(constant(b.getI32IntegerAttr(static_cast<int32_t>(8 * i))), width);
      Value shifted = i ? arith::ShLIOp::create(b, loc, wide, bits).getResult() : wide;
      word = word ? arith::OrIOp::create(b, loc, word, shifted).getResult() : shifted;
    }
    writeBuffer(packed, point, word);
  });
  return packed;
}

/// sums + the four products of each word of `scale` and `values`, whose bytes are unsigned and signed.
Value Emitter::addProductsOfBytes(Value sums, Value scale, Value values) {
  auto bytes = VectorType::get({cpu.vectorBits / 8}, b.getI8Type());
  Location loc = sums.getLoc();
  auto asBytes = [&](Value words) { return vector::BitCastOp::create(b, loc, bytes, words).getResult(); };
  auto call = LLVM::CallIntrinsicOp::create(b, loc, sums.getType(), b.getStringAttr("llvm.x86.avx512.vpdpbusd.512"),
                                            ValueRange{sums, asBytes(scale), asBytes(values)});
  return call.getResults();
}

/// 128 times the sums of the columns of B that begin at `column`, for each vector of a block.
SmallVector<Value> Emitter::sumBytesOfColumns(const MatrixProduct &product, Value column) {
  Value factors = broadcast(constant(b.getI32IntegerAttr(kHighestBits)), product.width);
  SmallVector<Value> sums(product.blockVectors, zero(factors.getType())), results;
  emitLoop(
      product.depth, 1, sums,
      [&](Value k, ValueRange running) {
        SmallVector<Value> next;
        for (auto [v, sum] : llvm::enumerate(running)) {
          next.push_back(addProductsOfBytes(sum, factors, readVectorOfB(product, column, k, static_cast<int64_t>(v))));
        }
        return next;
      },
      &results);
  return results;
}

} // namespace tilewright::cpu
