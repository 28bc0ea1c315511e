#include "tilewright/Layout/Blocked.h"

#include "tilewright/Layout/Algebra.h"

namespace tilewright::layout {

LinearLayout blocked(const Shape &shape, const BlockedParameters &parameters) {
  LinearLayout tile = unitTile(static_cast<int>(shape.size()));
  auto spread = [&](std::string_view in, const Shape &counts) {
    for (int dim : parameters.order) {
      tile = tile * LinearLayout::identity(in, dimName(dim), counts[dim]);
    }
  };
  spread(kRegister, parameters.sizePerThread);
  spread(kLane, parameters.threadsPerWarp);
  spread(kWarp, parameters.warpsPerBlock);
  return fitToShape(tile, shape, parameters.order);
}

LinearLayout multiplyAddOperand(const LinearLayout &accumulators, int operand, int64_t k) {
  int rank = static_cast<int>(accumulators.outs().size()), dim = rank - 1 - operand;
  LinearLayout slice = insertDim(dropDim(accumulators, dim), dim);
  return unitTile(rank) * LinearLayout::identity(kRegister, dimName(dim), k) * slice;
}

} // namespace tilewright::layout
