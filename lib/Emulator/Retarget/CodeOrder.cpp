#include "CodeOrder.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace tilewright::emulator {
namespace {

/// Reverse post order alone may put the blocks behind a loop before some of the loop's own, so that a loop's blocks are
/// taken together where the first of them is.
class BlockOrder {
public:
  explicit BlockOrder(Function &code) : dominators(code), loops(dominators) {
    ReversePostOrderTraversal<Function *> traversal(&code);
    addBlocks(SmallVector<BasicBlock *>(traversal.begin(), traversal.end()), nullptr);
    for (BasicBlock &block : code) {
      addBlock(block); // those that nothing reaches
    }
  }

  std::vector<BasicBlock *> blocks;

private:
  /// The loop directly inside `outer` that has the block; null if it is in none.
  Loop *loopWithin(BasicBlock &block, const Loop *outer) {
    Loop *loop = loops.getLoopFor(&block);
    while (loop && loop->getParentLoop() != outer && loop != outer) {
      loop = loop->getParentLoop();
    }
    return loop == outer ? nullptr : loop;
  }

  void addBlocks(const SmallVector<BasicBlock *> &some, Loop *outer) {
    for (BasicBlock *block : some) {
      Loop *inner = loopWithin(*block, outer);
      if (!inner) {
        addBlock(*block);
      } else if (!added.contains(block)) {
        SmallVector<BasicBlock *> own;
        copy_if(some, std::back_inserter(own), [&](BasicBlock *other) { return inner->contains(other); });
        addBlocks(own, inner);
      }
    }
  }

  void addBlock(BasicBlock &block) {
    if (added.insert(&block).second) {
      blocks.push_back(&block);
    }
  }

  DominatorTree dominators;
  LoopInfo loops;
  SmallPtrSet<BasicBlock *, 32> added;
};

} // namespace

CodeOrder::CodeOrder(Function &code) {
  uint64_t next = 0;
  for (BasicBlock *block : BlockOrder(code).blocks) {
    for (Instruction &instruction : *block) {
      places[&instruction] = next++;
    }
  }
}

} // namespace tilewright::emulator
