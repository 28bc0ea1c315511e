// Shuffles of vectors between the lanes of a warp, in 32-bit words.

#include "TileGPUToThread.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::gpu {

static constexpr int64_t kWordBits = 32;

/// Converts i1 to i8 and pointers to i64, as vector.bitcast requires.
static Value toBits(Builder &builder, Value vector) {
  auto type = cast<VectorType>(vector.getType());
  if (isa<LLVM::LLVMPointerType>(type.getElementType())) {
    return LLVM::PtrToIntOp::create(builder, type.clone(builder.getI64Type()), vector);
  }
  if (type.getElementType().isInteger(1)) {
    return arith::ExtUIOp::create(builder, type.clone(builder.getI8Type()), vector);
  }
  return vector;
}

static Value fromBits(Builder &builder, Value bits, VectorType type) {
  if (isa<LLVM::LLVMPointerType>(type.getElementType())) {
    return LLVM::IntToPtrOp::create(builder, type, bits);
  }
  if (type.getElementType().isInteger(1)) {
    return arith::TruncIOp::create(builder, type, bits);
  }
  return bits;
}

static int64_t sizeInBits(VectorType type) { return type.getNumElements() * type.getElementTypeBitWidth(); }

/// A vector of 2^n bytes as 32-bit words. A smaller one is zero-extended to a word.
static Value toWords(Builder &builder, Value vector) {
  int64_t bits = sizeInBits(cast<VectorType>(vector.getType()));
  Type i32 = builder.getI32Type();
  if (bits >= kWordBits) {
    return vector::BitCastOp::create(builder, VectorType::get(bits / kWordBits, i32), vector);
  }
  Value whole = vector::BitCastOp::create(builder, VectorType::get(1, builder.getIntegerType(bits)), vector);
  return arith::ExtUIOp::create(builder, VectorType::get(1, i32), whole);
}

static Value fromWords(Builder &builder, Value words, VectorType type) {
  int64_t bits = sizeInBits(type);
  if (bits < kWordBits) {
    words = arith::TruncIOp::create(builder, VectorType::get(1, builder.getIntegerType(bits)), words);
  }
  return vector::BitCastOp::create(builder, type, words);
}

static Value shuffle(Builder &builder, Value vector, thread::ShuffleKind kind, Value lane) {
  auto type = cast<VectorType>(vector.getType());
  bool isWords = type.getElementType().isF32() || type.getElementType().isInteger(kWordBits);
  Value bits = isWords ? vector : toBits(builder, vector);
  SmallVector<Value> words = unpack(builder, isWords ? bits : toWords(builder, bits));
  for (Value &word : words) {
    word = thread::ShuffleOp::create(builder, word.getType(), kind, word, lane);
  }
  Value shuffled = pack(builder, words);
  return isWords ? shuffled : fromBits(builder, fromWords(builder, shuffled, cast<VectorType>(bits.getType())), type);
}

Value shuffleAcross(Builder &builder, Value vector, int64_t mask) {
  return shuffle(builder, vector, thread::ShuffleKind::Xor, constantI32(builder, mask));
}

Value shuffleFrom(Builder &builder, Value vector, Value lane) {
  return shuffle(builder, vector, thread::ShuffleKind::Index, lane);
}

} // namespace tilewright::gpu
