#include "WaveFences.h"

#include "tilewright/Emulator/AccessKind.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MemoryModelRelaxationAnnotations.h"

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

/// The memory spaces whose accesses the fence orders: all without an annotation.
uint8_t spacesOf(const FenceInst &fence) {
  constexpr StringLiteral kPrefix = "amdgpu-synchronize-as";
  MMRAMetadata annotations(fence);
  if (!annotations.hasTagWithPrefix(kPrefix)) {
    return kAllSpaces;
  }
  uint8_t spaces = 0;
  spaces |= annotations.hasTag(kPrefix, "local") ? bitOf(MemorySpace::Shared) : 0;
  spaces |= annotations.hasTag(kPrefix, "global") ? bitOf(MemorySpace::Global) : 0;
  return spaces;
}

bool isBarrier(const llvm::Instruction &instruction) {
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == Intrinsic::amdgcn_s_barrier;
}

/// Whether the instruction accesses memory that a fence orders, so that a fence on its other side does not belong to
/// the barrier. Memory of the thread itself, where the emulator's calls have their operands, needs no order.
bool separates(const llvm::Instruction &instruction) {
  if (const Value *pointer = getLoadStorePointerOperand(&instruction)) {
    unsigned space = pointer->getType()->getPointerAddressSpace();
    return space != 0 && space != 4 && space != 5;
  }
  if (const auto *call = dyn_cast<CallInst>(&instruction)) {
    const llvm::Function *callee = call->getCalledFunction();
    return !callee || !(isa<AssumeInst>(call) || callee->getName() == "emulator.count" || call->doesNotAccessMemory());
  }
  return instruction.mayReadOrWriteMemory() && !isa<FenceInst>(instruction);
}

/// Looks for the fences next to a barrier on one side of it, on all paths and with no access between: the optimizer
/// moves fences that several barriers have in common out of branches.
template <typename Direction> class FenceSearch {
public:
  /// Returns the memory spaces that the fences on all paths order.
  uint8_t search(llvm::Instruction &barrier) {
    bool isFenced = searchIn(Direction::rest(barrier), *barrier.getParent());
    return isFenced ? spaces : 0;
  }
  SmallVector<FenceInst *, 4> found;

private:
  template <typename Range> bool searchIn(Range &&instructions, BasicBlock &block) {
    for (llvm::Instruction &instruction : instructions) {
      auto *fence = dyn_cast<FenceInst>(&instruction);
      if (fence && scopeOf(*fence) >= Scope::Workgroup && Direction::hasEffect(fence->getOrdering())) {
        found.push_back(fence);
        spaces &= spacesOf(*fence);
        return true;
      }
      if (separates(instruction)) {
        return false;
      }
    }
    if (!visited.insert(&block).second) {
      return true; // a loop without accesses; its other paths decide
    }
    return all_of(Direction::neighbors(block),
                  [&](BasicBlock *next) { return searchIn(Direction::all(*next), *next); });
  }

  SmallPtrSet<BasicBlock *, 8> visited;
  uint8_t spaces = kAllSpaces;
};

struct Before {
  static auto rest(llvm::Instruction &at) { return reverse(make_range(at.getParent()->begin(), at.getIterator())); }
  static auto all(BasicBlock &block) { return reverse(block); }
  static auto neighbors(BasicBlock &block) { return predecessors(&block); }
  static bool hasEffect(AtomicOrdering order) { return isReleaseOrStronger(order); }
};

struct Behind {
  static auto rest(llvm::Instruction &at) { return make_range(std::next(at.getIterator()), at.getParent()->end()); }
  static auto all(BasicBlock &block) { return make_range(block.begin(), block.end()); }
  static auto neighbors(BasicBlock &block) { return successors(&block); }
  static bool hasEffect(AtomicOrdering order) { return isAcquireOrStronger(order); }
};

/// Adds the fences that belong to the barrier to `fences`.
void replaceBarrier(llvm::Instruction &barrier, EmulatedCalls &calls, SmallPtrSetImpl<FenceInst *> &fences) {
  FenceSearch<Before> before;
  FenceSearch<Behind> behind;
  uint8_t releases = before.search(barrier), acquires = behind.search(barrier);
  if (releases != 0) {
    fences.insert_range(before.found);
  }
  if (acquires != 0) {
    fences.insert_range(behind.found);
  }
  IRBuilder<> builder(&barrier);
  calls.call(builder, barrier, *findInstruction("s_barrier"), {builder.getInt64(releases), builder.getInt64(acquires)},
             0);
  barrier.eraseFromParent();
}

void replaceFence(FenceInst &fence, EmulatedCalls &calls, const CodeOrder &order, bool checked) {
  IRBuilder<> builder(&fence);
  Scope scope = scopeOf(fence);
  if (scope == Scope::Wave) {
    calls.call(builder, fence, *findInstruction("fence syncscope(\"wavefront\")"),
               {builder.getInt64(order.placeOf(fence))}, 0);
  } else if (scope > Scope::Wave && checked) {
    int effects = 0; // a fence of one memory space away from barriers counts for none
    bool ordersAll = spacesOf(fence) == kAllSpaces;
    effects |= ordersAll && isAcquireOrStronger(fence.getOrdering()) ? static_cast<int>(AtomicOrder::Acquire) : 0;
    effects |= ordersAll && isReleaseOrStronger(fence.getOrdering()) ? static_cast<int>(AtomicOrder::Release) : 0;
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
    replaceBarrier(*barrier, calls, ofBarriers);
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
