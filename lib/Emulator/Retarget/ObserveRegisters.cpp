// Checks the registers that instructions read, which may be accumulators of a wgmma in flight.
//
//     %d = call { float, ... } asm "wgmma.mma_async ..."
//     %x = extractvalue { float, ... } %d, 0                     %x = extractvalue { float, ... } %d, 0
//     %y = fadd float %x, 1.0                            ->      %r = emulator.register %x
//                                                                %y = fadd float %r, 1.0
//
// Instructions that only copy registers, other wgmmas and waits may use them. Waits for all groups return registers
// that no wgmma in flight has, so that the code after them is not changed.

#include "AssemblyCalls.h"
#include "Instrument.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace tilewright::emulator {
namespace {

/// Whether the call returns registers that may be in flight.
bool isSource(const llvm::Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  if (!call || !call->isInlineAsm() || call->getType()->isVoidTy()) {
    return false;
  }
  StringRef text = cast<InlineAsm>(call->getCalledOperand())->getAsmString();
  return text.contains("wgmma.mma_async.") ||
         (text.contains("wgmma.wait_group.") && !text.contains("wgmma.wait_group.sync.aligned 0;"));
}

bool onlyCopies(const llvm::Instruction &instruction) {
  return isa<PHINode, SelectInst, ExtractValueInst, InsertValueInst, BitCastInst, FreezeInst>(instruction);
}

/// Whether the operand is tied to a result of a wgmma or a wait, which may continue what is in flight.
bool isAccumulator(const Use &use) {
  auto *call = dyn_cast<CallInst>(use.getUser());
  if (!call || !call->isInlineAsm() || !call->isArgOperand(&use)) {
    return false;
  }
  auto *text = cast<InlineAsm>(call->getCalledOperand());
  if (!StringRef(text->getAsmString()).contains("wgmma.")) {
    return false;
  }
  unsigned index = 0;
  for (const InlineAsm::ConstraintInfo &info : text->ParseConstraints()) {
    if (info.Type == InlineAsm::isInput && index++ == call->getArgOperandNo(&use)) {
      return !info.Codes.empty() && isDigit(info.Codes.front().front());
    }
  }
  return false;
}

/// The values that may hold a register of a wgmma in flight.
SetVector<Value *> findRegisters(llvm::Function &code) {
  SetVector<Value *> values;
  for (llvm::Instruction &instruction : llvm::instructions(code)) {
    if (isSource(instruction)) {
      values.insert(&instruction);
    }
  }
  for (size_t i = 0; i < values.size(); ++i) {
    for (User *user : values[i]->users()) {
      auto *instruction = dyn_cast<llvm::Instruction>(user);
      if (instruction && onlyCopies(*instruction)) {
        values.insert(instruction);
      }
    }
  }
  return values;
}

} // namespace

void observeRegisters(llvm::Function &code, EmulatedCalls &calls) {
  const Instruction &row = *findInstruction("emulator.register");
  for (Value *value : findRegisters(code)) {
    if (value->getType()->isAggregateType() || value->getType()->getPrimitiveSizeInBits() != 32) {
      continue;
    }
    SmallVector<Use *> uses;
    for (Use &use : value->uses()) {
      auto *user = dyn_cast<llvm::Instruction>(use.getUser());
      if (user && !onlyCopies(*user) && !isAccumulator(use)) {
        uses.push_back(&use);
      }
    }
    for (Use *use : uses) {
      auto *user = cast<llvm::Instruction>(use->getUser());
      IRBuilder<> builder(user);
      Value *checked = calls.call(builder, *user, row, {calls.toSlot(builder, value)}, 1).front();
      use->set(calls.fromSlot(builder, checked, value->getType()));
    }
  }
}

} // namespace tilewright::emulator
