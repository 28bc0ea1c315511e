// stage-group-operands: puts operands of group_mma into shared memory. See Passes.td.
//
//     %t = trans %x                             %b = local_alloc
//     %r = group_mma %p, %t, %acc      =        local_store %x, %b
//                                               %r = group_mma %p, %b transposed, %acc

#include "GroupOperands.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"
#include "tilewright/Layout/Shared.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_STAGEGROUPOPERANDS
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

/// The dimension along which threads hold adjacent elements.
static int fastestInRegisters(Value tile) {
  const layout::LinearLayout &map = mapOf(tile);
  for (uint64_t column : map.columnsOf(layout::kRegister)) {
    if (column != 0) {
      return map.unpackOut(column)[0] != 0 ? 0 : 1;
    }
  }
  return 1;
}

/// The dimension of the source along which the buffer's rows are. `k` is the source's dimension of the products' sums.
static int rowsAlong(const OperandSource &source, int k, bool takesTransposed) {
  if (!takesTransposed) {
    return k;
  }
  auto type = cast<RankedTensorType>(source.tile.getType());
  int along = source.fastest.value_or(fastestInRegisters(source.tile));
  return swizzleOf(type.getDimSize(along) * bytesOf(type.getElementType())) ? along : 1 - along;
}

namespace {
class StageGroupOperands : public tilegpu::impl::StageGroupOperandsBase<StageGroupOperands> {
  void runOnOperation() override {
    SmallVector<GroupMmaOp> products;
    getOperation()->walk([&](GroupMmaOp op) { products.push_back(op); });
    for (GroupMmaOp op : products) {
      if (!op.getRegisterA()) {
        op.setTransposedA(stage(op, op.getAMutable(), /*k=*/1));
      }
      op.setTransposedB(stage(op, op.getBMutable(), /*k=*/0));
    }
  }

  /// Replaces the operand by a buffer; returns whether that holds the transposed matrix.
  bool stage(GroupMmaOp op, OpOperand &operand, int k) {
    OperandSource source(operand.get());
    bool takesTransposed = hardware::lookupGroupMma(op.getInstruction())->takesTransposed;
    int along = rowsAlong(source, source.dimOf(k), takesTransposed);
    Value &buffer = buffers[{source.tile, along}];
    if (!buffer) {
      buffer = store(source.tile, along);
    }
    operand.set(buffer);
    return source.isTransposed;
  }

  /// Stores the tile where it is computed, so that operations which have it in common share the buffer.
  static Value store(Value tile, int along) {
    OpBuilder builder(tile.getContext());
    builder.setInsertionPointAfterValue(tile);
    auto type = cast<RankedTensorType>(tile.getType());
    int64_t bytes = bytesOf(type.getElementType());
    int swizzle = *swizzleOf(type.getDimSize(along) * bytes);
    layout::LinearLayout map = layout::nvmmaShared(layout::Shape(type.getShape()), static_cast<int>(8 * bytes), swizzle,
                                                   /*transposed=*/along == 0);
    auto bufferType = BufferType::get(type, LayoutAttr::get(tile.getContext(), map));
    Value buffer = LocalAllocOp::create(builder, tile.getLoc(), bufferType, IntegerAttr());
    LocalStoreOp::create(builder, tile.getLoc(), tile, buffer);
    return buffer;
  }

  llvm::DenseMap<std::pair<Value, int>, Value> buffers;
};
} // namespace
