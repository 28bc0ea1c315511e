#include "Turn.h"

using namespace mlir;

namespace tilewright::tilegpu {

std::optional<Turn> Turn::of(scf::ForOp loop) {
  Turn turn;
  for (auto op : loop.getBody()->getOps<GroupMmaOp>()) {
    bool isSum = isa<RankedTensorType>(op.getA().getType());
    if (!op.getAsync() || turn.sum || (isSum && !turn.lastScoreDot)) {
      return std::nullopt;
    }
    (isSum ? turn.sum : turn.lastScoreDot) = op;
  }
  return turn.sum ? std::optional(turn) : std::nullopt;
}

} // namespace tilewright::tilegpu
