// Registration of the tilegpu dialect, and helpers for its types.

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "tilewright/Dialect/TileGPU/IR/LayoutRules.h"
#include "tilewright/Dialect/TileGPU/IR/TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

#include "tilewright/Dialect/TileGPU/IR/TileGPUDialect.cpp.inc"

#define GET_OP_CLASSES
#include "tilewright/Dialect/TileGPU/IR/TileGPUOps.cpp.inc"

namespace {
/// Prints layouts, which are long, as aliases at the top of the module.
struct LayoutAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attr, raw_ostream &os) const final {
    auto layout = dyn_cast<LayoutAttr>(attr);
    if (!layout) {
      return AliasResult::NoAlias;
    }
    os << (layout.isShared() ? "shared" : "layout");
    return AliasResult::FinalAlias;
  }
};
} // namespace

Operation *TileGPUDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

void TileGPUDialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "tilewright/Dialect/TileGPU/IR/TileGPUOps.cpp.inc"
      >();
  addInterfaces<LayoutAliases>();
  attachLayoutRules(getContext()); // the tile dialect, on which this one depends, is loaded
}

/// A schedule is on all operations of a loop's body or on none, as the loop is expanded as a whole.
static LogicalResult verifySchedule(Operation *op, Attribute attr) {
  if (!isa<ScheduleAttr>(attr)) {
    return op->emitOpError("needs a #tilegpu.schedule, not ") << attr;
  }
  if (!isa_and_nonnull<LoopLikeOpInterface>(op->getParentOp())) {
    return op->emitOpError("has a schedule, but is not in the body of a loop");
  }
  for (Operation *other : {op->getPrevNode(), op->getNextNode()}) {
    if (other && !other->hasTrait<OpTrait::IsTerminator>() && !other->hasAttr(TileGPUDialect::kScheduleAttr)) {
      return other->emitOpError("needs a schedule, as other operations of the loop have one");
    }
  }
  return success();
}

LogicalResult TileGPUDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  if (attr.getName() == kScheduleAttr) {
    return verifySchedule(op, attr.getValue());
  }
  if (attr.getName() == kTensorMapsAttr) {
    return verifyTensorMaps(op);
  }
  if (attr.getName() == kPartitionAttr) {
    auto number = dyn_cast<IntegerAttr>(attr.getValue());
    return number && number.getInt() >= 0 ? success() : op->emitOpError("needs a partition of at least 0");
  }
  return success();
}

namespace tilewright::tilegpu {

LayoutAttr getLayout(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? dyn_cast_or_null<LayoutAttr>(tile.getEncoding()) : LayoutAttr();
}

const layout::LinearLayout &mapOf(Type type) { return getLayout(type).getMap(); }

Type withLayout(Type type, LayoutAttr layout) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? RankedTensorType::get(tile.getShape(), tile.getElementType(), layout) : type;
}

RankedTensorType withLayout(RankedTensorType type, const layout::LinearLayout &map) {
  return cast<RankedTensorType>(withLayout(type, LayoutAttr::get(type.getContext(), map)));
}

void setLayout(Value tile, LayoutAttr layout) {
  tile.setType(withLayout(tile.getType(), layout));
  auto constant = tile.getDefiningOp<arith::ConstantOp>();
  if (auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr()) {
    constant.setValueAttr(elements.reshape(cast<ShapedType>(tile.getType())));
  }
}

/// Neither the tile dialect's nor LLVM's pointer type has a bit width; a pointer takes eight bytes.
int64_t bytesOf(Type element) { return element.isIntOrFloat() ? (element.getIntOrFloatBitWidth() + 7) / 8 : 8; }

int64_t registersOf(Value value) {
  constexpr int64_t kRegisterBytes = 4;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  LayoutAttr layout = getLayout(value);
  return type && layout && !layout.isShared()
             ? llvm::divideCeil(layout.registers() * bytesOf(type.getElementType()), kRegisterBytes)
             : 0;
}

static int moduleNumber(Operation *op, StringRef name, int otherwise) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  auto attr = module->getAttrOfType<IntegerAttr>(name);
  return attr ? static_cast<int>(attr.getInt()) : otherwise;
}

int numWarps(Operation *op) { return moduleNumber(op, TileGPUDialect::kNumWarpsAttr, 4); }

int defaultNumStages(Operation *op) { return moduleNumber(op, TileGPUDialect::kDefaultNumStagesAttr, 1); }

int64_t partitionOf(Operation *op) {
  auto partition = op->getAttrOfType<IntegerAttr>(TileGPUDialect::kPartitionAttr);
  return partition ? partition.getInt() : 0;
}

const hardware::GpuInfo &targetOf(Operation *op) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  auto name = module->getAttrOfType<StringAttr>(TileGPUDialect::kTargetAttr);
  const hardware::GpuInfo *info = name ? hardware::lookupGpu(name.getValue()) : nullptr;
  return info ? *info : hardware::gpus().front();
}

Threads threadsOf(Operation *op) { return {targetOf(op).lanesPerWarp, numWarps(op)}; }

Threads launchedThreads(Operation *op) {
  Threads threads = threadsOf(op);
  threads.warps += moduleNumber(op, TileGPUDialect::kProducerWarpsAttr, 0);
  return threads;
}

} // namespace tilewright::tilegpu
