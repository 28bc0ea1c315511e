#include "UnseenWraps.h"

#include "../Buffers.h"

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::tilegpu {

/// The only dimension of a sum's indices; none if there are several, or none.
static std::optional<int> onlyDimOf(const IndexSum &sum) {
  std::optional<int> dim;
  for (const IndexProduct &product : sum.products()) {
    if (product.dim < 0) {
      continue;
    }
    if (dim) {
      return std::nullopt;
    }
    dim = product.dim;
  }
  return dim;
}

/// The sum, about another dimension.
static IndexSum along(IndexSum sum, int dim) {
  for (IndexProduct &product : sum.products()) {
    product.dim = product.dim < 0 ? -1 : dim;
  }
  return sum;
}

/// Whether `left` is at least `right`, since they differ in a constant.
static bool isAtLeast(const IndexSum &left, const IndexSum &right) {
  IndexSum difference = left.plus(right.times(-1));
  return llvm::all_of(difference.products(), [](const IndexProduct &product) {
    return product.scalars.empty() && product.dim < 0 && product.factor >= 0;
  });
}

/// Whether each element of the results depends only on the elements of operands at its place, and has no effect
/// whatever they are.
static bool keepsPlaces(Operation *op) {
  return isa<ConvertLayoutOp>(op) ||
         (op->hasTrait<OpTrait::Elementwise>() && !isa<tile::InlineAsmOp>(op) && isPure(op));
}

namespace {
/// Follows the elements that wrap, which lie along one dimension of each tile that they reach.
class WrapUses {
public:
  explicit WrapUses(const IndexRemainder &remainder);

  /// Whether only loads and masked stores see these elements.
  bool run();

  /// The dimensions of the tile of a load along which they lie.
  SmallVector<int> dimsOf(tile::LoadOp load) const;

  std::optional<IndexSum> excess; ///< along any dimension
  llvm::SetVector<Value> arithmetic;

private:
  using Place = std::pair<Value, int>;

  void reach(Value tile, int dim) { places.insert({tile, dim}); }
  bool follow(OpOperand &use, int dim);
  bool followAccess(tile::MemoryAccessOpInterface access, int dim);
  bool followBuffer(LocalStoreOp store, int dim);
  bool followOperand(GroupMmaOp op, LocalAllocOp buffer, int dim);
  bool followYield(OpOperand &use, int dim);
  void followInit(scf::ForOp loop, OpOperand &use, int dim);
  bool isHiddenBy(Value mask, int dim);

  Value root;
  llvm::SetVector<Place> places;
};
} // namespace

WrapUses::WrapUses(const IndexRemainder &remainder) : root(remainder.result) {
  IndexSums sums;
  std::optional<IndexSum> dividend = sums.of(remainder.dividend), divisor = sums.of(remainder.divisor);
  if (dividend && divisor && sums.remainders().empty()) {
    excess = dividend->plus(divisor->times(-1));
    arithmetic = sums.arithmetic();
  }
}

bool WrapUses::run() {
  std::optional<int> dim = excess ? onlyDimOf(*excess) : std::nullopt;
  if (!dim) {
    return false;
  }
  reach(root, *dim);
  for (size_t i = 0; i < places.size(); ++i) { // grows
    auto [tile, along] = places[i];
    for (OpOperand &use : tile.getUses()) {
      if (!follow(use, along)) {
        return false;
      }
    }
  }
  return true;
}

SmallVector<int> WrapUses::dimsOf(tile::LoadOp load) const {
  SmallVector<int> dims;
  for (auto [tile, dim] : places) {
    if (tile == load.getPtr()) {
      dims.push_back(dim);
    }
  }
  return dims;
}

bool WrapUses::follow(OpOperand &use, int dim) {
  Operation *op = use.getOwner();
  if (keepsPlaces(op)) {
    for (Value result : op->getResults()) {
      reach(result, dim);
    }
    return true;
  }
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tile::ExpandDimsOp expand) {
        reach(expand.getResult(), dim + (dim >= static_cast<int>(expand.getAxis()) ? 1 : 0));
        return true;
      })
      .Case([&](tile::BroadcastOp broadcast) {
        auto from = cast<RankedTensorType>(broadcast.getSrc().getType());
        auto to = cast<RankedTensorType>(broadcast.getType());
        reach(broadcast.getResult(), dim);
        return from.getDimSize(dim) == to.getDimSize(dim); // else an element becomes many
      })
      .Case([&](tile::TransOp trans) {
        reach(trans.getResult(), static_cast<int>(llvm::find(trans.getOrder(), dim) - trans.getOrder().begin()));
        return true;
      })
      .Case([&](tile::MemoryAccessOpInterface access) { return followAccess(access, dim); })
      .Case([&](LocalStoreOp store) { return followBuffer(store, dim); })
      .Case([&](GroupMmaOp dot) {
        reach(dot.getResult(), dim);
        return &use == &dot.getAccMutable();
      })
      .Case([&](scf::YieldOp) { return followYield(use, dim); })
      .Case([&](scf::ForOp loop) {
        followInit(loop, use, dim);
        return true;
      })
      .Default([](Operation *) { return false; });
}

bool WrapUses::followAccess(tile::MemoryAccessOpInterface access, int dim) {
  if (isa<tile::LoadOp>(access)) {
    reach(access->getResult(0), dim);
    return true;
  }
  return access->use_empty() && access.getMask() && isHiddenBy(access.getMask(), dim);
}

/// Whether the mask is false in elements that wrap.
bool WrapUses::isHiddenBy(Value mask, int dim) {
  IndexSums sums;
  std::optional<SmallVector<IndexSum>> conditions = sums.ofMask(mask);
  if (!conditions || !sums.remainders().empty()) {
    return false;
  }
  arithmetic.insert_range(sums.arithmetic());
  return llvm::any_of(*conditions,
                      [&](const IndexSum &condition) { return isAtLeast(condition, along(*excess, dim)); });
}

bool WrapUses::followBuffer(LocalStoreOp store, int dim) {
  LocalAllocOp alloc = allocationOf(store.getBuffer());
  return alloc && llvm::all_of(accessesOf(alloc), [&](const BufferAccess &access) {
           if (access.isWrite) {
             return true;
           }
           if (auto load = dyn_cast<LocalLoadOp>(access.op)) {
             reach(load.getResult(), dim);
             return !load.getStart(); // of the whole tile
           }
           auto dot = dyn_cast<GroupMmaOp>(access.op);
           return dot && followOperand(dot, alloc, dim);
         });
}

/// Rows of A become those of the result, and columns of B. Along the other dimension, dots add elements up.
bool WrapUses::followOperand(GroupMmaOp op, LocalAllocOp buffer, int dim) {
  int row = op.getTransposedC() ? 1 : 0;
  bool isOfA = isa<BufferType>(op.getA().getType()) && allocationOf(op.getA()) == buffer;
  bool isOfB = allocationOf(op.getB()) == buffer;
  if (isOfA) {
    reach(op.getResult(), row);
  }
  if (isOfB) {
    reach(op.getResult(), 1 - row);
  }
  return (!isOfA || dim == (op.getTransposedA() ? 1 : 0)) && (!isOfB || dim == (op.getTransposedB() ? 0 : 1));
}

/// In the next iteration, elements that wrap are the same if it has the same scalars.
bool WrapUses::followYield(OpOperand &use, int dim) {
  Operation *parent = use.getOwner()->getParentOp();
  unsigned index = use.getOperandNumber();
  if (isa<scf::IfOp>(parent)) {
    reach(parent->getResult(index), dim);
    return true;
  }
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop) {
    return false;
  }
  reach(loop.getRegionIterArg(index), dim);
  reach(loop.getResult(index), dim);
  return llvm::all_of(excess->products(), [&](const IndexProduct &product) {
    return llvm::all_of(product.scalars, [&](Value scalar) { return loop.isDefinedOutsideOfLoop(scalar); });
  });
}

void WrapUses::followInit(scf::ForOp loop, OpOperand &use, int dim) {
  reach(loop.getTiedLoopRegionIterArg(&use), dim);
  reach(loop.getTiedLoopResult(&use), dim);
}

std::optional<SmallVector<UnseenWrap>> findUnseenWraps(const IndexRemainder &remainder, tile::LoadOp load) {
  WrapUses uses(remainder);
  if (!uses.run()) {
    return std::nullopt;
  }
  SmallVector<UnseenWrap> found;
  for (int dim : uses.dimsOf(load)) {
    found.push_back({along(*uses.excess, dim), uses.arithmetic});
  }
  return found;
}

} // namespace tilewright::tilegpu
