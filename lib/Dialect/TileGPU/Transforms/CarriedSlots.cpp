#include "CarriedSlots.h"

#include "Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tilewright::tilegpu {

/// The index of the slot, if the loop carries it.
static std::optional<unsigned> carriedIndex(LocalSlotOp slot, scf::ForOp loop) {
  auto argument = slot ? dyn_cast<BlockArgument>(slot.getIndex()) : BlockArgument();
  bool isCarried = argument && argument.getOwner() == loop.getBody() && argument != loop.getInductionVar();
  return isCarried ? std::optional(argument.getArgNumber() - loop.getNumInductionVars()) : std::nullopt;
}

/// The slot before the one at which the loop begins: as many steps after it as there are other slots.
static Value slotBefore(RewriterBase &rewriter, LocalSlotOp slot, unsigned number, scf::ForOp loop) {
  Location loc = loop.getLoc();
  int64_t slots = slot.getSrc().getType().getSlots();
  Value index = loop.getInitArgs()[number];
  if (std::optional<int64_t> constant = getConstantIntValue(index)) {
    return arith::ConstantIntOp::create(rewriter, loc, (*constant + slots - 1) % slots, 32);
  }
  Value phase = arith::ConstantIntOp::create(rewriter, loc, 0, 1); // which nothing reads
  for (int64_t step = 1; step < slots; ++step) {
    index = RingNextOp::create(rewriter, loc, index.getType(), phase.getType(), index, phase,
                               rewriter.getI64IntegerAttr(slots))
                .getNext();
  }
  return index;
}

void CarriedSlots::carry(ArrayRef<Value> buffers) {
  for (Value buffer : buffers) {
    auto slot = buffer.getDefiningOp<LocalSlotOp>();
    std::optional<unsigned> number = carriedIndex(slot, loop);
    if (!number || previous.contains(*number)) {
      continue;
    }
    rewriter.setInsertionPoint(loop);
    Value init = slotBefore(rewriter, slot, *number, loop);
    Value index = slot.getIndex();
    FailureOr<LoopLikeOpInterface> extended = loop.replaceWithAdditionalYields(
        rewriter, init, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return SmallVector<Value>{index}; });
    loop = cast<scf::ForOp>(extended->getOperation());
    previous[*number] = loop.getRegionIterArgs().back();
  }
}

SmallVector<Value> CarriedSlots::before(ArrayRef<Value> buffers, Location loc) {
  llvm::SetVector<Value> slots;
  for (Value buffer : buffers) {
    auto slot = buffer.getDefiningOp<LocalSlotOp>();
    std::optional<unsigned> number = carriedIndex(slot, loop);
    slots.insert(number ? LocalSlotOp::create(rewriter, loc, slot.getType(), slot.getSrc(), previous.at(*number),
                                              /*phase=*/Value())
                              .getResult()
                        : allocationOf(buffer).getResult());
  }
  return slots.takeVector();
}

} // namespace tilewright::tilegpu
