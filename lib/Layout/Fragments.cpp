#include "tilewright/Layout/Fragments.h"

#include "tilewright/Layout/Algebra.h"

#include <cassert>

namespace tilewright::layout {

static LinearLayout along(std::string_view in, int dim, int64_t size) {
  return LinearLayout::identity(in, dimName(dim), size);
}

LinearLayout fragment(const FragmentPattern &pattern, const Shape &shape) {
  LinearLayout core = unitTile(static_cast<int>(shape.size())) * along(kRegister, pattern.dim, pattern.contiguous);
  for (const LaneRun &run : pattern.lanes) {
    core = core * along(kLane, run.dim, run.lanes);
  }
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    assert(shape[dim] % core.outSize(dimName(static_cast<int>(dim))) == 0 && "the matrix consists of whole patterns");
  }
  return fitToShape(core, shape, {0, 1});
}

/// Distributes warps over the operand; those along the dimension that the operand lacks hold replicas.
static LinearLayout spreadWarps(Operand operand, const Shape &warps, const Order &order) {
  LinearLayout spread;
  for (int dim : order) {
    bool lacks = (operand == Operand::A && dim == 1) || (operand == Operand::B && dim == 0);
    spread = spread * (lacks ? LinearLayout::zeros(kWarp, warps[dim], dimName(dim)) : along(kWarp, dim, warps[dim]));
  }
  return spread;
}

LinearLayout mmaOperand(Operand operand, const LinearLayout &fragment, const Shape &shape, const Shape &warps,
                        const Order &warpOrder) {
  Order registers = operand == Operand::B ? Order{0, 1} : Order{1, 0};
  return fitToShape(fragment * spreadWarps(operand, warps, warpOrder), shape, registers);
}

} // namespace tilewright::layout
