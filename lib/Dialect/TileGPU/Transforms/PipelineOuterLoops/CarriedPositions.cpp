#include "CarriedPositions.h"

using namespace mlir;

namespace tilewright::tilegpu {

Position Positions::after(int64_t steps) {
  while (static_cast<int64_t>(known.size()) <= steps) {
    auto [slot, phase] = known.back();
    auto next = RingNextOp::create(rewriter, loc, slot.getType(), phase.getType(), slot, phase,
                                   rewriter.getI64IntegerAttr(slots));
    known.push_back({next.getNext(), next.getNextPhase()});
  }
  return known[steps];
}

scf::ForOp withArguments(RewriterBase &rewriter, scf::ForOp loop, ValueRange inits) {
  rewriter.setInsertionPoint(loop);
  DictionaryAttr attributes = loop->getDiscardableAttrDictionary();
  auto same = [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
    return SmallVector<Value>(arguments.begin(), arguments.end());
  };
  FailureOr<LoopLikeOpInterface> extended =
      cast<LoopLikeOpInterface>(loop.getOperation())
          .replaceWithAdditionalYields(rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, same);
  assert(succeeded(extended) && "a loop takes arguments");
  auto made = cast<scf::ForOp>((*extended).getOperation()); // NOLINT(bugprone-unchecked-optional-access): asserted
  made->setDiscardableAttrs(attributes);
  return made;
}

void yieldLast(scf::ForOp loop, ValueRange values) {
  Operation *yield = loop.getBody()->getTerminator();
  yield->setOperands(yield->getNumOperands() - values.size(), values.size(), values);
}

void beginAt(Positions &positions, FirstCopies &first) {
  for (const CarriedPosition &carried : first.positions) {
    Position at = positions.after(carried.steps);
    first.inner.getInitArgsMutable()[carried.slot].assign(at.slot);
    first.inner.getInitArgsMutable()[carried.phase].assign(at.phase);
  }
}

Position endOf(FirstCopies &first) {
  const auto *start =
      llvm::find_if(first.positions, [](const CarriedPosition &position) { return position.steps == 0; });
  return {first.inner.getResult(start->slot), first.inner.getResult(start->phase)};
}

} // namespace tilewright::tilegpu
