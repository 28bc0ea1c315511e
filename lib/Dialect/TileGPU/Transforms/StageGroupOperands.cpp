// stage-group-operands: puts operands of group_mma into shared memory. See Passes.td.
//
//     %t = trans %x                             %b = local_alloc
//     %r = group_mma %p, %t, %acc      =        local_store %x, %b
//                                               %r = group_mma %p, %b transposed, %acc

#include "GroupOperands.h"
#include "IndexSums.h"
#include "tilewright/Dialect/TileGPU/IR/AccessWidth.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"
#include "tilewright/Hardware/NvidiaInstructions.h"
#include "tilewright/Layout/Algebra.h"
#include "tilewright/Layout/Shared.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// The same in memory, for a load in which threads access single elements: registers need not have its order.
static std::optional<int> fastestInMemory(Value tile) {
  auto load = tile.getDefiningOp<tile::LoadOp>();
  return load && vectorAccessOf(load).elements() == 1 ? contiguousDimOf(load.getPtr()) : std::nullopt;
}

/// The dimension of the source along which the buffer's rows are. `k` is the source's dimension of the products' sums.
static int rowsAlong(const OperandSource &source, int k, bool takesTransposed) {
  if (!takesTransposed) {
    return k;
  }
  auto type = cast<RankedTensorType>(source.tile.getType());
  std::optional<int> fastest = source.fastest ? source.fastest : fastestInMemory(source.tile);
  int along = fastest.value_or(fastestInRegisters(source.tile));
  return swizzleOf(type.getDimSize(along) * bytesOf(type.getElementType())) ? along : 1 - along;
}

static const hardware::GroupMmaInstruction &rowOf(GroupMmaOp op) {
  return *hardware::lookupGroupMma(op.getInstruction());
}

static bool isOfTf32(GroupMmaOp op) { return rowOf(op).a == hardware::ElementType::TF32; }

/// The layout of A in registers that the accumulators' layout determines: a warp group has the same rows of both.
static layout::LinearLayout registersOfA(GroupMmaOp op) {
  auto exchanged = [](const layout::LinearLayout &map, bool isTransposed) {
    return isTransposed ? layout::transposed(map, {1, 0}) : map;
  };
  layout::LinearLayout sums = exchanged(mapOf(op.getResult()), op.getTransposedC());
  int64_t warps = 1, warpsAlongRows = 1;
  for (uint64_t column : sums.columnsOf(layout::kWarp)) {
    warps *= 2;
    warpsAlongRows *= sums.unpackOut(column)[0] != 0 ? 2 : 1;
  }
  auto type = cast<RankedTensorType>(op.getA().getType());
  int64_t rows = type.getDimSize(op.getTransposedA() ? 1 : 0), depth = type.getDimSize(op.getTransposedA() ? 0 : 1);
  const hardware::GroupMmaInstruction &row = rowOf(op);
  constexpr int64_t kAnyColumns = 8;
  return exchanged(hardware::wgmmaOperand(layout::Operand::A, row.operand(layout::Operand::A, kAnyColumns),
                                          {rows, depth}, {warpsAlongRows, warps / warpsAlongRows}),
                   op.getTransposedA());
}

/// Lets the instruction read A from registers, where it is rounded. The conversion is where A is computed, so that an
/// asynchronous copy can replace a load, and not in a loop without need.
static void moveToRegisters(GroupMmaOp op) {
  Value a = op.getA();
  OpBuilder builder(op.getContext());
  builder.setInsertionPointAfterValue(a);
  auto type = withLayout(cast<RankedTensorType>(a.getType()), registersOfA(op));
  op.getAMutable().assign(ConvertLayoutOp::create(builder, a.getLoc(), type, a));
  op.setRegisterA(true);
}

/// Whether a tile is rounded before an instruction cuts off what tf32 lacks. A loaded one is not, so that it can be
/// copied asynchronously; one that is converted from fewer bits need not.
static bool mustRound(Value tile) {
  return !isa_and_nonnull<tile::LoadOp, arith::ExtFOp, tile::SplatOp>(tile.getDefiningOp());
}

namespace {
class StageGroupOperands : public tilegpu::impl::StageGroupOperandsBase<StageGroupOperands> {
  void runOnOperation() override {
    SmallVector<GroupMmaOp> products;
    getOperation()->walk([&](GroupMmaOp op) { products.push_back(op); });
    for (GroupMmaOp op : products) {
      if (op->removeAttr(kMovesToRegistersAttr) || isOfTf32(op)) {
        moveToRegisters(op);
      } else if (!op.getRegisterA()) {
        op.setTransposedA(stage(op, op.getAMutable(), /*k=*/1));
      }
      op.setTransposedB(stage(op, op.getBMutable(), /*k=*/0));
    }
  }

  /// Replaces the operand by a buffer; returns whether that holds the transposed matrix.
  bool stage(GroupMmaOp op, OpOperand &operand, int k) {
    OperandSource source(operand.get());
    int along = rowsAlong(source, source.dimOf(k), rowOf(op).takesTransposed);
    Value &buffer = buffers[{source.tile, along}];
    if (!buffer) {
      buffer = store(source.tile, along, isOfTf32(op));
    }
    operand.set(buffer);
    return source.isTransposed;
  }

  /// Stores the tile where it is computed, so that operations which have it in common share the buffer.
  static Value store(Value tile, int along, bool isTf32) {
    OpBuilder builder(tile.getContext());
    builder.setInsertionPointAfterValue(tile);
    if (isTf32 && mustRound(tile)) {
      tile = RoundToTF32Op::create(builder, tile.getLoc(), tile.getType(), tile);
    }
    BufferType bufferType = groupBuffer(cast<RankedTensorType>(tile.getType()), along);
    Value buffer = LocalAllocOp::create(builder, tile.getLoc(), bufferType, IntegerAttr());
    LocalStoreOp::create(builder, tile.getLoc(), tile, buffer);
    return buffer;
  }

  llvm::DenseMap<std::pair<Value, int>, Value> buffers;
};
} // namespace
