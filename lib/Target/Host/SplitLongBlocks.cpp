#include "HostWorkarounds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilewright::host {

/// A block of this length is compiled in proportion to its length.
static constexpr size_t kMostInstructions = 1000;

namespace {

/// Ends blocks of a function with branches that are always taken, on a condition that the code generator does not know:
/// that a pointer, which the function gets and accesses, is not null.
class BlockSplitter {
public:
  BlockSplitter(Function &function, Argument &pointer) : function(function), pointer(pointer) {}

  void split(BasicBlock *block);

private:
  void endWithBranch(BasicBlock *block, BasicBlock *next);

  Function &function;
  Argument &pointer;
  Value *isThere = nullptr;
  BasicBlock *elsewhere = nullptr;
};

} // namespace

void BlockSplitter::endWithBranch(BasicBlock *block, BasicBlock *next) {
  LLVMContext &context = function.getContext();
  if (!isThere) {
    IRBuilder<> entry(&function.getEntryBlock(), function.getEntryBlock().getFirstInsertionPt());
    isThere = entry.CreateIsNotNull(&pointer);
    elsewhere = BasicBlock::Create(context, "", &function);
    new UnreachableInst(context, elsewhere);
  }
  Instruction *branch = block->getTerminator();
  IRBuilder<> b(branch);
  b.CreateCondBr(isThere, next, elsewhere, MDBuilder(context).createLikelyBranchWeights());
  branch->eraseFromParent();
}

void BlockSplitter::split(BasicBlock *block) {
  while (block->sizeWithoutDebug() > kMostInstructions) {
    auto first = std::next(block->begin(), kMostInstructions);
    while (isa<PHINode, AllocaInst>(*first)) {
      ++first;
    }
    BasicBlock *next = block->splitBasicBlock(first);
    endWithBranch(block, next);
    block = next;
  }
}

void splitLongBlocks(Module &module) {
  for (Function &function : module) {
    auto pointer = find_if(function.args(), [](Argument &argument) { return argument.getType()->isPointerTy(); });
    if (function.isDeclaration() || pointer == function.arg_end()) {
      continue;
    }
    BlockSplitter splitter(function, *pointer);
    SmallVector<BasicBlock *> blocks(make_pointer_range(function));
    for (BasicBlock *block : blocks) {
      splitter.split(block);
    }
  }
}

} // namespace tilewright::host
