#include "BalanceInsertions.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Local.h"

#include <numeric>

using namespace llvm;

namespace tilewright::nvptx {

/// The elements of a chain of insertions into poison that ends here; empty where it is none, or not complete.
static SmallVector<Value *> elementsOf(InsertElementInst *last) {
  auto *type = dyn_cast<FixedVectorType>(last->getType());
  if (!type || type->getNumElements() <= BalanceInsertions::kMostAtOnce || !isPowerOf2_32(type->getNumElements())) {
    return {};
  }
  SmallVector<Value *> elements(type->getNumElements());
  Value *vector = last;
  while (auto *insertion = dyn_cast<InsertElementInst>(vector)) {
    auto *index = dyn_cast<ConstantInt>(insertion->getOperand(2));
    if (!index || index->getZExtValue() >= elements.size() || (insertion != last && !insertion->hasOneUse())) {
      return {};
    }
    Value *&element = elements[index->getZExtValue()];
    element = element ? element : insertion->getOperand(1);
    vector = insertion->getOperand(0);
  }
  return isa<PoisonValue>(vector) && !is_contained(elements, nullptr) ? elements : SmallVector<Value *>();
}

static Value *build(IRBuilder<> &builder, ArrayRef<Value *> elements) {
  constexpr size_t kLeaf = 32;
  if (elements.size() <= kLeaf) {
    Value *vector =
        PoisonValue::get(FixedVectorType::get(elements.front()->getType(), static_cast<unsigned>(elements.size())));
    for (auto [index, element] : enumerate(elements)) {
      vector = builder.CreateInsertElement(vector, element, index);
    }
    return vector;
  }
  Value *low = build(builder, elements.take_front(elements.size() / 2));
  Value *high = build(builder, elements.drop_front(elements.size() / 2));
  SmallVector<int> mask(elements.size());
  std::iota(mask.begin(), mask.end(), 0);
  return builder.CreateShuffleVector(low, high, mask);
}

PreservedAnalyses BalanceInsertions::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<std::pair<InsertElementInst *, SmallVector<Value *>>> chains;
  for (Instruction &instruction : instructions(function)) {
    auto *insertion = dyn_cast<InsertElementInst>(&instruction);
    bool goesOn = insertion && insertion->hasOneUse() && isa<InsertElementInst>(insertion->user_back()) &&
                  insertion->user_back()->getOperand(0) == insertion;
    if (!insertion || goesOn) {
      continue;
    }
    if (SmallVector<Value *> elements = elementsOf(insertion); !elements.empty()) {
      chains.emplace_back(insertion, std::move(elements));
    }
  }
  for (auto &[last, elements] : chains) {
    IRBuilder<> builder(last);
    last->replaceAllUsesWith(build(builder, elements));
    RecursivelyDeleteTriviallyDeadInstructions(last);
  }
  if (chains.empty()) {
    return PreservedAnalyses::all();
  }
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

} // namespace tilewright::nvptx
