#include "UseOrder.h"

#include "LiveWords.h"

#include "tilewright/Dialect/Thread/IR/Thread.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilewright {

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Whether the operation only reads memory, so that its order to other reads does not matter.
static bool isRead(Operation *op) {
  return op->getNumRegions() == 0 && !isMemoryEffectFree(op) && hasSingleEffect<MemoryEffects::Read>(op);
}

/// The argument of the function from which a pointer is computed, as far as is obvious.
static BlockArgument baseArgument(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (!isa<LLVM::GEPOp, vector::ExtractOp, vector::BroadcastOp>(op)) {
      return nullptr;
    }
    pointer = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(pointer);
  Block *block = argument.getOwner();
  return block->isEntryBlock() && isa<FunctionOpInterface>(block->getParentOp()) ? argument : nullptr;
}

/// The array that the operation accesses; null if it is unknown, or if the access must stay in order with all others:
/// volatile loads, and stores with a cache modifier.
static BlockArgument arrayOf(Operation *op) {
  if (auto load = dyn_cast<thread::LoadOp>(op); load && !load.getIsVolatile()) {
    return baseArgument(load.getPtr());
  }
  auto store = dyn_cast<thread::StoreOp>(op);
  return store && store.getCache() == tile::CacheModifier::None ? baseArgument(store.getPtr()) : nullptr;
}

static bool isNoAlias(BlockArgument array) {
  auto function = cast<FunctionOpInterface>(array.getOwner()->getParentOp());
  return function.getArgAttr(array.getArgNumber(), thread::ThreadDialect::kNoAliasAttr) != nullptr;
}

/// Whether the operations access different arrays.
static bool areIndependent(Operation *a, Operation *b) {
  BlockArgument of = arrayOf(a), other = arrayOf(b);
  return of && other && of != other && (isNoAlias(of) || isNoAlias(other));
}

//===----------------------------------------------------------------------===//
// Dependences
//===----------------------------------------------------------------------===//

namespace {

/// What must precede each operation of a block. Operations are numbered as they are in the block.
class Dependences {
public:
  explicit Dependences(Block &block);

  size_t size() const { return operations.size(); }
  Operation *operator[](size_t number) const { return operations[number]; }
  /// Those with the longest chain of dependences first: fewer values live while the others are computed.
  ArrayRef<size_t> of(size_t number) const { return sources[number]; }
  /// The operations with effects other than reads.
  ArrayRef<size_t> withEffects() const { return effects; }

private:
  void addOperands(size_t number);
  void addMemory(size_t number);

  std::vector<Operation *> operations;
  std::vector<SmallVector<size_t, 4>> sources;
  DenseMap<Operation *, size_t> numbers;
  std::vector<size_t> effects;
  std::vector<size_t> reads; ///< since the last effect that follows all of them
};

} // namespace

Dependences::Dependences(Block &block) {
  for (Operation &op : block) {
    numbers[&op] = operations.size();
    operations.push_back(&op);
  }
  sources.resize(size());
  std::vector<size_t> heights(size(), 0);
  for (size_t number = 0; number < size(); ++number) {
    addOperands(number);
    addMemory(number);
    for (size_t source : sources[number]) {
      heights[number] = std::max(heights[number], heights[source] + 1);
    }
    llvm::stable_sort(sources[number], [&](size_t a, size_t b) { return heights[a] > heights[b]; });
  }
}

void Dependences::addOperands(size_t number) {
  llvm::SmallSetVector<size_t, 4> found;
  operations[number]->walk([&](Operation *user) { // also those in regions
    for (Value operand : user->getOperands()) {
      auto source = numbers.find(operand.getDefiningOp());
      if (source != numbers.end() && source->second != number) {
        found.insert(source->second);
      }
    }
  });
  llvm::append_range(sources[number], found);
}

void Dependences::addMemory(size_t number) {
  Operation *op = operations[number];
  if (isMemoryEffectFree(op)) {
    return;
  }
  auto follow = [&](size_t earlier) {
    bool mustFollow = !areIndependent(operations[earlier], op);
    if (mustFollow) {
      sources[number].push_back(earlier);
    }
    return mustFollow;
  };
  // Of each array only the latest effect matters, which follows the earlier ones. An effect on an unknown array follows
  // all earlier effects and reads, so that nothing before it needs to be looked at.
  llvm::SmallPtrSet<void *, 4> arrays;
  for (size_t effect : llvm::reverse(effects)) {
    BlockArgument array = arrayOf(operations[effect]);
    if (arrays.insert(array.getAsOpaquePointer()).second && follow(effect) && !array) {
      break;
    }
  }
  if (isRead(op)) {
    reads.push_back(number);
    return;
  }
  effects.push_back(number);
  llvm::for_each(reads, follow);
  if (!arrayOf(op)) { // what follows it follows them, too
    reads.clear();
  }
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

namespace {

/// An order that grows by an operation and by all that must precede it.
class Order {
public:
  explicit Order(const Dependences &dependences) : dependences(dependences), isPlaced(dependences.size(), false) {}

  void place(size_t number);
  /// How many operations `place` would add, if there are fewer than `limit`; else at least `limit`.
  size_t countMissing(size_t number, size_t limit) const;
  bool contains(size_t number) const { return isPlaced.test(number); }
  ArrayRef<size_t> numbers() const { return placed; }

private:
  const Dependences &dependences;
  llvm::BitVector isPlaced;
  std::vector<size_t> placed;
};

} // namespace

size_t Order::countMissing(size_t number, size_t limit) const {
  llvm::SmallSetVector<size_t, 32> missing;
  missing.insert(number);
  for (size_t i = 0; i < missing.size() && missing.size() < limit; ++i) {
    for (size_t source : dependences.of(missing[i])) {
      if (!contains(source)) {
        missing.insert(source);
      }
    }
  }
  return missing.size();
}

/// Without recursion, since a sum over a long line is a long chain.
void Order::place(size_t number) {
  struct Visit {
    size_t number;
    ArrayRef<size_t> left; ///< sources that were not looked at
  };
  SmallVector<Visit> visits = {{number, dependences.of(number)}};
  while (!visits.empty()) {
    Visit &visit = visits.back();
    if (isPlaced.test(visit.number)) {
      visits.pop_back();
    } else if (visit.left.empty()) {
      isPlaced.set(visit.number);
      placed.push_back(visit.number);
      visits.pop_back();
    } else {
      size_t source = visit.left.consume_front();
      visits.push_back({source, dependences.of(source)});
    }
  }
}

/// Effects that may come next: of each array the next one.
static SmallVector<size_t> findNext(const Dependences &dependences, ArrayRef<size_t> effects) {
  constexpr size_t kMost = 4;
  SmallVector<size_t> found;
  llvm::SmallDenseSet<size_t> waiting;
  for (size_t effect : effects) {
    bool isNext = llvm::none_of(dependences.of(effect), [&](size_t source) { return waiting.contains(source); });
    waiting.insert(effect);
    if (isNext) {
      found.push_back(effect);
    }
    if (found.size() == kMost) {
      break;
    }
  }
  return found;
}

/// The effect that needs the fewest operations which are not placed. So a second store of what is computed from the
/// same values follows the first one.
static size_t chooseNext(const Order &order, ArrayRef<size_t> effects) {
  size_t best = effects.front(), least = SIZE_MAX;
  for (size_t effect : effects) {
    if (size_t missing = order.countMissing(effect, least); missing < least) {
      best = effect;
      least = missing;
    }
  }
  return best;
}

/// The order in which each operation is placed right before the first one that needs it.
static Order orderLate(const Dependences &dependences) {
  Order order(dependences);
  std::vector<size_t> effects(dependences.withEffects());
  while (!effects.empty()) {
    size_t next = chooseNext(order, findNext(dependences, effects));
    order.place(next);
    llvm::erase(effects, next);
  }
  for (size_t number = 0; number < dependences.size(); ++number) {
    order.place(number); // the terminator, and what nothing uses
  }
  return order;
}

/// Starts loads in the same order, but up to `wordsAhead` words before their places in `late`, with all that must
/// precede them. A load of more words starts when none is ahead.
static Order startLoads(const Dependences &dependences, const Order &late, int64_t wordsAhead) {
  SmallVector<size_t> loads;
  llvm::copy_if(late.numbers(), std::back_inserter(loads), [&](size_t number) { return isRead(dependences[number]); });
  Order order(dependences);
  ArrayRef<size_t> left = loads;
  int64_t ahead = 0;
  for (size_t number : late.numbers()) {
    while (!left.empty() && (ahead == 0 || ahead + wordsOf(dependences[left.front()]) <= wordsAhead)) {
      ahead += wordsOf(dependences[left.front()]);
      order.place(left.consume_front());
    }
    order.place(number);
    ahead -= isRead(dependences[number]) ? wordsOf(dependences[number]) : 0;
  }
  return order;
}

std::vector<Operation *> orderByUse(Block &block, int64_t wordsAhead) {
  Dependences dependences(block);
  Order order = startLoads(dependences, orderLate(dependences), wordsAhead);
  std::vector<Operation *> operations;
  for (size_t number : order.numbers()) {
    operations.push_back(dependences[number]);
  }
  return operations;
}

} // namespace tilewright
