#include "tilewright/Layout/Gather.h"

#include "tilewright/Layout/Algebra.h"

#include <algorithm>

namespace tilewright::layout {

int GatherPlan::registerBits() const {
  return static_cast<int>(
      std::count_if(bits.begin(), bits.end(), [](const ScanStep &bit) { return bit.in == kRegister; }));
}

/// The layout without the coordinate along the dimension.
static LinearLayout across(const LinearLayout &layout, int dim) {
  std::vector<std::string_view> ins, outs;
  for (const Dim &in : layout.ins()) {
    ins.push_back(in.name);
  }
  for (const Dim &out : layout.outs()) {
    outs.push_back(out.name);
  }
  outs.erase(outs.begin() + dim);
  return sublayout(layout, ins, outs);
}

GatherPlan planGather(const LinearLayout &source, const LinearLayout &indices, int dim) {
  ScanPlan along = planScan(source, dim);
  bool isInWarp = along.isComplete && std::all_of(along.steps.begin(), along.steps.end(), [](const ScanStep &step) {
                    return step.in == kRegister || step.in == kLane;
                  });
  LinearLayout from = across(source, dim), to = across(indices, dim);
  for (std::string_view in : {kLane, kWarp, kBlock}) {
    isInWarp = isInWarp && from.columnsOf(in) == to.columnsOf(in);
  }
  if (!isInWarp) {
    return {};
  }
  GatherPlan plan{true, along.steps, {0}};
  Span registers(from.columnsOf(kRegister));
  for (uint64_t column : to.columnsOf(kRegister)) {
    std::optional<uint64_t> found = registers.express(column);
    if (!found) {
      return {};
    }
    for (size_t i = 0, known = plan.registers.size(); i < known; ++i) {
      plan.registers.push_back(plan.registers[i] ^ static_cast<int>(*found));
    }
  }
  return plan;
}

} // namespace tilewright::layout
