#include "tilewright/Dialect/Tile/Transforms/Decisions.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tilewright {

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

void stateNotPersistent(Operation *scope, StringRef reason) {
  scope->walk([&](tile::DotOp dot) {
    stateRejected(dot, "persistent programs", reason);
    return WalkResult::interrupt();
  });
}

} // namespace tilewright
