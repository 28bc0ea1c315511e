#include "WaveFences.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace tilewright::emulator {
namespace {

/// From the narrowest to the widest.
enum class Scope { Thread, Wave, Workgroup, Wider };

Scope scopeOf(const FenceInst &fence) {
  SmallVector<StringRef> names;
  fence.getContext().getSyncScopeNames(names);
  StringRef name = names[fence.getSyncScopeID()];
  // The code generator waits for no access to LDS at "workgroup-one-as", so that it counts as a fence of the wave.
  return name.starts_with("singlethread")                              ? Scope::Thread
         : name.starts_with("wavefront") || name == "workgroup-one-as" ? Scope::Wave
         : name == "workgroup"                                         ? Scope::Workgroup
                                                                       : Scope::Wider;
}

bool isBarrier(const llvm::Instruction &instruction) {
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == Intrinsic::amdgcn_s_barrier;
}

/// Whether a fence does not order the instruction and a barrier on the other side of it.
bool separates(const llvm::Instruction &instruction) {
  return isBarrier(instruction) || (instruction.mayReadOrWriteMemory() && !isa<FenceInst>(instruction));
}

/// The fence with the given effect that is next to a barrier, with nothing between them that accesses memory.
template <typename Range, typename HasEffect> FenceInst *findFence(Range &&instructions, HasEffect hasEffect) {
  for (llvm::Instruction &instruction : instructions) {
    auto *fence = dyn_cast<FenceInst>(&instruction);
    if (fence && scopeOf(*fence) >= Scope::Workgroup && hasEffect(fence->getOrdering())) {
      return fence;
    }
    if (separates(instruction)) {
      return nullptr;
    }
  }
  return nullptr;
}

/// Returns the fences that belong to the barrier.
SmallVector<FenceInst *, 2> replaceBarrier(llvm::Instruction &barrier, EmulatedCalls &calls) {
  BasicBlock &block = *barrier.getParent();
  FenceInst *before = findFence(reverse(make_range(block.begin(), barrier.getIterator())), isReleaseOrStronger);
  FenceInst *behind = findFence(make_range(std::next(barrier.getIterator()), block.end()), isAcquireOrStronger);
  IRBuilder<> builder(&barrier);
  calls.call(builder, barrier, *findInstruction("s_barrier"),
             {builder.getInt64(before != nullptr), builder.getInt64(behind != nullptr)}, 0);
  barrier.eraseFromParent();
  SmallVector<FenceInst *, 2> fences;
  copy_if(std::initializer_list<FenceInst *>{before, behind}, std::back_inserter(fences),
          [](FenceInst *fence) { return fence != nullptr; });
  return fences;
}

void replaceFence(FenceInst &fence, EmulatedCalls &calls, const CodeOrder &order, bool checked) {
  IRBuilder<> builder(&fence);
  Scope scope = scopeOf(fence);
  if (scope == Scope::Wave) {
    calls.call(builder, fence, *findInstruction("fence syncscope(\"wavefront\")"),
               {builder.getInt64(order.placeOf(fence))}, 0);
  } else if (scope > Scope::Wave && checked) {
    int effects = 0;
    effects |= isAcquireOrStronger(fence.getOrdering()) ? static_cast<int>(AtomicOrder::Acquire) : 0;
    effects |= isReleaseOrStronger(fence.getOrdering()) ? static_cast<int>(AtomicOrder::Release) : 0;
    calls.call(builder, fence, *findInstruction("fence syncscope"), {builder.getInt64(effects)}, 0);
  } else if (scope == Scope::Wider) {
    return; // other programs run on other threads of the host
  }
  fence.eraseFromParent();
}

} // namespace

void replaceFences(llvm::Function &code, EmulatedCalls &calls, const CodeOrder &order, bool checked) {
  SmallVector<llvm::Instruction *> barriers;
  SmallVector<FenceInst *> fences;
  for (llvm::Instruction &instruction : instructions(code)) {
    if (isBarrier(instruction)) {
      barriers.push_back(&instruction);
    } else if (auto *fence = dyn_cast<FenceInst>(&instruction)) {
      fences.push_back(fence);
    }
  }
  SmallPtrSet<FenceInst *, 16> ofBarriers;
  for (llvm::Instruction *barrier : barriers) {
    for (FenceInst *fence : replaceBarrier(*barrier, calls)) {
      ofBarriers.insert(fence);
    }
  }
  for (FenceInst *fence : fences) {
    if (ofBarriers.contains(fence)) {
      fence->eraseFromParent();
    } else {
      replaceFence(*fence, calls, order, checked);
    }
  }
}

} // namespace tilewright::emulator
