#include "PtxArithmetic.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tilewright::emulator {

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

Value *PtxArithmetic::integer(size_t index, unsigned bits) {
  return b.CreateZExtOrTrunc(sources[index], b.getIntNTy(bits));
}

Value *PtxArithmetic::number(size_t index, PtxType type) {
  Value *bits = integer(index, type.bits);
  if (type.kind == PtxType::BFloat) {
    Value *upper = b.CreateShl(b.CreateZExt(bits, b.getInt32Ty()), 16);
    return b.CreateBitCast(upper, b.getFloatTy());
  }
  if (type.bits == 16) {
    return b.CreateFPExt(b.CreateBitCast(bits, b.getHalfTy()), b.getFloatTy());
  }
  return b.CreateBitCast(bits, type.bits == 64 ? b.getDoubleTy() : b.getFloatTy());
}

Value *PtxArithmetic::slot(Value *value) {
  Type *type = value->getType();
  if (!type->isIntegerTy()) {
    value = b.CreateBitCast(value, b.getIntNTy(type->getPrimitiveSizeInBits().getFixedValue()));
  }
  return b.CreateZExtOrTrunc(value, b.getInt64Ty());
}

Value *PtxArithmetic::flushed(Value *value) {
  constexpr double kSmallestNormal = 0x1p-126;
  Type *type = value->getType();
  Value *isSmall = b.CreateFCmpOLT(call(Intrinsic::fabs, value), ConstantFP::get(type, kSmallestNormal));
  return b.CreateSelect(isSmall, call(Intrinsic::copysign, {ConstantFP::get(type, 0), value}), value);
}

Value *PtxArithmetic::saturated(Value *value) {
  Type *type = value->getType();
  Value *zero = ConstantFP::get(type, 0), *one = ConstantFP::get(type, 1);
  Value *below = b.CreateSelect(b.CreateFCmpOGT(value, zero), value, zero);
  return b.CreateSelect(b.CreateFCmpOLT(below, one), below, one);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static std::optional<CmpInst::Predicate> comparisonOf(StringRef name, PtxType type) {
  using P = CmpInst;
  using Result = std::optional<CmpInst::Predicate>;
  if (type.isFloat()) {
    return StringSwitch<Result>(name)
        .Case("eq", P::FCMP_OEQ)
        .Case("ne", P::FCMP_ONE)
        .Case("lt", P::FCMP_OLT)
        .Case("le", P::FCMP_OLE)
        .Case("gt", P::FCMP_OGT)
        .Case("ge", P::FCMP_OGE)
        .Case("equ", P::FCMP_UEQ)
        .Case("neu", P::FCMP_UNE)
        .Case("ltu", P::FCMP_ULT)
        .Case("leu", P::FCMP_ULE)
        .Case("gtu", P::FCMP_UGT)
        .Case("geu", P::FCMP_UGE)
        .Case("num", P::FCMP_ORD)
        .Case("nan", P::FCMP_UNO)
        .Default(std::nullopt);
  }
  bool isSigned = type.isSigned();
  return StringSwitch<Result>(name)
      .Case("eq", P::ICMP_EQ)
      .Case("ne", P::ICMP_NE)
      .Case("lt", isSigned ? P::ICMP_SLT : P::ICMP_ULT)
      .Case("le", isSigned ? P::ICMP_SLE : P::ICMP_ULE)
      .Case("gt", isSigned ? P::ICMP_SGT : P::ICMP_UGT)
      .Case("ge", isSigned ? P::ICMP_SGE : P::ICMP_UGE)
      .Case("lo", P::ICMP_ULT)
      .Case("ls", P::ICMP_ULE)
      .Case("hi", P::ICMP_UGT)
      .Case("hs", P::ICMP_UGE)
      .Default(std::nullopt);
}

/// setp.CmpOp{.BoolOp}{.ftz}.type p{|q}, a, b{, c}: p is the comparison, and q its negation, each combined with c.
static PtxArithmetic::Values emitSetPredicate(PtxArithmetic &in) {
  IRBuilder<> &b = in.b;
  bool flushes = in.opcode.take("ftz");
  std::optional<Instruction::BinaryOps> combine;
  for (auto [name, op] : {std::pair("and", Instruction::And), {"or", Instruction::Or}, {"xor", Instruction::Xor}}) {
    if (in.opcode.take(name)) {
      combine = op;
    }
  }
  if (in.opcode.modifiers.size() != 1 || in.opcode.types.size() != 1 || in.sources.size() != (combine ? 3U : 2U)) {
    return {};
  }
  StringRef name = in.opcode.modifiers.front();
  auto comparison = comparisonOf(name, in.type());
  if (!comparison || !in.opcode.take(name)) {
    return {};
  }
  auto source = [&](size_t index) {
    Value *value = in.type().isFloat() ? in.number(index) : in.integer(index);
    return flushes ? in.flushed(value) : value;
  };
  Value *holds = b.CreateCmp(*comparison, source(0), source(1));
  Value *fails = b.CreateNot(holds);
  if (combine) {
    Value *other = in.integer(2, 1);
    holds = b.CreateBinOp(*combine, holds, other);
    fails = b.CreateBinOp(*combine, fails, other);
  }
  return {in.slot(holds), in.slot(fails)};
}

//===----------------------------------------------------------------------===//
// All instructions
//===----------------------------------------------------------------------===//

PtxArithmetic::Values PtxArithmetic::emit() {
  Values results;
  if (opcode.head == "setp") {
    results = emitSetPredicate(*this);
  } else {
    auto family = type().isFloat() ? emitFloatArithmetic : emitIntegerArithmetic;
    Value *value = opcode.head == "cvt" ? emitPtxConversion(*this) : emitBitOperation(*this);
    value = value || opcode.head == "cvt" || opcode.types.size() != 1 ? value : family(*this);
    if (value) {
      results.push_back(slot(value));
    }
  }
  return opcode.modifiers.empty() ? results : Values();
}

} // namespace tilewright::emulator
