#include "RingPositions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tilewright::tilegpu {

namespace {
/// The slot that is `steps` after the slot `origin`, or after slot 0 if that is null.
struct Steps {
  Value origin;
  int64_t steps = 0;
};

/// Two positions that one loop carries, in its iterations.
struct Carried {
  scf::ForOp loop;
  unsigned from = 0, to = 0;
};

class Distances {
public:
  explicit Distances(int64_t slots) : slots(slots) {}

  std::optional<int64_t> between(Value from, Value to) {
    Steps left = stepsOf(from), right = stepsOf(to);
    int64_t steps = right.steps - left.steps;
    if (left.origin == right.origin) {
      return modulo(steps);
    }
    std::optional<int64_t> distance =
        left.origin && right.origin ? betweenCarried(left.origin, right.origin) : std::nullopt;
    return distance ? std::optional(modulo(*distance + steps)) : std::nullopt;
  }

private:
  int64_t modulo(int64_t steps) const { return ((steps % slots) + slots) % slots; }

  Steps stepsOf(Value slot) const {
    int64_t steps = 0;
    auto next = slot.getDefiningOp<RingNextOp>();
    while (next && static_cast<int64_t>(next.getSlots()) == slots) {
      slot = next.getSlot();
      next = slot.getDefiningOp<RingNextOp>();
      ++steps;
    }
    std::optional<int64_t> constant = getConstantIntValue(slot);
    return constant ? Steps{Value(), *constant + steps} : Steps{slot, steps};
  }

  /// Both are carried by one loop, as its arguments or as its results.
  static std::optional<Carried> carriedTogether(Value from, Value to) {
    auto one = dyn_cast<BlockArgument>(from), other = dyn_cast<BlockArgument>(to);
    if (one && other && one.getOwner() == other.getOwner()) {
      auto loop = dyn_cast<scf::ForOp>(one.getOwner()->getParentOp());
      bool isCarried = loop && one != loop.getInductionVar() && other != loop.getInductionVar();
      unsigned first = loop ? loop.getNumInductionVars() : 0;
      return isCarried ? std::optional(Carried{loop, one.getArgNumber() - first, other.getArgNumber() - first})
                       : std::nullopt;
    }
    auto loop = from.getDefiningOp<scf::ForOp>();
    return loop && loop == to.getDefiningOp<scf::ForOp>()
               ? std::optional(
                     Carried{loop, cast<OpResult>(from).getResultNumber(), cast<OpResult>(to).getResultNumber()})
               : std::nullopt;
  }

  /// The distance of the initial positions, if each iteration keeps it.
  std::optional<int64_t> betweenCarried(Value from, Value to) {
    std::optional<Carried> carried = carriedTogether(from, to);
    if (!carried) {
      return std::nullopt;
    }
    auto [loop, one, other] = *carried;
    std::pair<Value, Value> pair = {loop.getRegionIterArg(one), loop.getRegionIterArg(other)};
    auto known = assumed.find(pair);
    if (known != assumed.end()) {
      return known->second;
    }
    std::optional<int64_t> distance = between(loop.getInitArgs()[one], loop.getInitArgs()[other]);
    if (!distance) {
      return std::nullopt;
    }
    assumed[pair] = *distance;
    std::optional<int64_t> later = between(loop.getYieldedValues()[one], loop.getYieldedValues()[other]);
    assumed.erase(pair);
    return later == distance ? distance : std::nullopt;
  }

  int64_t slots;
  llvm::DenseMap<std::pair<Value, Value>, int64_t> assumed; ///< at the beginning of an iteration, by induction
};
} // namespace

std::optional<int64_t> slotsBetween(Value from, Value to, int64_t slots) { return Distances(slots).between(from, to); }

bool copiesIntoAnotherSlot(Operation *op, Value slot, int64_t steps) {
  auto copy = dyn_cast<AsyncCopyOp>(op);
  auto boxes = dyn_cast<BoxCopyOp>(op);
  Value buffer = copy ? copy.getBuffer() : boxes ? boxes.getBuffer() : Value();
  auto to = buffer ? buffer.getDefiningOp<LocalSlotOp>() : LocalSlotOp();
  auto from = slot.getDefiningOp<LocalSlotOp>();
  if (!to || !from || to.getSrc() != from.getSrc()) {
    return false;
  }
  int64_t slots = from.getSrc().getType().getSlots();
  std::optional<int64_t> distance = slotsBetween(from.getIndex(), to.getIndex(), slots);
  return distance && (*distance + steps) % slots != 0;
}

} // namespace tilewright::tilegpu
