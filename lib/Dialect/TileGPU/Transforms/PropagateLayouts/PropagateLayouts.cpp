// propagate-layouts: chooses layouts that minimize the cost of the whole function. See Passes.td.

#include "Choose.h"
#include "Rewrite.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_PROPAGATELAYOUTS
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

/// Prints a line for each conversion, memory access and reduction: cost, number of executions, operation.
static void printTable(Operation *root, raw_ostream &os) {
  CostModel model(root);
  Cost sum = 0;
  auto print = [&](Operation *op, Cost cost, StringRef what) {
    Cost times = model.times(op->getBlock());
    sum += cost * times / CostModel::kOnce;
    os << llvm::format("%8lld x %-6g %s\n", static_cast<long long>(cost), double(times) / CostModel::kOnce,
                       what.data());
  };
  root->walk([&](Operation *op) {
    if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
      Type element = convert.getType().getElementType();
      print(op, model.conversion(element, getLayout(convert.getSrc()), getLayout(convert.getResult())),
            op->getName().getStringRef());
    } else if (isa<tile::MemoryAccessOpInterface, tile::ReduceOp>(op) && getLayout(op->getOperand(0))) {
      print(op, model.operation(op, getLayout(op->getOperand(0))), op->getName().getStringRef());
    }
  });
  os << llvm::format("%8lld in all\n", static_cast<long long>(sum));
}

namespace {
class PropagateLayouts : public tilegpu::impl::PropagateLayoutsBase<PropagateLayouts> {
public:
  using PropagateLayoutsBase::PropagateLayoutsBase;

  void runOnOperation() override {
    CostModel model(getOperation());
    LayoutGraph graph(getOperation());
    Labels labels = chooseLabels(graph, model);
    applyLabels(getOperation(), graph, labels);
    if (printCosts) {
      printTable(getOperation(), llvm::errs());
    }
  }
};
} // namespace
