#include "HostWorkarounds.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilewright::host {

static Type *integersFor(Type *type) { return type->getWithNewType(Type::getInt16Ty(type->getContext())); }

/// Whether it is a single bfloat16. A vector of one element counts, because the code generator makes it a scalar.
static bool isSingle(Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return (!vector || vector->getNumElements() == 1) && type->getScalarType()->isBFloatTy();
}

/// The same operation on integers, or null if the instruction does not move a bfloat16 or change its sign.
static Value *onIntegers(IRBuilder<> &b, Instruction &instruction) {
  auto cast = [&](Value *value) { return b.CreateBitCast(value, integersFor(value->getType())); };
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    return b.CreateAlignedLoad(integersFor(load->getType()), load->getPointerOperand(), load->getAlign(),
                               load->isVolatile());
  }
  if (auto *select = dyn_cast<SelectInst>(&instruction)) {
    return b.CreateSelect(select->getCondition(), cast(select->getTrueValue()), cast(select->getFalseValue()));
  }
  if (auto *extract = dyn_cast<ExtractElementInst>(&instruction)) {
    return b.CreateExtractElement(cast(extract->getVectorOperand()), extract->getIndexOperand());
  }
  auto constant = [&](uint64_t bits) { return ConstantInt::get(integersFor(instruction.getType()), bits); };
  if (instruction.getOpcode() == Instruction::FNeg) {
    return b.CreateXor(cast(instruction.getOperand(0)), constant(0x8000));
  }
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (call && call->getIntrinsicID() == Intrinsic::fabs) {
    return b.CreateAnd(cast(call->getArgOperand(0)), constant(0x7fff));
  }
  return nullptr;
}

/// The same operation on integers, or null if the instruction does not place bfloat16 values in a vector.
static Value *placedInteger(IRBuilder<> &b, Instruction &instruction) {
  auto cast = [&](Value *value) { return b.CreateBitCast(value, integersFor(value->getType())); };
  if (!instruction.getType()->getScalarType()->isBFloatTy()) {
    return nullptr;
  }
  if (auto *insert = dyn_cast<InsertElementInst>(&instruction)) {
    return b.CreateInsertElement(cast(insert->getOperand(0)), cast(insert->getOperand(1)), insert->getOperand(2));
  }
  if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction)) {
    return b.CreateShuffleVector(cast(shuffle->getOperand(0)), cast(shuffle->getOperand(1)), shuffle->getShuffleMask());
  }
  return nullptr;
}

static void storeInteger(StoreInst &store) {
  IRBuilder<> b(&store);
  Value *bits = b.CreateBitCast(store.getValueOperand(), integersFor(store.getValueOperand()->getType()));
  b.CreateAlignedStore(bits, store.getPointerOperand(), store.getAlign(), store.isVolatile());
  store.eraseFromParent();
}

/// Moves a single value, or those of a shuffle, as integers, unless the access is atomic.
static void moveAsInteger(Instruction &instruction) {
  if (instruction.isAtomic()) {
    return;
  }
  if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    if (isSingle(store->getValueOperand()->getType())) {
      storeInteger(*store);
    }
    return;
  }
  IRBuilder<> b(&instruction);
  Value *integer = isSingle(instruction.getType()) ? onIntegers(b, instruction) : nullptr;
  if (!integer) {
    integer = placedInteger(b, instruction);
  }
  if (integer) {
    instruction.replaceAllUsesWith(b.CreateBitCast(integer, instruction.getType()));
    instruction.eraseFromParent();
  }
}

/// Between blocks the integers have 32 bits, because CodeGenPrepare turns a phi of the bits into one of bfloat16.
static Value *widened(IRBuilder<> &b, Value *value) {
  Value *bits = b.CreateBitCast(value, integersFor(value->getType()));
  return b.CreateZExt(bits, bits->getType()->getWithNewType(b.getInt32Ty()));
}

static Value *narrowed(IRBuilder<> &b, Value *integer, Type *type) {
  return b.CreateBitCast(b.CreateTrunc(integer, integersFor(type)), type);
}

static void carryAsInteger(PHINode &phi) {
  IRBuilder<> b(&phi);
  PHINode *integer = b.CreatePHI(phi.getType()->getWithNewType(b.getInt32Ty()), phi.getNumIncomingValues());
  for (auto [block, value] : zip_equal(phi.blocks(), phi.incoming_values())) {
    int known = integer->getBasicBlockIndex(block); // A switch can have several edges to a block.
    b.SetInsertPoint(block->getTerminator());
    integer->addIncoming(known < 0 ? widened(b, value) : integer->getIncomingValue(known), block);
  }
  b.SetInsertPoint(phi.getParent(), phi.getParent()->getFirstInsertionPt());
  phi.replaceAllUsesWith(narrowed(b, integer, phi.getType()));
  phi.eraseFromParent();
}

static void carryAsInteger(Instruction &value) {
  auto isElsewhere = [&](Use &use) { return cast<Instruction>(use.getUser())->getParent() != value.getParent(); };
  SmallVector<Use *> elsewhere;
  for (Use &use : value.uses()) {
    if (isElsewhere(use)) {
      elsewhere.push_back(&use);
    }
  }
  if (elsewhere.empty()) {
    return;
  }
  IRBuilder<> b(value.getNextNode());
  Value *integer = widened(b, &value);
  for (Use *use : elsewhere) {
    b.SetInsertPoint(cast<Instruction>(use->getUser()));
    use->set(narrowed(b, integer, value.getType()));
  }
}

void moveBfloatsAsIntegers(Module &module) {
  for (Function &function : module) {
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      auto *phi = dyn_cast<PHINode>(&instruction);
      if (phi && isSingle(phi->getType())) {
        carryAsInteger(*phi);
      }
    }
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      moveAsInteger(instruction);
    }
    // No phi has such a type now.
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      if (isSingle(instruction.getType())) {
        carryAsInteger(instruction);
      }
    }
  }
}

} // namespace tilewright::host
