#include "Instrument.h"

#include "tilewright/Emulator/Block.h"
#include "tilewright/Emulator/Checker.h"

#include "llvm/ADT/bit.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Transforms/Scalar/ScalarizeMaskedMemIntrin.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace tilewright::emulator {
namespace {

/// The properties of a memory access that `emulator.access` needs.
struct MemoryAccess {
  Value *pointer = nullptr;
  Type *type = nullptr;
  Align alignment;
  AccessKind kind = AccessKind::Read;
};

MemoryAccess accessOf(llvm::Instruction &instruction) {
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    // An atomic load orders as an update that writes the same value back.
    AccessKind kind = load->isAtomic() ? AccessKind::Atomic : AccessKind::Read;
    return {load->getPointerOperand(), load->getType(), load->getAlign(), kind};
  }
  if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    return {store->getPointerOperand(), store->getValueOperand()->getType(), store->getAlign(), AccessKind::Write};
  }
  if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction)) {
    return {atomic->getPointerOperand(), atomic->getType(), atomic->getAlign(), AccessKind::Atomic};
  }
  if (auto *atomic = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    return {atomic->getPointerOperand(), atomic->getNewValOperand()->getType(), atomic->getAlign(), AccessKind::Atomic};
  }
  return {};
}

/// Address spaces of a thread's local variables (0 and 5) and of constants (4).
bool isPrivate(unsigned space) { return space == 0 || space == 4 || space == 5; }

AtomicOrder orderOf(const llvm::Instruction &atomic) {
  AtomicOrdering order = AtomicOrdering::NotAtomic;
  if (const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&atomic)) {
    order = exchange->getSuccessOrdering();
  } else if (const auto *load = dyn_cast<LoadInst>(&atomic)) {
    order = load->getOrdering();
  } else {
    order = cast<AtomicRMWInst>(atomic).getOrdering();
  }
  int bits = 0;
  bits |= isAcquireOrStronger(order) ? static_cast<int>(AtomicOrder::Acquire) : 0;
  bits |= isReleaseOrStronger(order) ? static_cast<int>(AtomicOrder::Release) : 0;
  return static_cast<AtomicOrder>(bits);
}

/// The instructions that access global or shared memory.
SmallVector<llvm::Instruction *> findAccesses(llvm::Function &code) {
  SmallVector<llvm::Instruction *> found;
  for (llvm::Instruction &instruction : llvm::instructions(code)) {
    MemoryAccess access = accessOf(instruction);
    if (access.pointer && !isPrivate(access.pointer->getType()->getPointerAddressSpace())) {
      found.push_back(&instruction);
    }
  }
  return found;
}

/// The operands of the rows `emulator.access` and `emulator.access_elsewhere`.
struct AccessOperands {
  Value *address;
  uint64_t bytes, alignment;
  AccessKind kind;
  MemorySpace space;

  AccessOperands(llvm::Instruction &instruction, IRBuilder<> &builder, EmulatedCalls &calls) {
    MemoryAccess access = accessOf(instruction);
    address = calls.toSlot(builder, access.pointer);
    bytes = instruction.getDataLayout().getTypeStoreSize(access.type);
    // NVPTX splits an access that is wider than its alignment or not a power of two, such as 12 bytes, so that no
    // instruction requires more than that.
    alignment = std::min<uint64_t>(access.alignment.value(), llvm::bit_floor(bytes));
    kind = access.kind;
    bool isShared = access.pointer->getType()->getPointerAddressSpace() == kSharedSpace;
    space = isShared ? MemorySpace::Shared : MemorySpace::Global;
  }

  SmallVector<Value *> slots(IRBuilder<> &builder) const {
    return {address, builder.getInt64(bytes), builder.getInt64(alignment),
            builder.getInt64(static_cast<uint64_t>(kind)), builder.getInt64(static_cast<uint64_t>(space))};
  }
};

} // namespace

void splitMaskedAccesses(llvm::Function &code) {
  FunctionAnalysisManager analyses;
  analyses.registerPass([] { return PassInstrumentationAnalysis(); });
  analyses.registerPass([] { return DominatorTreeAnalysis(); });
  analyses.registerPass([] { return TargetIRAnalysis(); }); // of no processor in particular: none has such accesses
  ScalarizeMaskedMemIntrinPass().run(code, analyses);
}

void observeAccesses(llvm::Function &code, EmulatedCalls &calls) {
  SmallVector<llvm::Instruction *> fences;
  for (llvm::Instruction &instruction : llvm::instructions(code)) {
    if (isa<FenceInst>(instruction)) {
      fences.push_back(&instruction);
    }
  }
  for (llvm::Instruction *fence : fences) {
    IRBuilder<> builder(fence);
    calls.call(builder, *fence, *findInstruction("fence.acq_rel.gpu"), {}, 0);
  }
  for (llvm::Instruction *instruction : findAccesses(code)) {
    IRBuilder<> builder(instruction);
    AccessOperands operands(*instruction, builder, calls);
    SmallVector<Value *> slots = operands.slots(builder);
    if (operands.kind == AccessKind::Atomic) {
      slots[3] = builder.getInt64(static_cast<uint64_t>(orderOf(*instruction)));
      calls.call(builder, *instruction, *findInstruction("emulator.atomic"), slots, 0);
    } else {
      calls.call(builder, *instruction, *findInstruction("emulator.access"), slots, 0);
    }
  }
}

//     %place = sub i64 %address, %begin           %begin and %count are the KnownPlaces entry of this access
//     %elsewhere = icmp uge i64 %place, %count    the entry is empty at first
//     br i1 %elsewhere, ...                       calls the emulator, which fills the entry, or reports an error
void guardAccesses(llvm::Function &code, EmulatedCalls &calls) {
  static_assert(sizeof(KnownPlaces) == 2 * sizeof(uint64_t) && offsetof(KnownPlaces, count) == sizeof(uint64_t));
  const Instruction &row = *findInstruction("emulator.access_elsewhere");
  unsigned number = 0;
  for (llvm::Instruction *instruction : findAccesses(code)) {
    IRBuilder<> builder(instruction);
    AccessOperands operands(*instruction, builder, calls);
    if (!KnownPlaces::hasEntry(operands.bytes)) {
      calls.call(builder, *instruction, *findInstruction("emulator.access"), operands.slots(builder), 0);
      continue;
    }
    unsigned entry = KnownPlaces::entryOf(operands.bytes, number++);
    Type *word = builder.getInt64Ty();
    auto read = [&](unsigned index) {
      return builder.CreateLoad(word, builder.CreateConstInBoundsGEP1_64(word, calls.places, index));
    };
    Value *place = builder.CreateSub(operands.address, read(2 * entry));
    Value *asks = builder.CreateICmpUGE(place, read(2 * entry + 1));
    if (operands.alignment > 1) {
      Value *rest = builder.CreateAnd(operands.address, operands.alignment - 1);
      asks = builder.CreateOr(asks, builder.CreateIsNotNull(rest));
    }
    MDNode *rarely = MDBuilder(code.getContext()).createUnlikelyBranchWeights();
    IRBuilder<> seldom(SplitBlockAndInsertIfThen(asks, instruction->getIterator(), /*Unreachable=*/false, rarely));
    SmallVector<Value *> slots = operands.slots(seldom);
    slots.push_back(seldom.getInt64(entry));
    calls.call(seldom, *instruction, row, slots, 0);
  }
}

void countLoops(llvm::Function &code, EmulatedCalls &calls) {
  const Instruction &row = *findInstruction("emulator.tick");
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> edges;
  FindFunctionBackedges(code, edges);
  for (auto [from, to] : edges) {
    llvm::Instruction *end = const_cast<BasicBlock *>(from)->getTerminator();
    const llvm::Instruction &origin = *end;
    IRBuilder<> builder(end);
    static_assert(offsetof(Thread, ticks) == 0);
    Value *ticks = builder.CreateSub(builder.CreateLoad(builder.getInt64Ty(), calls.thread), builder.getInt64(1));
    builder.CreateStore(ticks, calls.thread);
    Value *none = builder.CreateICmpSLT(ticks, builder.getInt64(0));
    IRBuilder<> seldom(SplitBlockAndInsertIfThen(none, end->getIterator(), /*Unreachable=*/false));
    calls.call(seldom, origin, row, {}, 0);
  }
}

} // namespace tilewright::emulator
