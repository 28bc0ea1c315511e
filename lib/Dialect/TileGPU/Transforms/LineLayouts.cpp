#include "LineLayouts.h"

#include "tilewright/Layout/Blocked.h"

using namespace mlir;

namespace tilewright::tilegpu {

using layout::LinearLayout;

LinearLayout linesInWarps(const layout::Shape &shape, int dim, Threads threads) {
  layout::BlockedParameters parameters;
  parameters.order = {dim};
  for (int other = static_cast<int>(shape.size()); other-- > 0;) {
    if (other != dim) {
      parameters.order.push_back(other);
    }
  }
  parameters.sizePerThread.assign(shape.size(), 1);
  parameters.threadsPerWarp = parameters.warpsPerBlock = parameters.sizePerThread;
  int64_t lanes = threads.lanes / std::min<int64_t>(threads.lanes, shape[dim]), warps = threads.warps;
  parameters.threadsPerWarp[dim] = threads.lanes / lanes;
  parameters.sizePerThread[dim] = shape[dim] / parameters.threadsPerWarp[dim];
  for (int other : llvm::drop_begin(parameters.order)) {
    int64_t here = std::min(lanes, shape[other]);
    parameters.threadsPerWarp[other] = here;
    lanes /= here;
    here = std::min(warps, shape[other] / here);
    parameters.warpsPerBlock[other] = here;
    warps /= here;
  }
  // Remaining lanes and warps are placed beyond the end of `dim`, where layouts wrap around: they hold replicas.
  parameters.threadsPerWarp[dim] *= lanes;
  parameters.warpsPerBlock[dim] *= warps;
  return layout::blocked(shape, parameters);
}

LinearLayout withPartials(const LinearLayout &map, int dim, int64_t size, bool inRegisters) {
  LinearLayout expanded = layout::insertDim(map, dim);
  std::vector<layout::Dim> ins = expanded.ins(), outs = expanded.outs();
  outs[dim].bits = layout::log2Exact(size);
  LinearLayout wide(ins, outs, layout::Columns(expanded.totalInBits()));
  uint64_t unit = uint64_t(1) << wide.outStart(outs[dim].name), end = unit * size;
  layout::Columns ofThreads, ofRegisters;
  for (const layout::Dim &in : ins) {
    for (uint64_t column : expanded.columnsOf(in.name)) {
      column = layout::repack(column, expanded.outs(), outs);
      if (in.name == layout::kLane && column == 0 && !inRegisters && unit < end) {
        column = unit;
        unit *= 2;
      }
      (in.name == layout::kRegister ? ofRegisters : ofThreads).push_back(column);
    }
  }
  layout::Columns columns;
  for (; unit < end; unit *= 2) {
    columns.push_back(unit);
  }
  llvm::append_range(columns, ofRegisters);
  ins.front().bits = static_cast<int>(columns.size());
  llvm::append_range(columns, ofThreads);
  return {ins, outs, columns};
}

} // namespace tilewright::tilegpu
