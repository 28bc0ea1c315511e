#include "DotLayouts.h"

#include "tilewright/Layout/Algebra.h"
#include "tilewright/Layout/Blocked.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace tilewright::tilegpu {

using hardware::MmaInstruction;
using layout::LinearLayout;
using layout::Operand;

WarpGrid chooseWarpGrid(const DotShape &shape, layout::MmaShape unit, int warps, bool rowsOnly) {
  WarpGrid best{std::min<int64_t>(shape.batch, warps), 0, 0};
  int64_t rest = warps / best.batch;
  std::optional<std::tuple<int64_t, int64_t>> least;
  for (int64_t alongM = rest; alongM >= 1; alongM /= 2) {
    int64_t m = std::max(unit.m, shape.m / alongM), n = std::max(unit.n, shape.n / (rest / alongM));
    std::tuple cost(m * n, rowsOnly ? 0 : m + n);
    if (!least || cost < *least) {
      least = cost;
      best.m = alongM;
      best.n = rest / alongM;
    }
  }
  return best;
}

/// Extends the layout of one matrix to the batch: over warps, then over registers.
static LinearLayout batched(const LinearLayout &matrix, const DotShape &shape, int64_t warps) {
  if (shape.rank == 2) {
    return matrix;
  }
  std::string batch = layout::dimName(0);
  return layout::insertDim(matrix, 0) * LinearLayout::identity(layout::kWarp, batch, warps) *
         LinearLayout::identity(layout::kRegister, batch, shape.batch / warps);
}

DotLayouts mmaLayouts(const DotShape &shape, const MmaInstruction &row, WarpGrid grid) {
  auto operand = [&](Operand which, const layout::Shape &matrix) {
    LinearLayout tiled = layout::mmaOperand(which, row.operand(which).fragment, matrix, {grid.m, grid.n});
    return batched(tiled, shape, grid.batch);
  };
  return {operand(Operand::A, {shape.m, shape.k}), operand(Operand::B, {shape.k, shape.n}),
          operand(Operand::C, {shape.m, shape.n})};
}

/// The sides of the rectangle of contiguous accumulators that a thread holds.
static std::pair<int64_t, int64_t> perThreadTile(const DotShape &shape, int64_t most) {
  constexpr int64_t kSide = 4;
  int64_t m = std::min(kSide, shape.m), n = std::min(kSide, shape.n);
  while (m * n > most) {
    (m >= n ? m : n) /= 2;
  }
  return {m, n};
}

DotLayouts multiplyAddLayouts(const DotShape &shape, Threads threads) {
  constexpr int64_t kLanesAlongN = 8;
  int64_t lanes = threads.lanes;
  int64_t elements = shape.batch * shape.m * shape.n;
  auto [m, n] = perThreadTile(shape, std::max<int64_t>(1, elements / threads.count()));
  int64_t lanesN = std::min(kLanesAlongN, shape.n / n);
  int64_t lanesM = std::min(lanes / lanesN, shape.m / m);
  lanesN = lanes / lanesM;
  WarpGrid grid = chooseWarpGrid(shape, {m * lanesM, n * lanesN, 1}, threads.warps, /*rowsOnly=*/false);
  layout::BlockedParameters parameters;
  parameters.sizePerThread = {1, m, n};
  parameters.threadsPerWarp = {1, lanesM, lanesN};
  parameters.warpsPerBlock = {grid.batch, grid.m, grid.n};
  parameters.order = {2, 1, 0};
  LinearLayout accumulator = layout::blocked({shape.batch, shape.m, shape.n}, parameters);
  if (shape.rank == 2) {
    accumulator = layout::dropDim(accumulator, 0);
  }
  return {layout::multiplyAddOperand(accumulator, 0, shape.k), layout::multiplyAddOperand(accumulator, 1, shape.k),
          accumulator};
}

} // namespace tilewright::tilegpu
