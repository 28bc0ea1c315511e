#include "CarriedSlots.h"

#include "Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tilewright::tilegpu {

/// The index of the slot, if the loop carries it from slot 0 on.
static std::optional<unsigned> carriedIndex(LocalSlotOp slot, scf::ForOp loop) {
  auto argument = slot ? dyn_cast<BlockArgument>(slot.getIndex()) : BlockArgument();
  if (!argument || argument.getOwner() != loop.getBody() || argument == loop.getInductionVar()) {
    return std::nullopt;
  }
  unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
  return getConstantIntValue(loop.getInitArgs()[number]) == 0 ? std::optional(number) : std::nullopt;
}

void CarriedSlots::carry(ArrayRef<Value> buffers) {
  for (Value buffer : buffers) {
    auto slot = buffer.getDefiningOp<LocalSlotOp>();
    std::optional<unsigned> number = carriedIndex(slot, loop);
    if (!number || previous.contains(*number)) {
      continue;
    }
    rewriter.setInsertionPoint(loop);
    int64_t slots = slot.getSrc().getType().getSlots();
    Value init = arith::ConstantIntOp::create(rewriter, loop.getLoc(), slots - 1, 32);
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
