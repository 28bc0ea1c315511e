// pipeline-outer-loops: starts the first copies of an inner loop during the outer loop's previous iteration. See
// Passes.td.
//
//     scf.for tile                               copies(begin)           masked by the existence of the iteration
//       copies(tile)                             scf.for tile, iter_args(position, tokens)
//       scf.for k, iter_args(0, tokens)            scf.for k, iter_args(position, tokens)
//         wait, copy, dot                            wait, copy, dot
//       wait for copies without an iteration       wait
//       stores(tile)                               copies(tile + step)     in flight during the stores
//                                                  stores(tile)
//                                                wait
//
// The first copies are collected, then moved. The computation of their addresses is in the loop twice: for the next
// iteration's copies, and for what else uses them in this one. So nothing but tokens and the position in the ring is
// carried for it, besides those arguments of the loop from which addresses are computed.

#include "Buffers.h"
#include "ExpandPipeline/Speculation.h"
#include "TokenCopies.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_PIPELINEOUTERLOOPS
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

namespace {
/// A position in the ring of slots.
struct Position {
  Value slot, phase;
};

/// A position that an inner loop carries: the number of the argument with the slot, that of the one with the phase, and
/// how many steps the initial position is after the first slot.
struct CarriedPosition {
  unsigned slot = 0, phase = 0;
  int64_t steps = 0;
};

/// The first copies of an inner loop.
struct FirstCopies {
  scf::ForOp inner;
  AsyncWaitOp end;                             ///< after the inner loop, for its copies in flight
  SmallVector<Operation *> ops;                ///< copies and commits, in order
  llvm::SetVector<Operation *> slice;          ///< the computation of their addresses and masks
  llvm::SetVector<unsigned> arguments;         ///< of the outer loop, which the slice uses
  llvm::SetVector<Operation *> buffers;        ///< their allocations
  llvm::MapVector<Operation *, int64_t> steps; ///< from the first slot to each `local_slot` before the loop
  SmallVector<CarriedPosition> positions;      ///< those of the inner loop
  int64_t slots = 1;                           ///< of each buffer
};
} // namespace

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

/// The number of steps from the first slot, in phase 0, to the position; none if it isn't constant. Modulo two rounds.
static std::optional<int64_t> stepsTo(Value slot, Value phase, int64_t slots) {
  int64_t steps = 0;
  for (auto next = slot.getDefiningOp<RingNextOp>(); next; next = slot.getDefiningOp<RingNextOp>()) {
    if (slot != next.getNext() || phase != next.getNextPhase() || static_cast<int64_t>(next.getSlots()) != slots) {
      return std::nullopt;
    }
    slot = next.getSlot();
    phase = next.getPhase();
    ++steps;
  }
  std::optional<int64_t> index = getConstantIntValue(slot), parity = getConstantIntValue(phase);
  return index && parity ? std::optional((steps + *index + (*parity != 0 ? slots : 0)) % (2 * slots)) : std::nullopt;
}

/// The first loop in the body that has tokens of copies before it as arguments.
static scf::ForOp innerLoop(scf::ForOp outer) {
  for (auto loop : outer.getBody()->getOps<scf::ForOp>()) {
    if (llvm::any_of(loop.getInitArgs(), [&](Value init) {
          auto commit = init.getDefiningOp<AsyncCommitOp>();
          return commit && commit->getBlock() == outer.getBody();
        })) {
      return loop;
    }
  }
  return scf::ForOp();
}

/// Collects copies and commits before the inner loop. Returns false if some of them are not the first copies of this
/// loop.
static bool collectCopies(scf::ForOp outer, FirstCopies &first) {
  for (Operation &op : llvm::make_range(outer.getBody()->begin(), Block::iterator(first.inner))) {
    if (isa<AsyncCopyOp, AsyncCommitOp>(op)) {
      first.ops.push_back(&op);
    }
    if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
      LocalAllocOp alloc = allocationOf(copy.getBuffer());
      auto slot = copy.getBuffer().getDefiningOp<LocalSlotOp>();
      bool isCommitted = copy->hasOneUse() && isa<AsyncCommitOp>(*copy->user_begin()) &&
                         copy->user_begin()->getBlock() == outer.getBody() &&
                         copy->user_begin()->isBeforeInBlock(first.inner);
      if (!alloc || !slot || alloc->getBlock() != outer.getBody() || !isCommitted) {
        return false;
      }
      first.buffers.insert(alloc);
      first.slots = alloc.getType().getSlots();
    } else if (auto commit = dyn_cast<AsyncCommitOp>(op)) {
      bool isOfLoop = llvm::all_of(commit->getUsers(), [&](Operation *user) {
        return user == first.inner || (isa<AsyncWaitOp>(user) && user->getBlock() == outer.getBody());
      });
      if (!isOfLoop || commit.getCopies().empty()) {
        return false;
      }
    }
  }
  return llvm::all_of(first.buffers,
                      [&](Operation *alloc) { return cast<LocalAllocOp>(alloc).getType().getSlots() == first.slots; });
}

/// Notes the position of a slot that the inner loop accesses: one that it carries and advances.
static bool addCarried(LocalSlotOp slot, FirstCopies &first) {
  scf::ForOp loop = first.inner;
  auto index = dyn_cast<BlockArgument>(slot.getIndex()), phase = dyn_cast_or_null<BlockArgument>(slot.getPhase());
  if (!index || !phase || index.getOwner() != loop.getBody() || phase.getOwner() != loop.getBody() ||
      index == loop.getInductionVar() || phase == loop.getInductionVar()) {
    return false;
  }
  auto next = loop.getTiedLoopYieldedValue(index)->get().getDefiningOp<RingNextOp>();
  bool isAdvanced = next && next.getSlot() == index && next.getPhase() == phase &&
                    next.getNext() == loop.getTiedLoopYieldedValue(index)->get() &&
                    next.getNextPhase() == loop.getTiedLoopYieldedValue(phase)->get() &&
                    static_cast<int64_t>(next.getSlots()) == first.slots;
  std::optional<int64_t> steps =
      stepsTo(loop.getTiedLoopInit(index)->get(), loop.getTiedLoopInit(phase)->get(), first.slots);
  if (!isAdvanced || !steps) {
    return false;
  }
  unsigned number = index.getArgNumber() - loop.getNumInductionVars();
  if (llvm::none_of(first.positions, [&](const CarriedPosition &position) { return position.slot == number; })) {
    first.positions.push_back({number, phase.getArgNumber() - loop.getNumInductionVars(), *steps});
  }
  return true;
}

/// Collects the positions of all slots of the buffers. Returns false if one is unknown, or after the inner loop.
static bool collectPositions(scf::ForOp outer, FirstCopies &first) {
  for (Operation *alloc : first.buffers) {
    for (Operation *user : alloc->getUsers()) {
      auto slot = dyn_cast<LocalSlotOp>(user);
      if (!slot) {
        return false;
      }
      if (first.inner->isProperAncestor(slot)) {
        if (!addCarried(slot, first)) {
          return false;
        }
        continue;
      }
      std::optional<int64_t> steps =
          slot.getPhase() ? stepsTo(slot.getIndex(), slot.getPhase(), first.slots) : std::nullopt;
      bool isBefore = slot->getBlock() == outer.getBody() && llvm::all_of(slot->getUsers(), [&](Operation *access) {
                        return access->getBlock() == outer.getBody() && access->isBeforeInBlock(first.inner);
                      });
      if (!steps || !isBefore) {
        return false;
      }
      first.steps[slot] = *steps;
    }
  }
  return llvm::any_of(first.positions, [](const CarriedPosition &position) { return position.steps == 0; });
}

/// Whether no two of the copies write the same slot. If they do, what reads the slot between them can't follow both.
static bool areSlotsDistinct(const FirstCopies &first) {
  llvm::DenseSet<std::pair<Value, int64_t>> written;
  return llvm::all_of(first.ops, [&](Operation *op) {
    auto copy = dyn_cast<AsyncCopyOp>(op);
    auto slot = copy ? copy.getBuffer().getDefiningOp<LocalSlotOp>() : LocalSlotOp();
    return !slot || written.insert({slot.getSrc(), first.steps.lookup(slot) % first.slots}).second;
  });
}

/// Whether the wait after the inner loop is for all copies that the loop leaves in flight.
static bool waitsForAll(AsyncWaitOp wait, scf::ForOp inner) {
  TokenCopies copies;
  return wait && llvm::all_of(inner.getResults(), [&](Value result) {
           return !isa<TokenType>(result.getType()) || llvm::is_contained(wait.getTokens(), result) ||
                  copies.find(result).empty();
         });
}

/// Whether the user has asked for more than one stage. The module's default does not count: on an H200, persistent
/// matmuls were 1 % faster to 7 % slower with their copies a tile ahead.
static bool isPipelined(scf::ForOp outer) {
  return outer->hasAttr(tile::TileDialect::kNumStagesAttr) && stagesOf(outer) >= 2;
}

static std::optional<FirstCopies> collect(scf::ForOp outer, const ReadOnlyMemory &readOnly) {
  FirstCopies first;
  first.inner = innerLoop(outer);
  if (!first.inner || !isPipelined(outer)) {
    return std::nullopt;
  }
  first.end = dyn_cast_or_null<AsyncWaitOp>(first.inner->getNextNode());
  if (!waitsForAll(first.end, first.inner) || !collectCopies(outer, first) || !collectPositions(outer, first) ||
      !areSlotsDistinct(first)) {
    return std::nullopt;
  }
  for (Operation *op : first.ops) {
    auto copy = dyn_cast<AsyncCopyOp>(op);
    if (!copy) {
      continue;
    }
    if (hasHoistingHazard(copy.getPtr(), outer, readOnly)) {
      return std::nullopt;
    }
    for (Value value : {copy.getPtr(), copy.getMask(), copy.getOther()}) {
      if (value && !addAheadSlice(value, outer, first.slice, &first.arguments)) {
        return std::nullopt;
      }
    }
  }
  return first;
}

/// Moves the buffers out of the loop, as they now hold data from one iteration to the next. Returns false, and leaves
/// them, if shared memory is too small for that.
static bool moveBuffers(scf::ForOp outer, const FirstCopies &first) {
  SmallVector<Operation *> places;
  for (Operation *alloc : first.buffers) {
    places.push_back(alloc->getNextNode());
    alloc->moveBefore(outer);
  }
  if (sharedBytesOf(outer->getParentOfType<func::FuncOp>()) <= targetOf(outer).sharedPerBlock) {
    return true;
  }
  for (auto [alloc, place] : llvm::reverse(llvm::zip_equal(first.buffers, places))) {
    alloc->moveBefore(place);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Moving
//===----------------------------------------------------------------------===//

namespace {
/// Positions at constant distances from one.
class Positions {
public:
  Positions(RewriterBase &rewriter, Location loc, Position first, int64_t slots)
      : rewriter(rewriter), loc(loc), slots(slots), known({first}) {}

  Position after(int64_t steps) {
    while (static_cast<int64_t>(known.size()) <= steps) {
      auto [slot, phase] = known.back();
      auto next = RingNextOp::create(rewriter, loc, slot.getType(), phase.getType(), slot, phase,
                                     rewriter.getI64IntegerAttr(slots));
      known.push_back({next.getNext(), next.getNextPhase()});
    }
    return known[steps];
  }

private:
  RewriterBase &rewriter;
  Location loc;
  int64_t slots;
  SmallVector<Position> known;
};

/// Rewrites an outer loop.
class Rotation {
public:
  Rotation(scf::ForOp outer, FirstCopies &first)
      : rewriter(outer.getContext()), loc(outer.getLoc()), old(outer), first(first) {}

  void run() {
    rewriter.setInsertionPoint(old);
    Value zero = arith::ConstantIntOp::create(rewriter, loc, 0, 32);
    Value even = arith::ConstantIntOp::create(rewriter, loc, 0, 1);
    IRMapping mapping;
    mapping.map(old.getInductionVar(), old.getLowerBound());
    for (auto [argument, init] : llvm::zip_equal(old.getRegionIterArgs(), old.getInitArgs())) {
      mapping.map(argument, init);
    }
    auto isLess = old.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    Value exists = arith::CmpIOp::create(rewriter, loc, isLess, old.getLowerBound(), old.getUpperBound());
    SmallVector<Value> inits = emitCopies(mapping, exists, {zero, even});
    SmallVector<Value> ahead = nextArguments(old, mapping);
    size_t tokens = inits.size();
    inits.append({zero, even});
    inits.append(ahead);
    scf::ForOp loop = withArguments(inits);
    ValueRange added = loop.getRegionIterArgs().take_back(inits.size());
    SmallVector<Value> yields = emitNext(loop, added.drop_front(tokens + 2));
    useCarried(loop, added.take_front(tokens), {added[tokens], added[tokens + 1]});
    loop.getBody()->getTerminator()->setOperands(loop.getBody()->getTerminator()->getNumOperands() - yields.size(),
                                                 yields.size(), yields);
    rewriter.setInsertionPointAfter(loop);
    AsyncWaitOp::create(rewriter, loc, TokenType::get(loc.getContext()),
                        loop.getResults().take_back(inits.size()).take_front(tokens), IntegerAttr());
  }

private:
  /// The outer loop with additional arguments, which it yields for now.
  scf::ForOp withArguments(ValueRange inits) {
    rewriter.setInsertionPoint(old);
    DictionaryAttr attributes = old->getDiscardableAttrDictionary();
    auto same = [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
      return SmallVector<Value>(arguments.begin(), arguments.end());
    };
    FailureOr<LoopLikeOpInterface> loop =
        cast<LoopLikeOpInterface>(old.getOperation())
            .replaceWithAdditionalYields(rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, same);
    assert(succeeded(loop) && "a loop takes arguments");
    auto made = cast<scf::ForOp>((*loop).getOperation()); // NOLINT(bugprone-unchecked-optional-access): asserted
    made->setDiscardableAttrs(attributes);
    return made;
  }

  /// Clones the copies for the iteration to which the mapping maps the loop's arguments; returns the groups' tokens.
  SmallVector<Value> emitCopies(IRMapping &mapping, Value exists, Position position) {
    Positions positions(rewriter, loc, position, first.slots);
    SmallVector<Operation *> ops(first.slice.begin(), first.slice.end());
    llvm::append_range(ops, first.ops);
    llvm::sort(ops, [](Operation *left, Operation *right) { return left->isBeforeInBlock(right); });
    SmallVector<Value> tokens;
    for (Operation *op : ops) {
      if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
        auto slot = copy.getBuffer().getDefiningOp<LocalSlotOp>();
        Position at = positions.after(first.steps.lookup(slot));
        mapping.map(
            slot.getResult(),
            LocalSlotOp::create(rewriter, slot.getLoc(), slot.getType(), slot.getSrc(), at.slot, at.phase).getResult());
      }
      Operation *clone = rewriter.clone(*op, mapping);
      executeIf(rewriter, clone, exists);
      if (auto commit = dyn_cast<AsyncCommitOp>(clone)) {
        tokens.push_back(commit.getToken());
      }
    }
    return tokens;
  }

  /// What an iteration yields for the arguments from which addresses are computed.
  SmallVector<Value> nextArguments(scf::ForOp loop, IRMapping &mapping) {
    SmallVector<Value> values;
    for (unsigned number : first.arguments) {
      values.push_back(mapping.lookupOrDefault(loop.getYieldedValues()[number]));
    }
    return values;
  }

  /// Emits the next iteration's copies after the inner loop. Returns what this iteration yields: the tokens, the
  /// position, and the arguments of the iteration after the next.
  SmallVector<Value> emitNext(scf::ForOp loop, ValueRange ahead) {
    rewriter.setInsertionPointAfter(first.end);
    Value index = loop.getInductionVar();
    Value left = arith::SubIOp::create(rewriter, loc, loop.getUpperBound(), index); // positive, without a sign
    Value exists = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ugt, left, loop.getStep());
    IRMapping mapping;
    mapping.map(index, arith::AddIOp::create(rewriter, loc, index, loop.getStep()).getResult());
    for (auto [number, value] : llvm::zip_equal(first.arguments, ahead)) {
      mapping.map(loop.getRegionIterArg(number), value);
    }
    const auto *start =
        llvm::find_if(first.positions, [](const CarriedPosition &position) { return position.steps == 0; });
    Position position = {first.inner.getResult(start->slot), first.inner.getResult(start->phase)};
    SmallVector<Value> yields = emitCopies(mapping, exists, position);
    yields.append({position.slot, position.phase});
    yields.append(nextArguments(loop, mapping));
    return yields;
  }

  /// Lets the inner loop begin at the carried position, with the carried tokens.
  void useCarried(scf::ForOp loop, ValueRange tokens, Position position) {
    rewriter.setInsertionPointToStart(loop.getBody());
    Positions positions(rewriter, loc, position, first.slots);
    for (auto [slot, steps] : first.steps) {
      Position at = positions.after(steps);
      cast<LocalSlotOp>(slot).getIndexMutable().assign(at.slot);
      cast<LocalSlotOp>(slot).getPhaseMutable().assign(at.phase);
    }
    for (const CarriedPosition &carried : first.positions) {
      Position at = positions.after(carried.steps);
      first.inner.getInitArgsMutable()[carried.slot].assign(at.slot);
      first.inner.getInitArgsMutable()[carried.phase].assign(at.phase);
    }
    for (Operation *op : llvm::reverse(first.ops)) {
      if (auto commit = dyn_cast<AsyncCommitOp>(op)) {
        rewriter.replaceAllUsesWith(commit.getToken(), tokens.back());
        tokens = tokens.drop_back();
      }
      rewriter.eraseOp(op);
    }
  }

  IRRewriter rewriter;
  Location loc;
  scf::ForOp old;
  FirstCopies &first;
};
} // namespace

namespace {
class PipelineOuterLoops : public tilegpu::impl::PipelineOuterLoopsBase<PipelineOuterLoops> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      ReadOnlyMemory readOnly(function);
      SmallVector<scf::ForOp> loops;
      function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
      for (scf::ForOp loop : loops) {
        std::optional<FirstCopies> first = collect(loop, readOnly);
        if (first && moveBuffers(loop, *first)) {
          Rotation(loop, *first).run();
        }
      }
    }
  }
};
} // namespace
