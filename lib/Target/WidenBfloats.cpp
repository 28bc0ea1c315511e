#include "WidenBfloats.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace tilewright::codegen {

static void widenByShift(FPExtInst &widening) {
  IRBuilder<> b(&widening);
  Value *narrow = widening.getOperand(0);
  Type *single = widening.getType()->getWithNewType(b.getFloatTy());
  Type *half = single->getWithNewType(b.getInt16Ty()), *word = single->getWithNewType(b.getInt32Ty());
  Value *bits = b.CreateZExt(b.CreateBitCast(narrow, half), word);
  Value *value = b.CreateBitCast(b.CreateShl(bits, ConstantInt::get(word, 16)), single);
  widening.replaceAllUsesWith(value->getType() == widening.getType() ? value
                                                                     : b.CreateFPExt(value, widening.getType()));
  widening.eraseFromParent();
}

static void widenByShift(Function &function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *widening = dyn_cast<FPExtInst>(&instruction);
    if (widening && widening->getSrcTy()->getScalarType()->isBFloatTy()) {
      widenByShift(*widening);
    }
  }
}

/// Rounds a double to a float, to odd: an inexact result has its last bit set. Rounding it again to bfloat16 then gives
/// the same result as rounding the double directly.
static Value *roundToOdd(IRBuilder<> &b, Value *value, Type *single, Type *word) {
  Value *rounded = b.CreateFPTrunc(value, single);
  Value *back = b.CreateFPExt(rounded, value->getType()), *bits = b.CreateBitCast(rounded, word);
  Value *one = ConstantInt::get(word, 1);
  Value *isEven = b.CreateICmpEQ(b.CreateAnd(bits, one), ConstantInt::get(word, 0));
  Value *isLarger =
      b.CreateFCmpOGT(b.CreateUnaryIntrinsic(Intrinsic::fabs, back), b.CreateUnaryIntrinsic(Intrinsic::fabs, value));
  Value *odd = b.CreateSelect(isLarger, b.CreateSub(bits, one), b.CreateAdd(bits, one));
  Value *changes = b.CreateAnd(b.CreateFCmpONE(back, value), isEven);
  return b.CreateBitCast(b.CreateSelect(changes, odd, bits), single);
}

static void narrowByBits(FPTruncInst &narrowing) {
  IRBuilder<> b(&narrowing);
  Value *value = narrowing.getOperand(0);
  Type *narrow = narrowing.getType();
  Type *single = narrow->getWithNewType(b.getFloatTy()), *word = narrow->getWithNewType(b.getInt32Ty());
  Type *half = narrow->getWithNewType(b.getInt16Ty());
  auto constant = [&](uint64_t number) { return ConstantInt::get(word, number); };
  if (value->getType() != single) {
    value = roundToOdd(b, value, single, word);
  }
  Value *bits = b.CreateBitCast(value, word), *upper = b.CreateLShr(bits, constant(16));
  Value *lastBit = b.CreateAnd(upper, constant(1));
  Value *rounded = b.CreateLShr(b.CreateAdd(bits, b.CreateAdd(lastBit, constant(0x7fff))), constant(16));
  Value *quiet = b.CreateOr(upper, constant(0x40));
  Value *chosen = b.CreateSelect(b.CreateFCmpUNO(value, value), quiet, rounded);
  narrowing.replaceAllUsesWith(b.CreateBitCast(b.CreateTrunc(chosen, half), narrow));
  narrowing.eraseFromParent();
}

/// Performs an operation in float32, and rounds the result.
static void computeInSingle(BinaryOperator &arithmetic) {
  IRBuilder<> b(&arithmetic);
  Type *single = arithmetic.getType()->getWithNewType(b.getFloatTy());
  Value *lhs = b.CreateFPExt(arithmetic.getOperand(0), single), *rhs = b.CreateFPExt(arithmetic.getOperand(1), single);
  Value *result = b.CreateBinOp(arithmetic.getOpcode(), lhs, rhs);
  arithmetic.replaceAllUsesWith(b.CreateFPTrunc(result, arithmetic.getType()));
  arithmetic.eraseFromParent();
}

static void compareInSingle(FCmpInst &comparison) {
  IRBuilder<> b(&comparison);
  Type *single = comparison.getOperand(0)->getType()->getWithNewType(b.getFloatTy());
  Value *lhs = b.CreateFPExt(comparison.getOperand(0), single), *rhs = b.CreateFPExt(comparison.getOperand(1), single);
  comparison.replaceAllUsesWith(b.CreateFCmpFMF(comparison.getPredicate(), lhs, rhs, &comparison));
  comparison.eraseFromParent();
}

/// Rounds the sum of two doubles to odd: if it is inexact, its last bit is set. The error of the sum is Knuth's.
static Value *addToOdd(IRBuilder<> &b, Value *x, Value *y) {
  Type *word = x->getType()->getWithNewType(b.getInt64Ty());
  Value *sum = b.CreateFAdd(x, y), *added = b.CreateFSub(sum, x);
  Value *error = b.CreateFAdd(b.CreateFSub(x, b.CreateFSub(sum, added)), b.CreateFSub(y, added));
  Value *bits = b.CreateBitCast(sum, word), *one = ConstantInt::get(word, 1), *zero = ConstantInt::get(word, 0);
  // The error of infinities is NaN, which is not ordered.
  Value *changes = b.CreateAnd(b.CreateFCmpONE(error, ConstantFP::get(x->getType(), 0)),
                               b.CreateICmpEQ(b.CreateAnd(bits, one), zero));
  Value *isSmaller = b.CreateICmpSGE(b.CreateXor(bits, b.CreateBitCast(error, word)), zero);
  Value *odd = b.CreateSelect(isSmaller, b.CreateAdd(bits, one), b.CreateSub(bits, one));
  return b.CreateBitCast(b.CreateSelect(changes, odd, bits), x->getType());
}

/// Computes a fused multiply-add of half or bfloat in double, in which the product is exact. LLVM would compute it in
/// float, which rounds twice.
static void computeInDouble(IntrinsicInst &fma) {
  IRBuilder<> b(&fma);
  Type *narrow = fma.getType(), *wide = narrow->getWithNewType(b.getDoubleTy());
  SmallVector<Value *, 3> operands;
  for (Value *operand : fma.args()) {
    operands.push_back(b.CreateFPExt(operand, wide));
  }
  Value *sum = addToOdd(b, b.CreateFMul(operands[0], operands[1]), operands[2]);
  Type *single = narrow->getWithNewType(b.getFloatTy()), *word = narrow->getWithNewType(b.getInt32Ty());
  fma.replaceAllUsesWith(b.CreateFPTrunc(roundToOdd(b, sum, single, word), narrow));
  fma.eraseFromParent();
}

static bool narrowsToHalf(Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    return isa<FPTruncInst>(instruction) && instruction.getType()->getScalarType()->isHalfTy();
  });
}

void widenBfloatsByShift(Module &module) {
  for (Function &function : module) {
    widenByShift(function);
  }
}

/// Replaces an atomic addition by a loop:
///
///     old = load i16 p
///     do { found = cmpxchg p, old, bits(float(old) + x); swap(old, found) } while (found != old)
static void addByBits(AtomicRMWInst &update) {
  IRBuilder<> b(&update);
  Type *half = b.getInt16Ty(), *narrow = update.getType(), *single = b.getFloatTy();
  BasicBlock *before = update.getParent();
  LoadInst *first = b.CreateAlignedLoad(half, update.getPointerOperand(), Align(2));
  first->setAtomic(AtomicOrdering::Monotonic, update.getSyncScopeID());
  Value *addend = b.CreateFPExt(update.getValOperand(), single);
  BasicBlock *after = SplitBlock(before, &update),
             *loop = BasicBlock::Create(b.getContext(), "add", before->getParent(), after);
  before->getTerminator()->setSuccessor(0, loop);

  b.SetInsertPoint(loop);
  PHINode *old = b.CreatePHI(half, 2);
  Value *sum = b.CreateFAdd(b.CreateFPExt(b.CreateBitCast(old, narrow), single), addend);
  Value *next = b.CreateBitCast(b.CreateFPTrunc(sum, narrow), half);
  AtomicOrdering order = update.getOrdering();
  Value *swapped =
      b.CreateAtomicCmpXchg(update.getPointerOperand(), old, next, Align(2), order,
                            AtomicCmpXchgInst::getStrongestFailureOrdering(order), update.getSyncScopeID());
  Value *found = b.CreateExtractValue(swapped, 0);
  b.CreateCondBr(b.CreateExtractValue(swapped, 1), after, loop);
  old->addIncoming(first, before);
  old->addIncoming(found, loop);

  b.SetInsertPoint(&update);
  update.replaceAllUsesWith(b.CreateBitCast(old, narrow));
  update.eraseFromParent();
}

void addToBfloatsByBits(Module &module) {
  SmallVector<AtomicRMWInst *> updates;
  for (Function &function : module) {
    for (Instruction &instruction : instructions(function)) {
      auto *update = dyn_cast<AtomicRMWInst>(&instruction);
      if (update && update->getOperation() == AtomicRMWInst::FAdd && update->getType()->isBFloatTy()) {
        updates.push_back(update);
      }
    }
  }
  for_each(updates, [](AtomicRMWInst *update) { addByBits(*update); });
}

void computeBfloatsInSingle(Module &module) {
  for (Function &function : module) {
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      Type *element = instruction.getType()->getScalarType();
      auto *arithmetic = dyn_cast<BinaryOperator>(&instruction);
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      auto *comparison = dyn_cast<FCmpInst>(&instruction);
      if (comparison && comparison->getOperand(0)->getType()->getScalarType()->isBFloatTy()) {
        compareInSingle(*comparison);
      } else if (arithmetic && element->isBFloatTy()) {
        computeInSingle(*arithmetic);
      } else if (call && call->getIntrinsicID() == Intrinsic::fma && element->getPrimitiveSizeInBits() == 16) {
        computeInDouble(*call);
      }
    }
  }
}

void narrowToBfloatsByBits(Module &module) {
  for (Function &function : module) {
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      auto *narrowing = dyn_cast<FPTruncInst>(&instruction);
      if (narrowing && narrowing->getType()->getScalarType()->isBFloatTy()) {
        narrowByBits(*narrowing);
      }
    }
  }
}

void widenBfloatsBesideHalves(Module &module) {
  for (Function &function : module) {
    if (narrowsToHalf(function)) {
      widenByShift(function);
    }
  }
}

} // namespace tilewright::codegen
