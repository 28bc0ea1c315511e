// Integer arithmetic of PTX (section 9.7.1 of the PTX ISA), and instructions on bits (9.7.8 and 9.7.9).

#include "PtxArithmetic.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tilewright::emulator {
namespace {

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The operand in twice its width.
Value *widened(PtxArithmetic &in, size_t index) {
  return in.b.CreateIntCast(in.integer(index), in.b.getIntNTy(2 * in.bits()), in.type().isSigned());
}

/// mul.lo, mul.hi and mul.wide, and mad, which adds the third operand.
Value *emitProduct(PtxArithmetic &in) {
  IRBuilder<> &b = in.b;
  bool isWide = in.opcode.take("wide"), isHigh = in.opcode.take("hi"), isLow = in.opcode.take("lo");
  bool adds = in.opcode.head == "mad";
  if (isWide + isHigh + isLow != 1 || in.sources.size() != (adds ? 3U : 2U)) {
    return nullptr;
  }
  Value *product = b.CreateMul(widened(in, 0), widened(in, 1));
  if (isHigh) {
    product = b.CreateLShr(product, in.bits());
  }
  product = isWide ? product : b.CreateTrunc(product, b.getIntNTy(in.bits()));
  return adds ? b.CreateAdd(product, in.integer(2, isWide ? 2 * in.bits() : in.bits())) : product;
}

/// No divisor traps. The quotient by zero, which PTX leaves unspecified, is all ones, and the remainder the dividend.
Value *emitDivision(PtxArithmetic &in) {
  IRBuilder<> &b = in.b;
  bool isQuotient = in.opcode.head == "div", isSigned = in.type().isSigned();
  Value *dividend = in.integer(0), *divisor = in.integer(1);
  Type *type = dividend->getType();
  Value *one = ConstantInt::get(type, 1), *ones = Constant::getAllOnesValue(type), *zero = ConstantInt::get(type, 0);
  Value *isZero = b.CreateICmpEQ(divisor, zero), *isMinusOne = b.CreateICmpEQ(divisor, ones);
  Value *safe = b.CreateSelect(isSigned ? b.CreateOr(isZero, isMinusOne) : isZero, one, divisor);
  auto operation = isSigned ? (isQuotient ? Instruction::SDiv : Instruction::SRem)
                            : (isQuotient ? Instruction::UDiv : Instruction::URem);
  Value *result = b.CreateBinOp(operation, dividend, safe);
  if (isSigned) {
    result = b.CreateSelect(isMinusOne, isQuotient ? b.CreateNeg(dividend) : zero, result);
  }
  return b.CreateSelect(isZero, isQuotient ? ones : dividend, result);
}

//===----------------------------------------------------------------------===//
// Shifts and fields
//===----------------------------------------------------------------------===//

/// Amounts above the width shift everything out.
Value *emitShift(PtxArithmetic &in) {
  IRBuilder<> &b = in.b;
  Value *value = in.integer(0), *amount = in.integer(1, 32);
  bool isLeft = in.opcode.head == "shl", isSigned = in.type().isSigned();
  Value *isInside = b.CreateICmpULT(amount, b.getInt32(in.bits()));
  Value *most = b.getInt32(in.bits() - 1);
  Value *wide = b.CreateZExtOrTrunc(b.CreateSelect(isInside, amount, most), value->getType());
  if (!isLeft && isSigned) {
    return b.CreateAShr(value, wide);
  }
  Value *shifted = isLeft ? b.CreateShl(value, wide) : b.CreateLShr(value, wide);
  return b.CreateSelect(isInside, shifted, ConstantInt::get(value->getType(), 0));
}

/// The 64 bits b:a of the first two sources.
Value *emitPair(PtxArithmetic &in) {
  IRBuilder<> &b = in.b;
  Value *low = b.CreateZExt(in.integer(0), b.getInt64Ty()), *high = b.CreateZExt(in.integer(1), b.getInt64Ty());
  return b.CreateOr(b.CreateShl(high, 32), low);
}

/// shf.{l,r}.{wrap,clamp}.b32 d, a, b, c: shifts b:a, and takes the upper (l) or lower (r) word.
Value *emitFunnelShift(PtxArithmetic &in) {
  IRBuilder<> &b = in.b;
  bool isLeft = in.opcode.take("l"), isRight = in.opcode.take("r");
  bool wraps = in.opcode.take("wrap"), clamps = in.opcode.take("clamp");
  if (isLeft == isRight || wraps == clamps || in.bits() != 32 || in.sources.size() != 3) {
    return nullptr;
  }
  Value *amount = in.integer(2, 32);
  amount = wraps ? b.CreateAnd(amount, 31) : in.call(Intrinsic::umin, {amount, b.getInt32(32)});
  Value *pair = emitPair(in);
  amount = b.CreateZExt(amount, b.getInt64Ty());
  Value *shifted = isLeft ? b.CreateLShr(b.CreateShl(pair, amount), 32) : b.CreateLShr(pair, amount);
  return b.CreateTrunc(shifted, b.getInt32Ty());
}

/// A mask of the low `length` bits, which may be all.
Value *lowBits(PtxArithmetic &in, Value *length) {
  Value *ones = Constant::getAllOnesValue(length->getType());
  Value *isAll = in.b.CreateICmpUGE(length, ConstantInt::get(length->getType(), in.bits()));
  return in.b.CreateSelect(isAll, ones, in.b.CreateNot(in.b.CreateShl(ones, length)));
}

/// The position and the length of a bit field, which are at most 255.
Value *fieldOperand(PtxArithmetic &in, size_t index) {
  return in.b.CreateAnd(in.integer(index), ConstantInt::get(in.b.getIntNTy(in.bits()), 255));
}

/// bfe d, a, position, length: zeros above the field, or its sign; the sign is at most the highest bit of `a`.
Value *emitFieldExtract(PtxArithmetic &in) {
  IRBuilder<> &b = in.b;
  Value *value = in.integer(0), *position = fieldOperand(in, 1), *length = fieldOperand(in, 2);
  Type *type = value->getType();
  Value *most = ConstantInt::get(type, in.bits() - 1), *zero = ConstantInt::get(type, 0);
  bool isSigned = in.type().isSigned();
  Value *isInside = b.CreateICmpULE(position, most);
  Value *at = in.call(Intrinsic::umin, {position, most});
  Value *shifted = isSigned ? b.CreateAShr(value, at) : b.CreateSelect(isInside, b.CreateLShr(value, at), zero);
  if (!isSigned) {
    return b.CreateAnd(shifted, lowBits(in, length));
  }
  Value *above = b.CreateSub(ConstantInt::get(type, in.bits()),
                             in.call(Intrinsic::umin, {length, b.CreateAdd(most, ConstantInt::get(type, 1))}));
  Value *isEmpty = b.CreateICmpEQ(length, zero);
  above = in.call(Intrinsic::umin, {above, most});
  return b.CreateSelect(isEmpty, zero, b.CreateAShr(b.CreateShl(shifted, above), above));
}

/// bfi f, a, b, position, length: `b` with the low bits of `a` at the position.
Value *emitFieldInsert(PtxArithmetic &in) {
  IRBuilder<> &b = in.b;
  Value *position = fieldOperand(in, 2), *length = fieldOperand(in, 3);
  Type *type = position->getType();
  Value *most = ConstantInt::get(type, in.bits() - 1);
  Value *at = in.call(Intrinsic::umin, {position, most});
  Value *mask = b.CreateShl(lowBits(in, length), at);
  mask = b.CreateSelect(b.CreateICmpULE(position, most), mask, ConstantInt::get(type, 0));
  return b.CreateOr(b.CreateAnd(b.CreateShl(in.integer(0), at), mask), b.CreateAnd(in.integer(1), b.CreateNot(mask)));
}

//===----------------------------------------------------------------------===//
// Bytes, and functions of bits
//===----------------------------------------------------------------------===//

/// prmt.b32 d, a, b, c: each nibble of `c` selects one of the eight bytes of b:a, or with its highest bit the sign of
/// that byte.
Value *emitPermute(PtxArithmetic &in) {
  IRBuilder<> &b = in.b;
  if (in.bits() != 32 || in.sources.size() != 3) {
    return nullptr;
  }
  Value *bytes = emitPair(in);
  Value *result = b.getInt32(0);
  for (unsigned i = 0; i < 4; ++i) {
    Value *nibble = b.CreateAnd(b.CreateLShr(in.integer(2, 64), 4 * i), 15);
    Value *shift = b.CreateShl(b.CreateAnd(nibble, 7), 3);
    Value *byte = b.CreateTrunc(b.CreateLShr(bytes, shift), b.getInt8Ty());
    Value *isSign = b.CreateICmpUGE(nibble, b.getInt64(8));
    byte = b.CreateSelect(isSign, b.CreateAShr(byte, 7), byte);
    result = b.CreateOr(result, b.CreateShl(b.CreateZExt(byte, b.getInt32Ty()), 8 * i));
  }
  return result;
}

/// lop3.b32 d, a, b, c, table: bit i of the table is the result where a, b and c have the bits of i.
Value *emitLogic(PtxArithmetic &in) {
  IRBuilder<> &b = in.b;
  if (in.bits() != 32 || in.sources.size() != 4) {
    return nullptr;
  }
  Value *result = b.getInt32(0);
  for (unsigned i = 0; i < 8; ++i) {
    Value *bit = b.CreateTrunc(b.CreateLShr(in.integer(3), i), b.getInt1Ty());
    Value *term = b.CreateSExt(bit, b.getInt32Ty());
    for (unsigned operand = 0; operand < 3; ++operand) {
      Value *value = in.integer(operand);
      term = b.CreateAnd(term, (i >> (2 - operand)) & 1 ? value : b.CreateNot(value));
    }
    result = b.CreateOr(result, term);
  }
  return result;
}

/// Counts of bits have 32 bits.
Value *emitCount(PtxArithmetic &in) {
  Value *value = in.integer(0);
  Value *count = in.opcode.head == "popc"
                     ? in.call(Intrinsic::ctpop, value)
                     : in.b.CreateIntrinsic(Intrinsic::ctlz, {value->getType()}, {value, in.b.getFalse()});
  return in.b.CreateZExtOrTrunc(count, in.b.getInt32Ty());
}

using Emit = Value *(*)(PtxArithmetic &);

template <Instruction::BinaryOps operation> Value *emitBinary(PtxArithmetic &in) {
  return in.b.CreateBinOp(operation, in.integer(0), in.integer(1));
}

/// Minima and maxima.
template <Intrinsic::ID ofSigned, Intrinsic::ID ofUnsigned> Value *emitExtremum(PtxArithmetic &in) {
  return in.call(in.type().isSigned() ? ofSigned : ofUnsigned, {in.integer(0), in.integer(1)});
}

Value *emitNegation(PtxArithmetic &in) { return in.b.CreateNeg(in.integer(0)); }
Value *emitMagnitude(PtxArithmetic &in) {
  return in.b.CreateIntrinsic(Intrinsic::abs, {in.integer(0)->getType()}, {in.integer(0), in.b.getFalse()});
}
Value *emitNot(PtxArithmetic &in) { return in.b.CreateNot(in.integer(0)); }
Value *emitIsZero(PtxArithmetic &in) {
  Value *value = in.integer(0), *zero = ConstantInt::get(value->getType(), 0);
  return in.b.CreateZExt(in.b.CreateICmpEQ(value, zero), value->getType());
}
Value *emitReverse(PtxArithmetic &in) { return in.call(Intrinsic::bitreverse, in.integer(0)); }
Value *emitSelect(PtxArithmetic &in) { return in.b.CreateSelect(in.integer(2, 1), in.integer(0), in.integer(1)); }

/// The instruction's number of sources, and its emission; products and functions of bytes check it themselves.
struct Row {
  size_t sources;
  Emit emit;
};

Value *emitRow(PtxArithmetic &in, Row row) {
  return row.emit && row.sources == in.sources.size() ? row.emit(in) : nullptr;
}

} // namespace

Value *emitIntegerArithmetic(PtxArithmetic &in) {
  if (in.type().kind == PtxType::Predicate || in.bits() == 8) {
    return nullptr;
  }
  if (in.opcode.head == "mul" || in.opcode.head == "mad") {
    return emitProduct(in);
  }
  return emitRow(in, StringSwitch<Row>(in.opcode.head)
                         .Case("add", {2, emitBinary<Instruction::Add>})
                         .Case("sub", {2, emitBinary<Instruction::Sub>})
                         .Cases({"div", "rem"}, {2, emitDivision})
                         .Case("min", {2, emitExtremum<Intrinsic::smin, Intrinsic::umin>})
                         .Case("max", {2, emitExtremum<Intrinsic::smax, Intrinsic::umax>})
                         .Case("neg", {1, emitNegation})
                         .Case("abs", {1, emitMagnitude})
                         .Case("bfe", {3, emitFieldExtract})
                         .Case("bfi", {4, emitFieldInsert})
                         .Cases({"popc", "clz"}, {1, emitCount})
                         .Case("brev", {1, emitReverse})
                         .Default({0, nullptr}));
}

Value *emitBitOperation(PtxArithmetic &in) {
  if (in.opcode.types.size() != 1) {
    return nullptr;
  }
  StringRef head = in.opcode.head;
  if (head == "prmt" || head == "lop3" || head == "shf") {
    return head == "prmt" ? emitPermute(in) : head == "lop3" ? emitLogic(in) : emitFunnelShift(in);
  }
  return emitRow(in, StringSwitch<Row>(head)
                         .Case("and", {2, emitBinary<Instruction::And>})
                         .Case("or", {2, emitBinary<Instruction::Or>})
                         .Case("xor", {2, emitBinary<Instruction::Xor>})
                         .Case("not", {1, emitNot})
                         .Case("cnot", {1, emitIsZero})
                         .Cases({"shl", "shr"}, {2, emitShift})
                         .Case("selp", {3, emitSelect})
                         .Default({0, nullptr}));
}

} // namespace tilewright::emulator
