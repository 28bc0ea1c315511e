// tile.map: applies a function to the elements of tiles.

#include "Emitter.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {
namespace {

/// Control flow may differ between elements, so the function runs for one group of `pack` elements after the other.
///
///     for lane in 0..width step pack: result[lane, ...] = function(operand[lane, ...], ...)
///
/// A vector of fewer elements is one group, in which elements repeat.
struct Map : EmissionModel<Map, tile::MapOp> {
  Placement getPlacement(Operation *) const { return Placement::Lazy; }

  SmallVector<Value> apply(Operation *op, Emitter &e, SmallVector<Value> operands, int64_t width) const {
    auto map = cast<tile::MapOp>(op);
    auto pack = static_cast<int64_t>(map.getPack());
    auto vectorOfResult = [&](Value result) {
      return Emitter::vectorOf(e.convert(getElementTypeOrSelf(result.getType())), width);
    };
    if (width == 1) {
      SmallVector<Value> arguments;
      for (Value operand : operands) {
        arguments.append(pack, operand);
      }
      SmallVector<Value> yielded = e.combineElements(map.getBody(), arguments);
      return llvm::map_to_vector(llvm::seq<size_t>(0, op->getNumResults()),
                                 [&](size_t result) { return yielded[result * pack]; });
    }
    int64_t step = std::min(pack, width);
    auto start = llvm::map_to_vector(op->getResults(), [&](Value result) { return e.zero(vectorOfResult(result)); });
    auto loop = scf::ForOp::create(e.b, op->getLoc(), e.i64(0), e.i64(width), e.i64(step), start);
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> results = applyToGroup(map, e, operands, loop.getInductionVar(), step, loop.getRegionIterArgs());
    scf::YieldOp::create(e.b, op->getLoc(), results);
    return loop.getResults();
  }

private:
  /// Inserts the results of the group that starts at `first` into the vectors `results`.
  static SmallVector<Value> applyToGroup(tile::MapOp map, Emitter &e, ArrayRef<Value> operands, Value first,
                                         int64_t step, ValueRange results) {
    Location loc = map.getLoc();
    auto pack = static_cast<int64_t>(map.getPack());
    SmallVector<Value> lanes;
    for (int64_t i = 0; i < step; ++i) {
      Value lane = arith::AddIOp::create(e.b, loc, first, e.i64(i));
      lanes.push_back(arith::IndexCastOp::create(e.b, loc, e.b.getIndexType(), lane));
    }
    SmallVector<Value> arguments;
    for (Value operand : operands) {
      for (int64_t i = 0; i < pack; ++i) {
        bool isUniform = !isa<VectorType>(operand.getType());
        arguments.push_back(isUniform ? operand
                                      : vector::ExtractOp::create(e.b, loc, operand, lanes[i % step]).getResult());
      }
    }
    SmallVector<Value> yielded = e.combineElements(map.getBody(), arguments), changed(results);
    for (auto [result, vector] : llvm::enumerate(changed)) {
      for (int64_t i = 0; i < step; ++i) {
        vector = vector::InsertOp::create(e.b, loc, yielded[result * pack + i], vector, lanes[i]);
      }
    }
    return changed;
  }
};

} // namespace

void attachMap(MLIRContext *context) { tile::MapOp::attachInterface<Map>(*context); }

} // namespace tilewright::cpu
