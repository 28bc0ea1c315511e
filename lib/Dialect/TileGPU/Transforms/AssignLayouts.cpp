// assign-layouts: gives every tile a layout, the same for equal shapes. See Passes.td.

#include "BlockedLayout.h"
#include "tilewright/Dialect/TileGPU/IR/LayoutRules.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::LinearLayout;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

namespace {

class AssignLayouts : public tilegpu::impl::AssignLayoutsBase<AssignLayouts> {
public:
  using AssignLayoutsBase::AssignLayoutsBase;

  void runOnOperation() override {
    if (failed(noteTarget())) {
      return signalPassFailure();
    }
    SmallVector<Operation *> ops;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      giveDefaults(op);
    }
    for (Operation *op : ops) {
      keepRules(op);
    }
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      updateType(function);
    }
  }

private:
  LogicalResult noteTarget() {
    ModuleOp module = getOperation();
    const hardware::GpuInfo *info = hardware::lookupGpu(target);
    if (!info) {
      return module.emitError() << "unknown target '" << target << "'";
    }
    int most = info->warpsPerBlock();
    if (numWarps < 1 || numWarps > most || !llvm::isPowerOf2_32(numWarps)) {
      return module.emitError() << "num_warps must be a power of two from 1 to " << most << ", not " << int(numWarps);
    }
    Builder builder(module.getContext());
    module->setAttr(TileGPUDialect::kTargetAttr, builder.getStringAttr(info->name));
    module->setAttr(TileGPUDialect::kNumWarpsAttr, builder.getI32IntegerAttr(numWarps));
    module->setAttr(TileGPUDialect::kDefaultNumStagesAttr, builder.getI32IntegerAttr(numStages));
    return success();
  }

  Type withDefault(Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile || getLayout(type)) {
      return type;
    }
    layout::Shape shape(tile.getShape());
    LinearLayout map =
        blockedLayout(shape, layout::rowMajorOrder(static_cast<int>(shape.size())), 1, threadsOf(getOperation()));
    return withLayout(tile, map);
  }

  void giveDefaults(Operation *op) {
    for (Value result : op->getResults()) {
      result.setType(withDefault(result.getType()));
    }
    for (Region &region : op->getRegions()) {
      for (BlockArgument argument : region.getArguments()) {
        argument.setType(withDefault(argument.getType()));
      }
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue())) {
        constant.setValueAttr(elements.reshape(cast<ShapedType>(constant.getType())));
      }
    }
  }

  /// A function takes and returns tiles in the layouts that all tiles of their shapes have now; no later pass changes
  /// these.
  static void updateType(func::FuncOp function) {
    if (!function.isDeclaration()) {
      Operation *end = function.front().getTerminator();
      function.setType(
          FunctionType::get(function.getContext(), function.front().getArgumentTypes(), end->getOperandTypes()));
    }
  }

  /// Converts operands to the layouts that the results require, or results from the layouts that the operands
  /// determine.
  void keepRules(Operation *op) {
    auto tiles = llvm::make_filter_range(op->getResults(), [](Value v) { return isa<RankedTensorType>(v.getType()); });
    for (OpOperand &operand : op->getOpOperands()) {
      if (tiles.empty() || !isa<RankedTensorType>(operand.get().getType())) {
        continue;
      }
      if (auto wanted = operandLayout(operand, mapOf(*tiles.begin()))) {
        operand.set(converted(op, operand.get(), *wanted));
      } else if (auto given = resultLayout(operand, mapOf(operand.get()))) {
        convertResults(op, *given);
      }
    }
  }

  Value converted(Operation *before, Value value, const LinearLayout &map) {
    if (mapOf(value) == map) {
      return value;
    }
    OpBuilder builder(before);
    return ConvertLayoutOp::create(builder, before->getLoc(), withLayout(cast<RankedTensorType>(value.getType()), map),
                                   value);
  }

  void convertResults(Operation *op, const LinearLayout &map) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults()) {
      Type wanted = result.getType();
      if (!isa<RankedTensorType>(wanted) || mapOf(wanted) == map) {
        continue;
      }
      result.setType(withLayout(cast<RankedTensorType>(wanted), map));
      auto convert = ConvertLayoutOp::create(builder, op->getLoc(), wanted, result);
      result.replaceAllUsesExcept(convert, convert);
    }
  }
};

} // namespace
