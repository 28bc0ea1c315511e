#include "tilewright/Dialect/TileGPU/Transforms/Decisions.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tilewright::tilegpu {

bool collectsDecisions(Operation *op) { return op->getContext()->getRemarkEngine() != nullptr; }

Operation *loopAround(Operation *op) {
  while (op && !isa<LoopLikeOpInterface>(op)) {
    op = op->getParentOp();
  }
  return op;
}

void stateRejected(Operation *op, StringRef choice, const Twine &reason) {
  if (!collectsDecisions(op)) {
    return;
  }
  auto remark = remark::missed(op->getLoc(), remark::RemarkOpts::name(choice).category(kScheduleCategory));
  if (Operation *loop = loopAround(op)) {
    remark << remark::detail::Remark::Arg(kLoopArgument, static_cast<Attribute>(loop->getLoc()));
  }
  remark << StringRef(reason.str());
}

} // namespace tilewright::tilegpu
