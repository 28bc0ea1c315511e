// Which operations are cheap, lazy or materialized; see Plan.h.

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
  return isa<tile::HintOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::TransOp>(op) ||
         (reshape && keepsRealDims(reshape));
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

/// With more operations per point than this, loading a tile from memory is cheaper than recomputing it.
static constexpr int kCheapLimit = 16;
static constexpr int kNotCheap = kCheapLimit + 1;

static bool isIndexArithmetic(Operation *op) {
  bool isDivision = isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp>(op);
  bool isInteger = !isa<FloatType>(tile::getElementType(op->getResult(0).getType())) && !isa<arith::CmpFOp>(op);
  return isView(op) || (isElementwise(op) && isInteger && !isDivision);
}

/// The number of operations that compute one element. A tile that is not cheap counts as one operation, a load.
int RematerializationCost::costOf(Value tile) const {
  if (auto known = costs.find(tile); known != costs.end()) {
    return known->second;
  }
  Operation *op = tile.getDefiningOp();
  int cost = kNotCheap;
  if (op && isa<tile::SplatOp, tile::MakeRangeOp, arith::ConstantOp>(op)) {
    cost = 0;
  } else if (op && isIndexArithmetic(op)) {
    cost = isView(op) ? 0 : 1;
    for (Value operand : op->getOperands()) {
      int read = isTile(operand) ? costOf(operand) : 0;
      cost += read == kNotCheap ? 1 : read;
    }
    cost = std::min(cost, kNotCheap);
  }
  costs[tile] = cost;
  return cost;
}

bool RematerializationCost::isCheap(Value tile) const { return costOf(tile) != kNotCheap; }

SmallVector<Value> getTileOperands(const Sink &sink) {
  if (!sink.op) {
    return {sink.value};
  }
  return llvm::to_vector(llvm::make_filter_range(sink.op->getOperands(), [](Value value) { return isTile(value); }));
}

} // namespace tilewright::cpu
