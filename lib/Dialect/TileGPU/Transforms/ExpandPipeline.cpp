// expand-pipeline: loops whose loads run iterations ahead of the rest. See Passes.td.
//
//     with 3 stages:      copy(0) copy(1)            prologue, copies of iterations that there are
//                         scf.for i
//                           async_wait 1             iteration i is there
//                           copy(i + 2)              into the slot that iteration i - 1 has read
//                           local_load(i), mma ...
//                         async_wait 0
//
// First the loop is written anew with asynchronous copies and slots that are numbered apart for copying and
// reading; then upstream's pipeliner lets the copies go ahead.

#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_EXPANDPIPELINE
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

static bool isAhead(Operation *op) {
  auto stage = op->getAttrOfType<IntegerAttr>(TileGPUDialect::kStageAttr);
  return stage && stage.getInt() == 0;
}

//===----------------------------------------------------------------------===//
// What of the loop goes ahead, and what stays
//===----------------------------------------------------------------------===//

namespace {
/// The two halves of a loop. What both need, such as a counter that addresses and the rest are computed from, is
/// in both.
struct Halves {
  SmallVector<Operation *> ahead;   ///< addresses and loads
  SmallVector<LocalStoreOp> stores; ///< that copies replace
  llvm::SetVector<Operation *> late;
  llvm::SetVector<unsigned> aheadArguments, lateArguments; ///< numbers of the loop's

  explicit Halves(scf::ForOp loop);

private:
  void addLate(Value value, scf::ForOp loop);
};
} // namespace

/// The number of the loop's argument that a value is.
static std::optional<unsigned> argumentNumber(Value value, scf::ForOp loop) {
  auto argument = dyn_cast<BlockArgument>(value);
  bool isCarried = argument && argument.getOwner() == loop.getBody() && argument != loop.getInductionVar();
  return isCarried ? std::optional(argument.getArgNumber() - loop.getNumInductionVars()) : std::nullopt;
}

Halves::Halves(scf::ForOp loop) {
  SmallVector<Value> needed;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (!isAhead(&op)) {
      late.insert(&op);
      op.walk([&](Operation *inner) { llvm::append_range(needed, inner->getOperands()); });
    } else if (auto store = dyn_cast<LocalStoreOp>(op)) {
      stores.push_back(store);
    } else {
      ahead.push_back(&op);
      for (Value operand : op.getOperands()) {
        if (std::optional<unsigned> number = argumentNumber(operand, loop)) {
          aheadArguments.insert(*number);
        }
      }
    }
  }
  for (OpResult result : loop->getResults()) {
    if (!result.use_empty()) {
      needed.push_back(loop.getRegionIterArg(result.getResultNumber()));
    }
  }
  for (Value value : needed) {
    addLate(value, loop);
  }
}

void Halves::addLate(Value value, scf::ForOp loop) {
  if (std::optional<unsigned> number = argumentNumber(value, loop)) {
    if (lateArguments.insert(*number)) {
      addLate(loop.getYieldedValues()[*number], loop);
    }
    return;
  }
  Operation *op = value.getDefiningOp();
  if (op && op->getBlock() == loop.getBody() && late.insert(op)) {
    for (Value operand : op->getOperands()) {
      addLate(operand, loop);
    }
  }
}

//===----------------------------------------------------------------------===//
// The loop with copies
//===----------------------------------------------------------------------===//

namespace {
using Schedule = std::vector<std::pair<Operation *, unsigned>>;

/// Writes the loop anew: first the wait, then the ahead half, then the late one, each with its own arguments and its
/// own count of slots.
class LoopWithCopies {
public:
  LoopWithCopies(scf::ForOp loop, int stages) : old(loop), halves(loop), stages(stages), builder(loop) {}

  scf::ForOp build();
  const Schedule &schedule() const { return operations; }

private:
  /// Notes the stage of an operation that was just made.
  template <typename Op, typename... Args> Op make(unsigned stage, Args &&...args) {
    auto op = Op::create(builder, std::forward<Args>(args)...);
    operations.emplace_back(op, stage);
    return op;
  }

  Value constant(unsigned stage, int value) {
    return make<arith::ConstantOp>(stage, old.getLoc(), builder.getI32IntegerAttr(value));
  }

  void allocate();
  scf::ForOp emptyLoop();
  void emitAhead();
  void emitLate();
  Value nextSlot(unsigned stage, Value slot);
  void emitCopy(tile::LoadOp load, Value buffer);
  void clone(Operation *op, unsigned stage, IRMapping &mapping);

  unsigned last() const { return static_cast<unsigned>(stages - 1); }

  scf::ForOp old;
  Halves halves;
  int stages;
  OpBuilder builder;
  IRMapping ofAhead, ofLate;
  SmallVector<Value> buffers; ///< per store
  Value writeSlot, readSlot;
  Schedule operations;
};
} // namespace

void LoopWithCopies::allocate() {
  for (LocalStoreOp store : halves.stores) {
    BufferType one = store.getBuffer().getType();
    auto type = BufferType::get(builder.getContext(), stages, one.getShape(), one.getElementType(), one.getLayout());
    buffers.push_back(LocalAllocOp::create(builder, store.getLoc(), type, IntegerAttr()));
  }
}

scf::ForOp LoopWithCopies::emptyLoop() {
  SmallVector<Value> inits;
  auto addInits = [&](const llvm::SetVector<unsigned> &numbers) {
    for (unsigned number : numbers) {
      inits.push_back(old.getInitArgs()[number]);
    }
  };
  addInits(halves.lateArguments);
  addInits(halves.aheadArguments);
  Value zero = arith::ConstantIntOp::create(builder, old.getLoc(), 0, 32);
  inits.append({zero, zero});
  auto loop = scf::ForOp::create(builder, old.getLoc(), old.getLowerBound(), old.getUpperBound(), old.getStep(), inits);
  loop->setDiscardableAttrs(old->getDiscardableAttrDictionary());
  loop->removeAttr(TileGPUDialect::kNumStagesAttr);
  ValueRange arguments = loop.getRegionIterArgs();
  for (auto [mapping, numbers] : {std::pair(&ofLate, &halves.lateArguments), {&ofAhead, &halves.aheadArguments}}) {
    mapping->map(old.getInductionVar(), loop.getInductionVar());
    for (unsigned number : *numbers) {
      mapping->map(old.getRegionIterArg(number), arguments.front());
      arguments = arguments.drop_front();
    }
  }
  writeSlot = arguments[0];
  readSlot = arguments[1];
  return loop;
}

void LoopWithCopies::clone(Operation *op, unsigned stage, IRMapping &mapping) {
  Operation *copy = builder.clone(*op, mapping);
  copy->removeAttr(TileGPUDialect::kStageAttr);
  operations.emplace_back(copy, stage);
}

void LoopWithCopies::emitCopy(tile::LoadOp load, Value buffer) {
  auto type = cast<BufferType>(buffer.getType()).getSlot();
  Value slot = make<LocalSlotOp>(0, load.getLoc(), type, buffer, writeSlot);
  make<AsyncCopyOp>(0, load.getLoc(), ofAhead.lookupOrDefault(load.getPtr()), slot,
                    load.getMask() ? ofAhead.lookupOrDefault(load.getMask()) : Value(),
                    load.getOther() ? ofAhead.lookupOrDefault(load.getOther()) : Value(), load.getCache(),
                    load.getEvict());
}

Value LoopWithCopies::nextSlot(unsigned stage, Value slot) {
  Location loc = old.getLoc();
  Value next = make<arith::AddIOp>(stage, loc, slot, constant(stage, 1));
  Value isEnd = make<arith::CmpIOp>(stage, loc, arith::CmpIPredicate::eq, next, constant(stage, stages));
  return make<arith::SelectOp>(stage, loc, isEnd, constant(stage, 0), next);
}

void LoopWithCopies::emitAhead() {
  for (Operation *op : halves.ahead) {
    auto load = dyn_cast<tile::LoadOp>(op);
    if (!load) {
      clone(op, 0, ofAhead);
      continue;
    }
    for (auto [store, buffer] : llvm::zip_equal(halves.stores, buffers)) {
      if (store.getSrc() == load.getResult()) {
        emitCopy(load, buffer);
      }
    }
  }
  make<AsyncCommitOp>(0, old.getLoc());
}

void LoopWithCopies::emitLate() {
  for (auto [store, buffer] : llvm::zip_equal(halves.stores, buffers)) {
    auto slot = make<LocalSlotOp>(last(), store.getLoc(), store.getBuffer().getType(), buffer, readSlot);
    ofLate.map(store.getBuffer(), slot.getResult());
  }
  for (Operation &op : old.getBody()->without_terminator()) {
    bool isReplaced = op.getNumResults() == 1 && ofLate.contains(op.getResult(0));
    if (halves.late.contains(&op) && !isReplaced) {
      clone(&op, last(), ofLate);
    }
  }
}

scf::ForOp LoopWithCopies::build() {
  allocate();
  scf::ForOp loop = emptyLoop();
  builder.setInsertionPointToEnd(loop.getBody());
  make<AsyncWaitOp>(last(), old.getLoc(), static_cast<uint32_t>(stages - 2));
  emitAhead();
  SmallVector<Value> yields;
  Value nextWrite = nextSlot(0, writeSlot);
  emitLate();
  Value nextRead = nextSlot(last(), readSlot);
  for (auto [mapping, numbers] : {std::pair(&ofLate, &halves.lateArguments), {&ofAhead, &halves.aheadArguments}}) {
    for (unsigned number : *numbers) {
      yields.push_back(mapping->lookupOrDefault(old.getYieldedValues()[number]));
    }
  }
  yields.append({nextWrite, nextRead});
  scf::YieldOp::create(builder, old.getLoc(), yields);
  for (auto [index, number] : llvm::enumerate(halves.lateArguments)) {
    old.getResult(number).replaceAllUsesWith(loop.getResult(index));
  }
  old.erase();
  return loop;
}

//===----------------------------------------------------------------------===//
// Going ahead
//===----------------------------------------------------------------------===//

/// Lets a copy happen only where its iteration exists. All else that goes ahead may as well happen for nothing.
static Operation *predicate(RewriterBase &rewriter, Operation *op, Value exists) {
  auto copy = dyn_cast<AsyncCopyOp>(op);
  if (!copy) {
    return op;
  }
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  auto pointers = cast<RankedTensorType>(copy.getPtr().getType());
  auto type = RankedTensorType::get(pointers.getShape(), rewriter.getI1Type(), pointers.getEncoding());
  Value mask = tile::SplatOp::create(rewriter, op->getLoc(), type, exists);
  if (Value own = copy.getMask()) {
    own = own.getType() == type ? own : tile::SplatOp::create(rewriter, op->getLoc(), type, own).getResult();
    mask = arith::AndIOp::create(rewriter, op->getLoc(), own, mask);
  }
  copy.getMaskMutable().assign(mask);
  return op;
}

static LogicalResult expand(scf::ForOp loop, int stages) {
  LoopWithCopies rewritten(loop, stages);
  scf::PipeliningOption options;
  options.getScheduleFn = [&](scf::ForOp, Schedule &schedule) { schedule = rewritten.schedule(); };
  options.supportDynamicLoops = true;
  options.peelEpilogue = false;
  options.predicateFn = predicate;
  IRRewriter rewriter(loop.getContext());
  Location loc = loop.getLoc();
  scf::ForOp withCopies = rewritten.build();
  rewriter.setInsertionPoint(withCopies);
  FailureOr<scf::ForOp> pipelined = scf::pipelineForLoop(rewriter, withCopies, options);
  if (failed(pipelined)) {
    return emitError(loc) << "this loop cannot be pipelined; num_stages=1 leaves it as it is";
  }
  rewriter.setInsertionPointAfter(*pipelined);
  AsyncWaitOp::create(rewriter, loc, 0U); // copies fill with zeros where iterations do not exist
  return success();
}

namespace {
class ExpandPipeline : public tilegpu::impl::ExpandPipelineBase<ExpandPipeline> {
  void runOnOperation() override {
    SmallVector<std::pair<scf::ForOp, int>> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      if (auto stages = loop->getAttrOfType<IntegerAttr>(TileGPUDialect::kNumStagesAttr)) {
        loops.emplace_back(loop, static_cast<int>(stages.getInt()));
      }
    });
    for (auto [loop, stages] : loops) { // inner loops come first
      if (failed(expand(loop, stages))) {
        return signalPassFailure();
      }
    }
  }
};
} // namespace
