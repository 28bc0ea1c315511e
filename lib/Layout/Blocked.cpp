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
  LinearLayout slice = insertDim(dropDim(accumulators, 1 - operand), 1 - operand);
  return unitTile(2) * LinearLayout::identity(kRegister, dimName(1 - operand), k) * slice;
}

} // namespace tilewright::layout
