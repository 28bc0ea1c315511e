#include "GpuSemantics.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace tilewright::emulator {
namespace {

/// The narrowest integer that LLVM's code generators convert floats to; narrower results are truncated from it.
constexpr unsigned kNarrowestOfNvidia = 16, kNarrowestOfAmd = 32;

/// PTX ISA 9.7.9.21 cvt: the result is clamped to the integer's range. NaN becomes zero, unless one of the two types
/// has 64 bits: then it becomes the integer with only its highest bit set. V_CVT_I32_F32 and its like of AMD's GPUs
/// clamp as well, and NaN becomes zero; 64-bit integers are computed by several instructions, whose result out of range
/// nothing specifies.
void replaceConversion(CastInst &cast, bool isOfAmd) {
  IRBuilder<> builder(&cast);
  bool isSigned = isa<FPToSIInst>(cast);
  Type *type = cast.getType();
  Value *value = cast.getOperand(0);
  unsigned bits = std::max(type->getScalarSizeInBits(), isOfAmd ? kNarrowestOfAmd : kNarrowestOfNvidia);
  Type *wide = type->getWithNewBitWidth(bits);
  Intrinsic::ID id = isSigned ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
  Value *result = builder.CreateIntrinsic(id, {wide, value->getType()}, {value});
  if (!isOfAmd && (bits == 64 || value->getType()->getScalarType()->isDoubleTy())) {
    Value *isNan = builder.CreateFCmpUNO(value, value);
    Value *lowest = ConstantInt::get(wide, APInt::getSignMask(bits));
    result = builder.CreateSelect(isNan, lowest, result);
  }
  cast.replaceAllUsesWith(builder.CreateTrunc(result, type));
  cast.eraseFromParent();
}

/// PTX ISA 9.7.1.7 and 9.7.1.8, div and rem: no divisor traps. The result of a division by zero is unspecified; here
/// the quotient is all ones and the remainder is the dividend.
void replaceDivision(BinaryOperator &division) {
  IRBuilder<> builder(&division);
  Value *dividend = division.getOperand(0), *divisor = division.getOperand(1);
  Type *type = division.getType();
  auto opcode = division.getOpcode();
  bool isSigned = opcode == llvm::Instruction::SDiv || opcode == llvm::Instruction::SRem;
  bool isQuotient = opcode == llvm::Instruction::SDiv || opcode == llvm::Instruction::UDiv;
  Value *one = ConstantInt::get(type, 1), *zero = ConstantInt::get(type, 0), *ones = ConstantInt::getAllOnesValue(type);
  Value *isZero = builder.CreateICmpEQ(divisor, zero);
  Value *isMinusOne = isSigned ? builder.CreateICmpEQ(divisor, ones) : nullptr;
  Value *traps = isSigned ? builder.CreateOr(isZero, isMinusOne) : isZero;
  Value *result = builder.CreateBinOp(opcode, dividend, builder.CreateSelect(traps, one, divisor));
  if (isSigned) {
    result = builder.CreateSelect(isMinusOne, isQuotient ? builder.CreateNeg(dividend) : zero, result);
  }
  result = builder.CreateSelect(isZero, isQuotient ? ones : dividend, result);
  division.replaceAllUsesWith(result);
  division.eraseFromParent();
}

/// PTX ISA 9.7.3.11 and 9.7.3.12, min and max: minus zero is less than zero.
void replaceMinMax(IntrinsicInst &call) {
  IRBuilder<> builder(&call);
  Intrinsic::ID id = call.getIntrinsicID() == Intrinsic::maxnum ? Intrinsic::maximumnum : Intrinsic::minimumnum;
  call.replaceAllUsesWith(
      builder.CreateIntrinsic(id, {call.getType()}, {call.getArgOperand(0), call.getArgOperand(1)}));
  call.eraseFromParent();
}

} // namespace

void preserveGpuSemantics(llvm::Function &code, bool isOfAmd) {
  for (llvm::Instruction &instruction : make_early_inc_range(llvm::instructions(code))) {
    // On x86 a release does not order non-temporal stores.
    instruction.setMetadata(LLVMContext::MD_nontemporal, nullptr);
    if (instruction.isIntDivRem() && !isa<Constant>(instruction.getOperand(1))) {
      replaceDivision(cast<BinaryOperator>(instruction));
    } else if (isa<FPToSIInst, FPToUIInst>(instruction)) {
      replaceConversion(cast<CastInst>(instruction), isOfAmd);
    } else if (auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
      if (call->getIntrinsicID() == Intrinsic::maxnum || call->getIntrinsicID() == Intrinsic::minnum) {
        replaceMinMax(*call);
      }
    }
  }
}

} // namespace tilewright::emulator
