// Which operations are cheap, and which are lazy; see Plan.h.

#include "tilewright/Conversion/TileToVector/Emission.h"
#include "tilewright/Conversion/TileToVector/Plan.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::cpu {

bool isTile(Type type) { return isa<RankedTensorType>(type); }
bool isTile(Value value) { return isTile(value.getType()); }

bool isLazy(Operation *op) {
  Placement placement = getPlacement(op);
  return placement == Placement::Free || placement == Placement::Lazy;
}

/// With more operations per point than this, loading a tile from memory is cheaper than recomputing it.
static constexpr int kCheapLimit = 16;
static constexpr int kNotCheap = kCheapLimit + 1;

static bool isIndexArithmetic(Operation *op) {
  bool isDivision = isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp>(op);
  bool isInteger = !isa<FloatType>(tile::getElementType(op->getResult(0).getType())) && !isa<arith::CmpFOp>(op);
  return op->hasTrait<OpTrait::Elementwise>() && isInteger && !isDivision;
}

/// The number of operations that compute one element. A tile that is not cheap counts as one operation, a load.
int RematerializationCost::costOf(Value tile) const {
  if (auto known = costs.find(tile); known != costs.end()) {
    return known->second;
  }
  Operation *op = tile.getDefiningOp();
  int cost = kNotCheap;
  bool isFree = op && getPlacement(op) == Placement::Free;
  if (isFree || (op && isIndexArithmetic(op))) {
    cost = isFree ? 0 : 1;
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
