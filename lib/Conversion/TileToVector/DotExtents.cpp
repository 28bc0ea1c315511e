// How much of a product is computed: not what masks say is zero or not needed.
//
//     a = load [BM, BK], k < K, other = 0      for K = 555 and BK = 256, the third dot is over 43 columns, not 256:
//     b = load [BK, BN], k < K, other = 0      all other products are 0 * 0, which change no sum but -0
//     acc = dot a, b, acc
//     store acc, m < M and n < N               and the rows and columns that are not stored are not computed

#include "Emitter.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::cpu {

//===----------------------------------------------------------------------===//
// Conditions that can be evaluated at a dot
//===----------------------------------------------------------------------===//

/// Whether the operation that defines the value precedes `user`, in the same or in an enclosing block.
static bool precedes(Value value, Operation *user) {
  Operation *op = value.getDefiningOp();
  Block *block = value.getParentBlock();
  Operation *ancestor = block->findAncestorOpInBlock(*user);
  return ancestor && (!op || op->isBeforeInBlock(ancestor));
}

/// The conditions of a mask that vary along `dim` or not at all, and can be evaluated at the dot.
static SmallVector<MaskCondition> conditionsAlong(Value mask, int dim, tile::DotOp dot) {
  auto all = mask ? splitMask(mask) : std::nullopt;
  SmallVector<MaskCondition> found;
  for (const MaskCondition &condition : all ? *all : SmallVector<MaskCondition>()) {
    bool fits = condition.dim == dim && isOfNumbers(condition.value) && precedes(condition.value, dot);
    if (fits) {
      found.push_back(condition);
    }
  }
  return found;
}

//===----------------------------------------------------------------------===//
// What is zero
//===----------------------------------------------------------------------===//

static bool isZero(Value other) {
  Value number = other;
  if (auto splat = other.getDefiningOp<tile::SplatOp>()) {
    number = splat->getOperand(0);
  }
  return matchPattern(number, m_PosZeroFloat()) || matchPattern(number, m_Zero());
}

/// Conditions without which the operand is zero along K, its dimension `dim`.
static SmallVector<MaskCondition> conditionsOfDepth(Value operand, int dim, tile::DotOp dot) {
  auto load = operand.getDefiningOp<tile::LoadOp>();
  // Elements that are masked off are undefined without `other`, and zero here.
  bool isZeroElsewhere = load && load.getMask() && (!load.getOther() || isZero(load.getOther()));
  return isZeroElsewhere ? conditionsAlong(load.getMask(), dim, dot) : SmallVector<MaskCondition>();
}

//===----------------------------------------------------------------------===//
// What is not needed
//===----------------------------------------------------------------------===//

namespace {
/// Follows the elements of a dot's result to stores.
class Demand {
public:
  explicit Demand(tile::DotOp dot) : dot(dot) {
    if (!follow(dot.getResult())) {
      mask = {};
    }
  }

  /// The conditions along `dim` of the only store that elements at the same position reach; none if there is another
  /// use. A store of a later iteration has to have the same conditions, so they precede the loops that carry elements.
  SmallVector<MaskCondition> conditionsAlong(int dim) const {
    SmallVector<MaskCondition> found = cpu::conditionsAlong(mask, dim, dot);
    llvm::erase_if(found, [&](const MaskCondition &condition) {
      return llvm::any_of(
          loops, [&](Operation *loop) { return loop->isProperAncestor(dot) && !precedes(condition.value, loop); });
    });
    return found;
  }

private:
  bool follow(Value tile) {
    return !seen.insert(tile).second || llvm::all_of(tile.getUses(), [&](OpOperand &use) { return followUse(use); });
  }

  bool followUse(OpOperand &use) {
    Operation *op = use.getOwner();
    if (auto store = dyn_cast<tile::StoreOp>(op)) {
      bool isFirst = !mask && use.get() == store.getValue() && store.getPtr() != use.get();
      mask = store.getMask();
      return isFirst && mask && mask != use.get();
    }
    if (auto next = dyn_cast<tile::DotOp>(op)) {
      return &use == &next.getAccMutable() && follow(next.getResult());
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      BlockArgument argument = loop.getTiedLoopRegionIterArg(&use);
      return argument && followCarried(loop, argument);
    }
    if (auto yield = dyn_cast<scf::YieldOp>(op)) {
      auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
      return loop && followCarried(loop, loop.getRegionIterArg(use.getOperandNumber()));
    }
    return op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op) && op->getNumResults() == 1 &&
           op->getNumRegions() == 0 && follow(op->getResult(0));
  }

  bool followCarried(scf::ForOp loop, BlockArgument argument) {
    loops.insert(loop);
    return follow(argument) && follow(loop.getTiedLoopResult(argument));
  }

  tile::DotOp dot;
  llvm::DenseSet<Value> seen;
  llvm::SmallPtrSet<Operation *, 4> loops; ///< those that carry elements
  Value mask;
};
} // namespace

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

Value Emitter::roundUp(Value extent, int64_t step) {
  Value count = arith::CeilDivUIOp::create(b, extent.getLoc(), extent, i64(step));
  return arith::MulIOp::create(b, extent.getLoc(), count, i64(step));
}

Emitter::Extents Emitter::findExtents(tile::DotOp dot) {
  Extents extents;
  MatrixProduct product = describeProduct(dot, cpu, getComputeType(getElementTypeOrSelf(dot.getType())));
  // Where accesses are checked, all of them are.
  if (tile::getShape(dot.getType()).size() != 2 || program.checkedSlots) {
    return extents;
  }
  // Where a single block is computed anyway, there is nothing to gain.
  Demand demand(dot);
  if (product.rows > product.blockRows) {
    extents.rows = smallestExtent(demand.conditionsAlong(0));
  }
  if (product.columns > product.blockVectors * product.width) {
    extents.columns = smallestExtent(demand.conditionsAlong(1));
  }
  SmallVector<MaskCondition> ofA = conditionsOfDepth(dot.getA(), 1, dot), ofB = conditionsOfDepth(dot.getB(), 0, dot);
  if (!ofA.empty() && !ofB.empty() && product.depth > kDepthOfStep) {
    // Zero times infinity is no zero: both operands have to be zero.
    extents.depth = arith::MaxSIOp::create(b, dot.getLoc(), smallestExtent(ofA), smallestExtent(ofB));
    extents.wholeSteps = roundUp(extents.depth, kDepthOfStep * elementsPerWord(product.words));
  }
  return extents;
}

} // namespace tilewright::cpu
