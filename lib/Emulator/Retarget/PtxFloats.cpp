// Arithmetic of PTX on f32 and f64 (section 9.7.3 of the PTX ISA), rounded to nearest even, and conversions (9.7.9.21)
// between types of numbers. Narrower floats, approximations and packed conversions are rows of the table.

#include "PtxArithmetic.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tilewright::emulator {
namespace {

/// A correctly rounded operation.
Value *emitRounded(PtxArithmetic &in) {
  IRBuilder<> &b = in.b;
  bool flushes = in.opcode.take("ftz"), saturates = in.opcode.take("sat");
  in.opcode.take("rn");
  bool adds = in.opcode.head == "fma" || in.opcode.head == "mad";
  if (in.sources.size() != (adds ? 3U : 2U)) {
    return nullptr;
  }
  SmallVector<Value *> values;
  for (size_t i = 0; i < in.sources.size(); ++i) {
    values.push_back(flushes ? in.flushed(in.number(i)) : in.number(i));
  }
  Value *result = adds                      ? in.call(Intrinsic::fma, values)
                  : in.opcode.head == "mul" ? b.CreateFMul(values[0], values[1])
                  : in.opcode.head == "add" ? b.CreateFAdd(values[0], values[1])
                                            : b.CreateFSub(values[0], values[1]);
  result = flushes ? in.flushed(result) : result;
  return saturates ? in.saturated(result) : result;
}

/// The other operand if one is NaN, or NaN with `.NaN`; minus zero is less than zero.
Value *emitExtremum(PtxArithmetic &in) {
  bool flushes = in.opcode.take("ftz"), keepsNan = in.opcode.take("NaN"), isMin = in.opcode.head == "min";
  if (in.sources.size() != 2) {
    return nullptr;
  }
  Value *a = in.number(0), *c = in.number(1);
  Intrinsic::ID id = keepsNan ? (isMin ? Intrinsic::minimum : Intrinsic::maximum)
                              : (isMin ? Intrinsic::minimumnum : Intrinsic::maximumnum);
  return in.call(id, {flushes ? in.flushed(a) : a, flushes ? in.flushed(c) : c});
}

Value *emitSign(PtxArithmetic &in) {
  bool flushes = in.opcode.take("ftz");
  StringRef head = in.opcode.head;
  if (in.sources.size() != (head == "copysign" ? 2U : 1U)) {
    return nullptr;
  }
  Value *value = flushes ? in.flushed(in.number(0)) : in.number(0);
  if (head == "copysign") {
    return in.call(Intrinsic::copysign, {in.number(1), value});
  }
  return head == "neg" ? in.b.CreateFNeg(value) : in.call(Intrinsic::fabs, value);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// The function that rounds a float to an integer, by its modifier; none if there is no such modifier.
std::optional<Intrinsic::ID> takeIntegerRounding(PtxOpcode &opcode) {
  for (auto [name, id] : {std::pair("rni", Intrinsic::roundeven),
                          {"rzi", Intrinsic::trunc},
                          {"rmi", Intrinsic::floor},
                          {"rpi", Intrinsic::ceil}}) {
    if (opcode.take(name)) {
      return id;
    }
  }
  return std::nullopt;
}

/// With `.sat`, the value is clamped to the range of the result.
Value *integerToInteger(PtxArithmetic &in, PtxType to, PtxType from) {
  IRBuilder<> &b = in.b;
  Value *value = in.integer(0, from.bits);
  if (!in.opcode.take("sat")) {
    return b.CreateIntCast(value, b.getIntNTy(to.bits), from.isSigned());
  }
  constexpr unsigned kWide = 128;
  Type *wide = b.getIntNTy(kWide);
  value = b.CreateIntCast(value, wide, from.isSigned());
  APInt least = to.isSigned() ? APInt::getSignedMinValue(to.bits).sext(kWide) : APInt(kWide, 0);
  APInt most = to.isSigned() ? APInt::getSignedMaxValue(to.bits).zext(kWide) : APInt::getMaxValue(to.bits).zext(kWide);
  value = in.call(Intrinsic::smax, {value, ConstantInt::get(wide, least)});
  value = in.call(Intrinsic::smin, {value, ConstantInt::get(wide, most)});
  return b.CreateTrunc(value, b.getIntNTy(to.bits));
}

/// Clamped to the integer's range. NaN becomes zero, or only the highest bit if one of the types has 64 bits.
Value *floatToInteger(PtxArithmetic &in, PtxType to, PtxType from) {
  IRBuilder<> &b = in.b;
  bool flushes = in.opcode.take("ftz");
  in.opcode.take("sat");
  auto rounding = takeIntegerRounding(in.opcode);
  if (!rounding) {
    return nullptr;
  }
  Value *value = in.number(0, from);
  value = in.call(*rounding, flushes ? in.flushed(value) : value);
  Type *type = b.getIntNTy(to.bits);
  Intrinsic::ID id = to.isSigned() ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
  Value *result = b.CreateIntrinsic(id, {type, value->getType()}, {value});
  if (to.bits == 64 || from.bits == 64) {
    Value *lowest = ConstantInt::get(type, APInt::getSignMask(to.bits));
    result = b.CreateSelect(b.CreateFCmpUNO(value, value), lowest, result);
  }
  return result;
}

Value *integerToFloat(PtxArithmetic &in, PtxType to, PtxType from) {
  IRBuilder<> &b = in.b;
  if (!in.opcode.take("rn") || to.bits < 32) {
    return nullptr;
  }
  Type *type = to.bits == 64 ? b.getDoubleTy() : b.getFloatTy();
  Value *value = in.integer(0, from.bits);
  return from.isSigned() ? b.CreateSIToFP(value, type) : b.CreateUIToFP(value, type);
}

Value *floatToFloat(PtxArithmetic &in, PtxType to, PtxType from) {
  IRBuilder<> &b = in.b;
  bool flushes = in.opcode.take("ftz"), saturates = in.opcode.take("sat");
  if (to.bits < 32 || (flushes && to.bits == 64)) {
    return nullptr;
  }
  Value *value = in.number(0, from);
  if (to.bits < from.bits && !in.opcode.take("rn")) {
    return nullptr;
  }
  if (auto rounding = takeIntegerRounding(in.opcode)) {
    value = in.call(*rounding, value);
  }
  value = b.CreateFPCast(value, to.bits == 64 ? b.getDoubleTy() : b.getFloatTy());
  value = flushes ? in.flushed(value) : value;
  return saturates ? in.saturated(value) : value;
}

} // namespace

Value *emitFloatArithmetic(PtxArithmetic &in) {
  if (in.bits() < 32) {
    return nullptr;
  }
  auto *emit = StringSwitch<Value *(*)(PtxArithmetic &)>(in.opcode.head)
                   .Cases({"add", "sub", "mul", "fma", "mad"}, emitRounded)
                   .Cases({"min", "max"}, emitExtremum)
                   .Cases({"neg", "abs", "copysign"}, emitSign)
                   .Default(nullptr);
  return emit ? emit(in) : nullptr;
}

Value *emitPtxConversion(PtxArithmetic &in) {
  if (in.opcode.types.size() != 2 || in.sources.size() != 1) {
    return nullptr;
  }
  PtxType to = in.opcode.types[0], from = in.opcode.types[1];
  if (to.kind == PtxType::Predicate || from.kind == PtxType::Predicate || to.kind == PtxType::Bits ||
      from.kind == PtxType::Bits) {
    return nullptr;
  }
  if (to.isFloat()) {
    return from.isFloat() ? floatToFloat(in, to, from) : integerToFloat(in, to, from);
  }
  return from.isFloat() ? floatToInteger(in, to, from) : integerToInteger(in, to, from);
}

} // namespace tilewright::emulator
