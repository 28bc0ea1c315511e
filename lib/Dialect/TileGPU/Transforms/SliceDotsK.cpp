// slice-dots-k: slices dots along K, and loads operands one slice ahead. See Passes.td.
//
//     %a = local_load %x                 %a0 = local_load %x from 0, 0
//     %b = local_load %y                 %b0 = local_load %y from 0, 0
//     %d = mma %a, %b, %c         =      %a1 = local_load %x from 0, 16
//                                        %b1 = local_load %y from 16, 0
//                                        %c1 = mma %a0, %b0, %c
//                                        %d = mma %a1, %b1, %c1

#include "OperandPath.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"
#include "tilewright/Hardware/NvidiaInstructions.h"
#include "tilewright/Layout/Shape.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::LinearLayout;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_SLICEDOTSK
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

namespace {
/// The path of a dot's operand, and the dimension along which it is sliced.
struct Operand {
  SmallVector<Operation *> path;
  int k;
};
} // namespace

/// Whether slices of `size` along a dimension differ only in registers.
static bool isCutByRegisters(const LinearLayout &map, int dim, int64_t size) {
  for (const layout::Dim &in : map.ins()) {
    for (int bit = 0; bit < in.bits; ++bit) {
      layout::LinearLayout::Point image = map.unpackOut(map.columnsOf(in.name)[bit]);
      bool isOutside = image[dim] >= size;
      bool isAlone = llvm::count_if(image, [](int64_t at) { return at != 0; }) == 1 && image[dim] >= size;
      if (isOutside && (in.name != layout::kRegister || !isAlone)) {
        return false;
      }
    }
  }
  return true;
}

/// The type of a slice of `size` along `dim`.
static RankedTensorType partOf(RankedTensorType type, int dim, int64_t size) {
  layout::Shape shape(type.getShape());
  shape[dim] = size;
  LinearLayout map = layout::fitToShape(mapOf(type), shape, layout::rowMajorOrder(static_cast<int>(shape.size())));
  return withLayout(RankedTensorType::get(shape, type.getElementType(), type.getEncoding()), map);
}

/// The dimension of an operation's operand that becomes `dim` of its result; none for a reshape.
static std::optional<int> dimBefore(Operation *op, int dim) {
  if (auto trans = dyn_cast<tile::TransOp>(op)) {
    return trans.getOrder()[dim];
  }
  return isa<tile::ReshapeOp>(op) ? std::nullopt : std::optional(dim);
}

/// Whether each tile on the path can be sliced into steps of `size`.
static bool canBeCut(const Operand &operand, int64_t size) {
  int dim = operand.k;
  for (Operation *op : llvm::reverse(operand.path)) {
    if (!isCutByRegisters(mapOf(op->getResult(0)), dim, size)) {
      return false;
    }
    std::optional<int> before = dimBefore(op, dim);
    if (!before) {
      return false;
    }
    dim = *before;
  }
  return cast<LocalLoadOp>(operand.path.front()).getStart() == std::nullopt;
}

/// Emits slice `number` of an operand.
static Value emitStep(OpBuilder &builder, const Operand &operand, ArrayRef<Operation *> path, int dim, int64_t number,
                      int64_t size) {
  Operation *op = path.back();
  auto type = partOf(cast<RankedTensorType>(op->getResult(0).getType()), dim, size);
  if (auto load = dyn_cast<LocalLoadOp>(op)) {
    SmallVector<int64_t> start(type.getRank());
    start[dim] = number * size;
    return LocalLoadOp::create(builder, op->getLoc(), type, load.getBuffer(), builder.getDenseI64ArrayAttr(start));
  }
  IRMapping mapping;
  mapping.map(op->getOperand(0), emitStep(builder, operand, path.drop_back(), *dimBefore(op, dim), number, size));
  Value result = builder.clone(*op, mapping)->getResult(0);
  result.setType(type);
  return result;
}

static Value emitStep(OpBuilder &builder, const Operand &operand, int64_t number, int64_t size) {
  return emitStep(builder, operand, operand.path, operand.k, number, size);
}

/// Each step loads the operands of the next one, so that no dot waits for its operands.
static void emitSteps(MmaOp op, const Operand &a, const Operand &b, int64_t count, int64_t size) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value sum = op.getAcc();
  Value left = emitStep(builder, a, 0, size), right = emitStep(builder, b, 0, size);
  for (int64_t number = 1; number <= count; ++number) {
    Value nextLeft, nextRight;
    if (number < count) {
      nextLeft = emitStep(builder, a, number, size);
      nextRight = emitStep(builder, b, number, size);
    }
    sum = MmaOp::create(builder, loc, op.getType(), left, right, sum, op.getInstructionAttr());
    left = nextLeft;
    right = nextRight;
  }
  op.replaceAllUsesWith(sum);
  op.erase();
  for (Operation *step : llvm::concat<Operation *const>(llvm::reverse(a.path), llvm::reverse(b.path))) {
    step->erase();
  }
}

static void slice(MmaOp op) {
  RankedTensorType type = op.getA().getType();
  int rank = static_cast<int>(type.getRank());
  int64_t size = hardware::lookupMma(op.getInstruction())->shape.k;
  int64_t count = type.getDimSize(rank - 1) / size;
  Operand a = {pathFromShared(op.getA(), op->getBlock()), rank - 1};
  Operand b = {pathFromShared(op.getB(), op->getBlock()), rank - 2};
  if (count > 1 && !a.path.empty() && !b.path.empty() && canBeCut(a, size) && canBeCut(b, size)) {
    emitSteps(op, a, b, count, size);
  }
}

namespace {
class SliceDotsK : public tilegpu::impl::SliceDotsKBase<SliceDotsK> {
  void runOnOperation() override {
    SmallVector<MmaOp> products;
    getOperation()->walk([&](MmaOp op) { products.push_back(op); });
    llvm::for_each(products, slice);
  }
};
} // namespace
