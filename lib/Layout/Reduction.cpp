#include "tilewright/Layout/Reduction.h"

#include <utility>

namespace tilewright::layout {

ReductionPlan planReduction(const LinearLayout &layout, int dim) {
  std::string name = dimName(dim);
  uint64_t along = (static_cast<uint64_t>(layout.outSize(name)) - 1) << layout.outStart(name);
  ReductionPlan plan;
  Span met; // coordinates along the dimension that earlier steps cover
  for (auto [in, masks] :
       {std::pair(kRegister, &plan.registers), {kLane, &plan.lanes}, {kWarp, &plan.warps}, {kBlock, &plan.blocks}}) {
    Columns columns = layout.columnsOf(in), across;
    for (uint64_t column : columns) {
      across.push_back(column & ~along);
    }
    for (uint64_t mask : kernel(across)) {
      if (met.add(multiply(columns, mask))) {
        masks->push_back(static_cast<uint32_t>(mask));
      }
    }
  }
  plan.isComplete = met.rank() == layout.outBits(name);
  return plan;
}

ScanPlan planScan(const LinearLayout &layout, int dim) {
  std::string name = dimName(dim);
  int bits = layout.outBits(name), start = layout.outStart(name);
  uint64_t along = (static_cast<uint64_t>(layout.outSize(name)) - 1) << start;
  ScanPlan plan;
  plan.steps.resize(bits);
  int found = 0;
  for (const Dim &in : layout.ins()) {
    for (int bit = 0; bit < in.bits; ++bit) {
      uint64_t column = layout.columns()[layout.inStart(in.name) + bit];
      if ((column & along) == 0) {
        continue;
      }
      bool isUnit = (column & (column - 1)) == 0;
      ScanStep &step = plan.steps[__builtin_ctzll(column & along) - start];
      if (!isUnit || !step.in.empty()) {
        return {};
      }
      step = {in.name, bit};
      ++found;
    }
  }
  plan.isComplete = found == bits;
  return plan;
}

} // namespace tilewright::layout
