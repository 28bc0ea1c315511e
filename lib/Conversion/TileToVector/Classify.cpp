// Which operations are cheap, lazy or whole.

#include "tilewright/Conversion/TileToVector/Plan.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilewright::cpu {

bool isTile(Type type) { return isa<RankedTensorType>(type); }
bool isTile(Value value) { return isTile(value.getType()); }

static bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<tile::AddPtrOp, tile::PtrCastOp, tile::IntToPtrOp, tile::PtrToIntOp>(op);
}

/// A change of shape that only inserts or removes dimensions of size 1.
static bool keepsRealDims(tile::ReshapeOp op) {
  auto real = [](Type type) {
    SmallVector<int64_t> sizes;
    llvm::copy_if(tile::getShape(type), std::back_inserter(sizes), [](int64_t size) { return size != 1; });
    return sizes;
  };
  return real(op.getSrc().getType()) == real(op.getType());
}

static bool isView(Operation *op) {
  auto reshape = dyn_cast<tile::ReshapeOp>(op);
  return isa<tile::BroadcastOp, tile::ExpandDimsOp, tile::TransOp>(op) || (reshape && keepsRealDims(reshape));
}

bool isLazy(Operation *op) {
  if (op->getNumResults() == 0 || !isTile(op->getResult(0))) {
    return false;
  }
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    return !load.getIsVolatile();
  }
  return isElementwise(op) || isView(op) ||
         isa<tile::SplatOp, tile::MakeRangeOp, tile::SplitOp, tile::GatherOp, arith::ConstantOp>(op);
}

/// Work per point beyond what is worth a trip through memory.
static constexpr int kCheapLimit = 16;

/// The number of integer operations that compute one element from ranges and
/// scalars; more than the limit if anything else takes part.
static int indexCost(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op) {
    return kCheapLimit + 1;
  }
  if (isa<tile::SplatOp, tile::MakeRangeOp, arith::ConstantOp>(op)) {
    return 0;
  }
  bool isDivision = isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp>(op);
  bool isInteger = !isa<FloatType>(tile::getElementType(tile.getType())) && !isa<arith::CmpFOp>(op);
  if (!(isView(op) || (isElementwise(op) && isInteger)) || isDivision) {
    return kCheapLimit + 1;
  }
  int cost = isView(op) ? 0 : 1;
  for (Value operand : op->getOperands()) {
    cost += isTile(operand) ? indexCost(operand) : 0;
    if (cost > kCheapLimit) {
      break;
    }
  }
  return cost;
}

bool isCheap(Value tile) { return indexCost(tile) <= kCheapLimit; }

SmallVector<Value> getTileOperands(const Sink &sink) {
  if (!sink.op) {
    return {sink.value};
  }
  return llvm::to_vector(llvm::make_filter_range(sink.op->getOperands(), [](Value value) { return isTile(value); }));
}

} // namespace tilewright::cpu
