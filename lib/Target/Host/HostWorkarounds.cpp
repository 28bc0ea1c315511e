#include "HostWorkarounds.h"

#include "../CodeGenerator.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilewright::host {

static unsigned bytesOf(const Module &module, Type *element) {
  return module.getDataLayout().getTypeStoreSize(element).getFixedValue();
}

/// Calls `fn` for each masked load and store, which it may replace.
static void forEachMaskedAccess(Module &module, function_ref<void(IntrinsicInst &)> fn) {
  for (Function &function : module) {
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      if (call && is_contained({Intrinsic::masked_load, Intrinsic::masked_store}, call->getIntrinsicID())) {
        fn(*call);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Masked accesses of several registers
//===----------------------------------------------------------------------===//

static constexpr unsigned kAvx2Bits = 256, kSveBits = 128;

static Value *extractPart(IRBuilder<> &b, Value *vector, unsigned from, unsigned width) {
  auto lanes = to_vector(seq<int>(from, from + width));
  return b.CreateShuffleVector(vector, lanes);
}

/// Concatenates the parts.
static Value *concatenate(IRBuilder<> &b, ArrayRef<Value *> parts) {
  SmallVector<Value *> level(parts);
  while (level.size() > 1) {
    SmallVector<Value *> next;
    unsigned width = cast<FixedVectorType>(level[0]->getType())->getNumElements();
    for (size_t i = 0; i < level.size(); i += 2) {
      next.push_back(b.CreateShuffleVector(level[i], level[i + 1], to_vector(seq<int>(0, 2 * width))));
    }
    level = std::move(next);
  }
  return level[0];
}

/// Operands are visited once for each of their users, so that their number could double with each step.
static constexpr unsigned kMaxPartDepth = 6;

/// A part of a mask that is compared by itself where possible. The code generator would compare the whole, pack the
/// results into bytes, and unpack them for the predicate of each part.
static Value *evaluatePartOf(IRBuilder<> &b, Value *vector, unsigned from, unsigned width, unsigned depth) {
  auto part = [&](Value *operand) { return evaluatePartOf(b, operand, from, width, depth + 1); };
  if (auto *constant = dyn_cast<Constant>(vector)) {
    return b.CreateShuffleVector(constant, to_vector(seq<int>(from, from + width))); // folded
  }
  if (Value *scalar = getSplatValue(vector)) {
    return b.CreateVectorSplat(width, scalar);
  }
  auto *instruction = dyn_cast<Instruction>(vector);
  if (depth == kMaxPartDepth) {
    return extractPart(b, vector, from, width);
  }
  if (auto *compare = dyn_cast<CmpInst>(vector)) {
    return b.CreateCmp(compare->getPredicate(), part(compare->getOperand(0)), part(compare->getOperand(1)));
  }
  if (instruction && instruction->isBitwiseLogicOp()) {
    return b.CreateBinOp(Instruction::BinaryOps(instruction->getOpcode()), part(instruction->getOperand(0)),
                         part(instruction->getOperand(1)));
  }
  return extractPart(b, vector, from, width);
}

static Value *evaluatePart(IRBuilder<> &b, Value *mask, unsigned from, unsigned width) {
  return evaluatePartOf(b, mask, from, width, 0);
}

namespace {
/// How accesses are split.
struct Split {
  unsigned registerBits;
  Value *(*partOfMask)(IRBuilder<> &, Value *, unsigned from, unsigned width);
};
} // namespace

static void splitMaskedAccess(IntrinsicInst &access, const Split &split) {
  bool isLoad = access.getIntrinsicID() == Intrinsic::masked_load;
  Value *whole = isLoad ? &access : access.getArgOperand(0);
  auto *type = cast<FixedVectorType>(whole->getType());
  unsigned lanes = type->getNumElements();
  unsigned bytes = bytesOf(*access.getModule(), type->getElementType());
  unsigned width = split.registerBits / 8 / bytes;
  if (lanes <= width || !isPowerOf2_32(lanes)) {
    return;
  }
  IRBuilder<> b(&access);
  Value *pointer = access.getArgOperand(isLoad ? 0 : 1), *mask = access.getArgOperand(isLoad ? 1 : 2);
  Align align(bytes);
  SmallVector<Value *> parts;
  for (unsigned from = 0; from < lanes; from += width) {
    Value *address = b.CreateConstGEP1_64(type->getElementType(), pointer, from);
    Value *partMask = split.partOfMask(b, mask, from, width);
    Value *part = extractPart(b, isLoad ? access.getArgOperand(2) : whole, from, width);
    parts.push_back(isLoad ? b.CreateMaskedLoad(part->getType(), address, align, partMask, part)
                           : b.CreateMaskedStore(part, address, align, partMask));
  }
  if (isLoad) {
    access.replaceAllUsesWith(concatenate(b, parts));
  }
  access.eraseFromParent();
}

/// Whether masks are in vector registers, whose lanes have the element's width.
static bool hasVectorMasks(TargetMachine &machine) {
  StringRef features = machine.getTargetFeatureString();
  return features.contains("+avx2") && !features.contains("+avx512f");
}

void splitMaskedAccesses(Module &module, TargetMachine &machine) {
  if (hasVectorMasks(machine)) {
    forEachMaskedAccess(module, [](IntrinsicInst &access) { splitMaskedAccess(access, {kAvx2Bits, extractPart}); });
  }
}

//===----------------------------------------------------------------------===//
// Masked accesses of less than one register
//===----------------------------------------------------------------------===//

/// Appends lanes, which are false for a mask and undefined otherwise.
static Value *appendLanes(IRBuilder<> &b, Value *vector, unsigned lanes) {
  auto *type = cast<FixedVectorType>(vector->getType());
  SmallVector<int> chosen = to_vector(seq<int>(0, type->getNumElements()));
  bool isMask = type->getElementType()->isIntegerTy(1);
  chosen.resize(lanes, isMask ? int(type->getNumElements()) : PoisonMaskElem);
  return b.CreateShuffleVector(vector, Constant::getNullValue(type), chosen);
}

static void widenMaskedAccess(IntrinsicInst &access) {
  bool isLoad = access.getIntrinsicID() == Intrinsic::masked_load;
  Value *part = isLoad ? &access : access.getArgOperand(0);
  auto *type = cast<FixedVectorType>(part->getType());
  unsigned bytes = bytesOf(*access.getModule(), type->getElementType());
  unsigned lanes = kSveBits / 8 / bytes;
  if (type->getNumElements() >= lanes) {
    return;
  }
  IRBuilder<> b(&access);
  Value *pointer = access.getArgOperand(isLoad ? 0 : 1);
  Value *mask = appendLanes(b, access.getArgOperand(isLoad ? 1 : 2), lanes);
  Value *operand = appendLanes(b, isLoad ? access.getArgOperand(2) : part, lanes);
  if (isLoad) {
    Value *loaded = b.CreateMaskedLoad(operand->getType(), pointer, Align(bytes), mask, operand);
    access.replaceAllUsesWith(extractPart(b, loaded, 0, type->getNumElements()));
  } else {
    b.CreateMaskedStore(operand, pointer, Align(bytes), mask);
  }
  access.eraseFromParent();
}

bool hasSve(const TargetMachine &machine) {
  return machine.getTargetTriple().isAArch64() && machine.getTargetFeatureString().contains("+sve");
}

void predicateAccesses(Module &module, TargetMachine &machine) {
  if (hasSve(machine)) {
    forEachMaskedAccess(module, [](IntrinsicInst &access) { splitMaskedAccess(access, {kSveBits, evaluatePart}); });
    forEachMaskedAccess(module, widenMaskedAccess);
  }
}

//===----------------------------------------------------------------------===//
// Masked accesses of one register
//===----------------------------------------------------------------------===//

namespace {
/// The instructions for a type of a whole register, with masks of integers whose sign bits count.
struct MaskedMoves {
  unsigned elementBits, registerBits;
  bool isFloat;
  Intrinsic::ID load, store;
};
} // namespace

static const MaskedMoves *findMoves(FixedVectorType *type, unsigned elementBits) {
  static constexpr MaskedMoves all[] = {
      {32, 128, true, Intrinsic::x86_avx_maskload_ps, Intrinsic::x86_avx_maskstore_ps},
      {32, 256, true, Intrinsic::x86_avx_maskload_ps_256, Intrinsic::x86_avx_maskstore_ps_256},
      {64, 128, true, Intrinsic::x86_avx_maskload_pd, Intrinsic::x86_avx_maskstore_pd},
      {64, 256, true, Intrinsic::x86_avx_maskload_pd_256, Intrinsic::x86_avx_maskstore_pd_256},
      {32, 128, false, Intrinsic::x86_avx2_maskload_d, Intrinsic::x86_avx2_maskstore_d},
      {32, 256, false, Intrinsic::x86_avx2_maskload_d_256, Intrinsic::x86_avx2_maskstore_d_256},
      {64, 128, false, Intrinsic::x86_avx2_maskload_q, Intrinsic::x86_avx2_maskstore_q},
      {64, 256, false, Intrinsic::x86_avx2_maskload_q_256, Intrinsic::x86_avx2_maskstore_q_256},
  };
  const auto *found = find_if(all, [&](const MaskedMoves &moves) {
    return moves.elementBits == elementBits && moves.registerBits == elementBits * type->getNumElements() &&
           moves.isFloat == type->getElementType()->isFloatingPointTy();
  });
  return found == std::end(all) ? nullptr : found;
}

static void nameMaskedMove(IntrinsicInst &access) {
  bool isLoad = access.getIntrinsicID() == Intrinsic::masked_load;
  Value *pointer = access.getArgOperand(isLoad ? 0 : 1), *mask = access.getArgOperand(isLoad ? 1 : 2);
  Value *whole = isLoad ? &access : access.getArgOperand(0);
  auto *type = cast<FixedVectorType>(whole->getType());
  const MaskedMoves *moves = findMoves(type, 8 * bytesOf(*access.getModule(), type->getElementType()));
  if (!moves || isa<Constant>(mask)) {
    return;
  }
  IRBuilder<> b(&access);
  auto *integers = FixedVectorType::get(b.getIntNTy(moves->elementBits), type->getNumElements());
  Type *moved = moves->isFloat ? type : integers;
  Value *wideMask = b.CreateSExt(mask, integers);
  if (isLoad) {
    Value *loaded = b.CreateIntrinsic(moved, moves->load, {pointer, wideMask});
    loaded = b.CreateBitOrPointerCast(loaded, type);
    access.replaceAllUsesWith(b.CreateSelect(mask, loaded, access.getArgOperand(2)));
  } else {
    b.CreateIntrinsic(b.getVoidTy(), moves->store, {pointer, wideMask, b.CreateBitOrPointerCast(whole, moved)});
  }
  access.eraseFromParent();
}

void nameMaskedMoves(Module &module, TargetMachine &machine) {
  if (!hasVectorMasks(machine)) {
    return;
  }
  forEachMaskedAccess(module, nameMaskedMove);
}

//===----------------------------------------------------------------------===//
// Masked accesses of bfloat16
//===----------------------------------------------------------------------===//

/// Replaces an access of bfloat16 by one of 16-bit integers.
static void accessIntegers(IntrinsicInst &access) {
  bool isLoad = access.getIntrinsicID() == Intrinsic::masked_load;
  Value *floats = isLoad ? &access : access.getArgOperand(0);
  auto *type = dyn_cast<FixedVectorType>(floats->getType());
  if (!type || !type->getElementType()->isBFloatTy()) {
    return;
  }
  IRBuilder<> b(&access);
  auto *integers = FixedVectorType::get(b.getInt16Ty(), type->getNumElements());
  Value *pointer = access.getArgOperand(isLoad ? 0 : 1), *mask = access.getArgOperand(isLoad ? 1 : 2);
  Align align = access.getParamAlign(isLoad ? 0 : 1).valueOrOne();
  if (isLoad) {
    Value *other = b.CreateBitCast(access.getArgOperand(2), integers);
    access.replaceAllUsesWith(b.CreateBitCast(b.CreateMaskedLoad(integers, pointer, align, mask, other), type));
  } else {
    b.CreateMaskedStore(b.CreateBitCast(floats, integers), pointer, align, mask);
  }
  access.eraseFromParent();
}

void accessBfloatsAsIntegers(Module &module) { forEachMaskedAccess(module, accessIntegers); }

//===----------------------------------------------------------------------===//
// Stores of one lane
//===----------------------------------------------------------------------===//

/// The lane that a constant mask selects, if it selects exactly one.
static std::optional<unsigned> findSingleLane(const Value *mask) {
  auto *constant = dyn_cast<Constant>(mask);
  auto *type = dyn_cast<FixedVectorType>(mask->getType());
  if (!constant || !type) {
    return std::nullopt;
  }
  std::optional<unsigned> single;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    Constant *element = constant->getAggregateElement(lane);
    if (element && element->isZeroValue()) {
      continue;
    }
    if (single || !element || !element->isOneValue()) {
      return std::nullopt;
    }
    single = lane;
  }
  return single;
}

static void storeSingleLane(IntrinsicInst &store) {
  std::optional<unsigned> lane = findSingleLane(store.getArgOperand(2));
  if (!lane) {
    return;
  }
  IRBuilder<> b(&store);
  Value *element = b.CreateExtractElement(store.getArgOperand(0), *lane);
  Value *address = b.CreateConstGEP1_64(element->getType(), store.getArgOperand(1), *lane);
  // Only the alignment of an element is known, because the lane may be any one.
  b.CreateAlignedStore(element, address, Align(bytesOf(*store.getModule(), element->getType())));
  store.eraseFromParent();
}

void storeSingleLanes(Module &module) {
  for (Function &function : module) {
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      if (call && call->getIntrinsicID() == Intrinsic::masked_store) {
        storeSingleLane(*call);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// minimumnum and maximumnum
//===----------------------------------------------------------------------===//

void hideOperandsOfExtrema(Module &module) {
  for (Function &function : module) {
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      bool isExtremum = call && is_contained({Intrinsic::minimumnum, Intrinsic::maximumnum}, call->getIntrinsicID());
      if (!isExtremum || !(call->getType()->isFloatTy() || call->getType()->isDoubleTy())) {
        continue;
      }
      IRBuilder<> b(call);
      for (Use &operand : call->args()) {
        if (!isa<Constant>(operand)) { // with a constant, the right order of operands is chosen
          operand = b.CreateIntrinsic(Intrinsic::arithmetic_fence, {call->getType()}, {operand});
        }
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Non-temporal loads
//===----------------------------------------------------------------------===//

void loadTemporally(Module &module) {
  for (Function &function : module) {
    for (Instruction &instruction : instructions(function)) {
      if (isa<LoadInst>(instruction)) {
        instruction.setMetadata(LLVMContext::MD_nontemporal, nullptr);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

void limitSchedulingRegions() {
  // The scheduler has an edge for each two accesses in a block of which one may depend on the other. Above this number
  // of accesses, it keeps the order of the older half instead. LLVM's default is 1000.
  codegen::setNumber("dag-maps-huge-region", 128);
}

void disableStoreForwardingPass() { codegen::setFlag("x86-disable-avoid-SFB", true); }

//===----------------------------------------------------------------------===//
// Elements of vectors
//===----------------------------------------------------------------------===//

/// Replaces what computes one element of the vector from the integer that it is cast to.
static void extractElementsOf(BitCastInst &cast) {
  auto *vector = dyn_cast<FixedVectorType>(cast.getSrcTy());
  auto *whole = dyn_cast<IntegerType>(cast.getDestTy());
  constexpr unsigned kByte = 8; // smaller elements are masks
  if (!vector || !whole || !vector->getElementType()->isIntegerTy() || vector->getScalarSizeInBits() < kByte) {
    return;
  }
  unsigned bits = vector->getScalarSizeInBits(), last = vector->getNumElements() - 1;
  auto replace = [&](User *value, unsigned index) {
    IRBuilder<> b(llvm::cast<Instruction>(value));
    value->replaceAllUsesWith(b.CreateZExt(b.CreateExtractElement(cast.getOperand(0), index), whole));
  };
  auto isMaskOf = [&](User *value, Value *masked) {
    const APInt *mask;
    return match(value, m_And(m_Specific(masked), m_APInt(mask))) && mask->isMask(bits);
  };
  for (User *user : cast.users()) {
    const APInt *shift;
    if (isMaskOf(user, &cast)) {
      replace(user, 0);
    } else if (match(user, m_LShr(m_Specific(&cast), m_APInt(shift))) && shift->urem(bits) == 0) {
      auto index = static_cast<unsigned>(shift->udiv(bits).getLimitedValue());
      if (index == last) {
        replace(user, index);
        continue;
      }
      for (User *masked : user->users()) {
        if (isMaskOf(masked, user)) {
          replace(masked, index);
        }
      }
    }
  }
}

void extractElements(Module &module) {
  for (Function &function : module) {
    for (Instruction &instruction : instructions(function)) {
      if (auto *cast = dyn_cast<BitCastInst>(&instruction)) {
        extractElementsOf(*cast);
      }
    }
  }
}

} // namespace tilewright::host
