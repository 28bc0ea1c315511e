#include "Nvptx/BalanceInsertions.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace tilewright;

namespace {

/// A function that returns the vector of its arguments, which are inserted one by one in this order.
struct Chain {
  explicit Chain(ArrayRef<unsigned> order) : module("test", context), builder(context) {
    Type *f32 = builder.getFloatTy();
    auto count = static_cast<unsigned>(order.size());
    auto *vectorType = FixedVectorType::get(f32, count);
    auto *type = FunctionType::get(vectorType, SmallVector<Type *>(count, f32), false);
    function = Function::Create(type, Function::ExternalLinkage, "f", module);
    builder.SetInsertPoint(BasicBlock::Create(context, "", function));
    Value *vector = PoisonValue::get(vectorType);
    for (unsigned index : order) {
      vector = builder.CreateInsertElement(vector, function->getArg(index), index);
    }
    result = builder.CreateRet(vector);
  }

  void run() {
    FunctionAnalysisManager analyses;
    nvptx::BalanceInsertions().run(*function, analyses);
    ASSERT_FALSE(verifyModule(module, &errs()));
  }

  /// Whether the vector that is returned holds the arguments in order.
  bool isRight() const {
    for (unsigned i = 0; i < function->arg_size(); ++i) {
      if (findScalarElement(result->getReturnValue(), i) != function->getArg(i)) {
        return false;
      }
    }
    return true;
  }

  unsigned longestInsertion() const {
    unsigned longest = 0;
    for (Instruction &instruction : instructions(function)) {
      if (isa<InsertElementInst>(instruction)) {
        longest = std::max(longest, cast<FixedVectorType>(instruction.getType())->getNumElements());
      }
    }
    return longest;
  }

  LLVMContext context;
  Module module;
  IRBuilder<> builder;
  Function *function;
  ReturnInst *result;
};

SmallVector<unsigned> inOrder(unsigned count) { return to_vector(seq<unsigned>(0, count)); }

TEST(BalanceInsertions, SplitsAWideVector) {
  for (unsigned count : {256u, 2048u}) {
    Chain chain(inOrder(count));
    EXPECT_EQ(chain.longestInsertion(), count);
    chain.run();
    EXPECT_EQ(chain.longestInsertion(), 32u);
    EXPECT_TRUE(chain.isRight());
  }
}

TEST(BalanceInsertions, TakesElementsInAnyOrder) {
  SmallVector<unsigned> order = inOrder(256);
  std::reverse(order.begin(), order.end());
  std::swap(order[3], order[200]);
  Chain chain(order);
  chain.run();
  EXPECT_EQ(chain.longestInsertion(), 32u);
  EXPECT_TRUE(chain.isRight());
}

TEST(BalanceInsertions, LeavesNarrowVectors) {
  Chain chain(inOrder(128));
  chain.run();
  EXPECT_EQ(chain.longestInsertion(), 128u);
}

TEST(BalanceInsertions, LeavesAChainThatIsUsedInBetween) {
  Chain chain(inOrder(256));
  auto *last = cast<InsertElementInst>(chain.result->getReturnValue());
  chain.builder.SetInsertPoint(chain.result);
  Value *used = chain.builder.CreateExtractElement(last->getOperand(0), uint64_t(3));
  auto *stored = chain.builder.CreateInsertElement(last, used, uint64_t(7));
  chain.result->setOperand(0, stored);
  chain.run();
  EXPECT_EQ(findScalarElement(chain.result->getReturnValue(), 7), used);
  EXPECT_EQ(findScalarElement(chain.result->getReturnValue(), 8), chain.function->getArg(8));
}

TEST(BalanceInsertions, LeavesWhatIsNotComplete) {
  SmallVector<unsigned> order = inOrder(256);
  Chain chain(order);
  auto *last = cast<InsertElementInst>(chain.result->getReturnValue());
  chain.result->setOperand(0, last->getOperand(0)); // without the last element
  last->eraseFromParent();
  chain.run();
  EXPECT_EQ(chain.longestInsertion(), 256u);
}

} // namespace
