#include "Instrument.h"

#include "tilewright/Emulator/Block.h"
#include "tilewright/Emulator/Checker.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace tilewright::emulator {
namespace {

/// What `emulator.access` is told of an instruction.
struct MemoryAccess {
  Value *pointer = nullptr;
  Type *type = nullptr;
  Align alignment;
  AccessKind kind = AccessKind::Read;
};

MemoryAccess accessOf(llvm::Instruction &instruction) {
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    return {load->getPointerOperand(), load->getType(), load->getAlign(), AccessKind::Read};
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

} // namespace

void observeAccesses(llvm::Function &code, EmulatedCalls &calls) {
  const Instruction &row = *findInstruction("emulator.access");
  const DataLayout &layout = code.getParent()->getDataLayout();
  SmallVector<llvm::Instruction *> found, fences;
  for (llvm::Instruction &instruction : llvm::instructions(code)) {
    if (isa<FenceInst>(instruction)) {
      fences.push_back(&instruction);
    }
    MemoryAccess access = accessOf(instruction);
    // Address space 0 has the thread's own variables and constants only.
    if (access.pointer && access.pointer->getType()->getPointerAddressSpace() != 0) {
      found.push_back(&instruction);
    }
  }
  for (llvm::Instruction *fence : fences) {
    IRBuilder<> builder(fence);
    calls.call(builder, *fence, *findInstruction("fence.acq_rel.gpu"), {}, 0);
  }
  for (llvm::Instruction *instruction : found) {
    MemoryAccess access = accessOf(*instruction);
    IRBuilder<> builder(instruction);
    uint64_t bytes = layout.getTypeStoreSize(access.type);
    // An instruction of the GPU takes no more than its alignment allows.
    uint64_t alignment = std::min<uint64_t>(access.alignment.value(), bytes);
    calls.call(builder, *instruction, row,
               {calls.toSlot(builder, access.pointer), builder.getInt64(bytes), builder.getInt64(alignment),
                builder.getInt64(static_cast<uint64_t>(access.kind))},
               0);
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
