#include "LoopWithCopies.h"

#include "../OwnAccesses.h"
#include "tilewright/Layout/Shared.h"

using namespace mlir;

namespace tilewright::tilegpu {

/// Whether the copies are of boxes: `plan-boxes` makes all of a loop or none such copies.
static bool copiesBoxes(const LoopParts &parts) { return llvm::any_of(parts.ahead.ops, llvm::IsaPred<BoxPointersOp>); }

LoopWithCopies::LoopWithCopies(scf::ForOp loop)
    : old(loop), parts(loop), isThroughRegisters(targetOf(loop).copiesThroughRegisters()), builder(loop) {
  planWait();
}

//===----------------------------------------------------------------------===//
// The wait and the number of slots
//===----------------------------------------------------------------------===//

/// Whether the operation, or one nested in it, reads the data of a copy.
bool LoopWithCopies::readsCopy(Operation *op) const {
  WalkResult result = op->walk([&](Operation *inner) {
    bool reads = llvm::any_of(parts.stores, [&](LocalStoreOp store) {
      return llvm::is_contained(inner->getOperands(), LocalStoreOp(store).getBuffer());
    });
    return reads ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Whether the operation is a read by the threads that have made the copy.
bool LoopWithCopies::isOwnRead(Operation *op) const {
  auto read = dyn_cast<LocalLoadOp>(op);
  return read && !copiesBoxes(parts) &&
         llvm::any_of(parts.stores, [&](LocalStoreOp store) { return readsOwnCopy(read, store); });
}

/// The number of slots such that the copies write none that this read may still read. Reads before the wait are
/// separated from the copies by the barrier after it; those after the wait are not. A thread's own reads are, if they
/// come first, and stores of threads have barriers of their own.
int64_t LoopWithCopies::slotsFor(Position read, bool isOwn) const {
  auto isBeforeStore = [&](LocalStoreOp store) { return read.cluster < positionOf(store).cluster; };
  bool isSeparated = isThroughRegisters ? llvm::all_of(parts.stores, isBeforeStore)
                     : isOwn            ? read.cluster < parts.ahead.first.cluster
                                        : read.cluster < wait.cluster;
  return read.stage - parts.ahead.first.stage + (isSeparated ? 0 : 1);
}

SmallVector<LoopWithCopies::Read> LoopWithCopies::findReads() {
  SmallVector<Read> reads;
  for (Operation &op : old.getBody()->without_terminator()) {
    if (positionOf(&op).stage != parts.ahead.first.stage && readsCopy(&op)) {
      reads.push_back({positionOf(&op), isOwnRead(&op)});
    }
  }
  if (reads.empty()) {
    reads.push_back({parts.late.first, /*isOwn=*/false});
  }
  return reads;
}

void LoopWithCopies::planWait() {
  SmallVector<Read> reads = findReads();
  wait = llvm::min_element(reads, [](const Read &left, const Read &right) {
           return std::pair(left.position.stage, left.position.cluster) <
                  std::pair(right.position.stage, right.position.cluster);
         })->position;
  wait.cluster = std::min(wait.cluster, parts.ahead.first.cluster);
  for (const Read &read : reads) {
    slots = std::max(slots, slotsFor(read.position, read.isOwn));
  }
  if (auto kept = old->getAttrOfType<IntegerAttr>(TileGPUDialect::kKeptSlotsAttr)) {
    slots += kept.getInt();
    old->removeAttr(TileGPUDialect::kKeptSlotsAttr);
  }
}

//===----------------------------------------------------------------------===//
// Buffers and arguments
//===----------------------------------------------------------------------===//

void LoopWithCopies::allocate() {
  for (LocalStoreOp store : parts.stores) {
    BufferType one = store.getBuffer().getType();
    auto type = BufferType::get(builder.getContext(), slots, one.getShape(), one.getElementType(), one.getLayout());
    buffers.push_back(LocalAllocOp::create(builder, store.getLoc(), type, IntegerAttr()));
  }
  if (copiesBoxes(parts)) {
    MLIRContext *context = builder.getContext();
    auto pair = LayoutAttr::get(context, layout::swizzled({2}, {0}));
    auto type = BufferType::get(context, slots, {2}, builder.getI64Type(), pair);
    ring = LocalAllocOp::create(builder, old.getLoc(), type, IntegerAttr());
    RingBeginOp::create(builder, old.getLoc(), ring);
  }
}

ValueRange LoopWithCopies::mapArguments(IRMapping &mapping, const llvm::SetVector<unsigned> &numbers,
                                        ValueRange arguments, scf::ForOp loop) {
  mapping.map(old.getInductionVar(), loop.getInductionVar());
  for (unsigned number : numbers) {
    mapping.map(old.getRegionIterArg(number), arguments.front());
    arguments = arguments.drop_front();
  }
  return arguments;
}

scf::ForOp LoopWithCopies::emptyLoop() {
  SmallVector<Value> inits;
  for (const llvm::SetVector<unsigned> *numbers : {&parts.lateArguments, &parts.aheadArguments}) {
    for (unsigned number : *numbers) {
      inits.push_back(old.getInitArgs()[number]);
    }
  }
  Value zero = arith::ConstantIntOp::create(builder, old.getLoc(), 0, 32);
  Value even = arith::ConstantIntOp::create(builder, old.getLoc(), 0, 1);
  for (size_t i = 0; i < 2 + parts.between.size(); ++i) {
    inits.append({zero, even});
  }
  auto loop = scf::ForOp::create(builder, old.getLoc(), old.getLowerBound(), old.getUpperBound(), old.getStep(), inits);
  loop->setDiscardableAttrs(old->getDiscardableAttrDictionary());
  ValueRange arguments = loop.getRegionIterArgs();
  arguments = mapArguments(ofLate, parts.lateArguments, arguments, loop);
  arguments = mapArguments(ofAhead, parts.aheadArguments, arguments, loop);
  auto takeSlot = [&] {
    Slot slot = {arguments[0], arguments[1]};
    arguments = arguments.drop_front(2);
    return slot;
  };
  aheadSlot = takeSlot();
  lateSlot = takeSlot();
  while (!arguments.empty()) {
    betweenSlots.push_back(takeSlot());
  }
  return loop;
}

//===----------------------------------------------------------------------===//
// The stages
//===----------------------------------------------------------------------===//

void LoopWithCopies::record(Operation *op, Position position) {
  op->removeAttr(TileGPUDialect::kScheduleAttr);
  if (position.partition != 0) {
    op->setAttr(TileGPUDialect::kPartitionAttr, builder.getI64IntegerAttr(position.partition));
  }
  operations.push_back({op, position});
}

/// Reads of copied data follow the wait, if there is one.
Operation *LoopWithCopies::clone(Operation *op, Position position, IRMapping &mapping) {
  Operation *copy = builder.clone(*op, mapping);
  record(copy, position);
  auto isCopied = [&](Value buffer) {
    auto slot = buffer.getDefiningOp<LocalSlotOp>();
    return done && slot && llvm::is_contained(buffers, slot.getSrc());
  };
  copy->walk([&](Operation *inner) {
    if (auto load = dyn_cast<LocalLoadOp>(inner); load && isCopied(load.getBuffer())) {
      load.getAfterMutable().assign(done);
    } else if (auto gather = dyn_cast<LocalGatherOp>(inner); gather && isCopied(gather.getBuffer())) {
      gather.getAfterMutable().assign(done);
    }
  });
  return copy;
}

Value LoopWithCopies::ringSlot(Position position, Slot slot) {
  auto type = cast<BufferType>(ring.getType()).getSlot();
  return make<LocalSlotOp>(position, old.getLoc(), type, ring, slot.index, slot.phase);
}

/// Before the copies.
void LoopWithCopies::emitAcquire() {
  int64_t bytes = 0;
  for (Value buffer : buffers) {
    bytes += cast<BufferType>(buffer.getType()).getSlotBytes();
  }
  Value slot = ringSlot(parts.ahead.first, aheadSlot);
  make<RingAcquireOp>(parts.ahead.first, old.getLoc(), slot, aheadSlot.phase, builder.getI64IntegerAttr(bytes),
                      Value());
}

void LoopWithCopies::emitBoxCopy(tile::LoadOp load, BoxPointersOp box, Position position, Value slot) {
  auto coordinates =
      llvm::map_to_vector(box.getCoordinates(), [&](Value start) { return ofAhead.lookupOrDefault(start); });
  make<BoxCopyOp>(position, load.getLoc(), box.getMapAttr(), coordinates, slot, ringSlot(position, aheadSlot), Value());
}

/// Returns the token of an asynchronous copy; null for a copy of boxes, which the ring counts.
Value LoopWithCopies::emitCopy(tile::LoadOp load, Position position, Value buffer) {
  auto type = cast<BufferType>(buffer.getType()).getSlot();
  Value slot = make<LocalSlotOp>(position, load.getLoc(), type, buffer, aheadSlot.index, aheadSlot.phase);
  if (auto box = load.getPtr().getDefiningOp<BoxPointersOp>()) {
    emitBoxCopy(load, box, position, slot);
    return {};
  }
  return make<AsyncCopyOp>(position, load.getLoc(), tokenType(), ofAhead.lookupOrDefault(load.getPtr()), slot,
                           load.getMask() ? ofAhead.lookupOrDefault(load.getMask()) : Value(),
                           load.getOther() ? ofAhead.lookupOrDefault(load.getOther()) : Value(), load.getCache(),
                           load.getEvict(), load.getContiguityAttr(), load.getVectorWidthAttr());
}

LoopWithCopies::Slot LoopWithCopies::nextSlot(Position position, Slot slot) {
  auto next = make<RingNextOp>(position, old.getLoc(), slot.index.getType(), slot.phase.getType(), slot.index,
                               slot.phase, builder.getI64IntegerAttr(slots));
  return {next.getNext(), next.getNextPhase()};
}

/// The value of a load is also that of its other users, in later stages.
void LoopWithCopies::emitLoadAndStores(Operation *op) {
  Operation *load = clone(op, positionOf(op), ofAhead);
  ofLate.map(op->getResults(), load->getResults());
  for (auto [store, buffer] : llvm::zip_equal(parts.stores, buffers)) {
    if (store.getSrc().getDefiningOp() == op) {
      Position position = positionOf(store);
      auto type = cast<BufferType>(buffer.getType()).getSlot();
      Value slot = make<LocalSlotOp>(position, store.getLoc(), type, buffer, aheadSlot.index, aheadSlot.phase);
      make<LocalStoreOp>(position, store.getLoc(), load->getResult(0), slot);
    }
  }
}

void LoopWithCopies::emitAhead() {
  SmallVector<Value> copies;
  if (ring) {
    emitAcquire();
  }
  for (Operation *op : parts.ahead.ops) {
    if (isThroughRegisters && isa<tile::LoadOp>(op)) {
      emitLoadAndStores(op);
      continue;
    }
    bool isCopied = false;
    for (auto [store, buffer] : llvm::zip_equal(parts.stores, buffers)) {
      if (store.getSrc().getDefiningOp() == op) {
        copies.push_back(emitCopy(cast<tile::LoadOp>(op), positionOf(op), buffer));
        isCopied = true;
      }
    }
    if (!isCopied) {
      Operation *made = clone(op, positionOf(op), ofAhead);
      if (isa<tile::LoadOp>(op)) {
        ofLate.map(op->getResults(), made->getResults());
      }
    }
  }
  if (!ring && !isThroughRegisters) {
    token = make<AsyncCommitOp>(parts.ahead.last, old.getLoc(), tokenType(), copies);
  }
}

/// The current slot of the stage that waits.
LoopWithCopies::Slot LoopWithCopies::waitSlot() const {
  auto stage = parts.between.find(wait.stage);
  return stage == parts.between.end() ? lateSlot : betweenSlots[std::distance(parts.between.begin(), stage)];
}

void LoopWithCopies::emitWait() {
  if (isThroughRegisters) {
    return;
  }
  if (ring) {
    Value slot = ringSlot(wait, waitSlot());
    operations.back().isWait = true;
    done = make<RingWaitOp>(wait, old.getLoc(), tokenType(), slot, waitSlot().phase, Value());
    operations.back().isWait = true;
    return;
  }
  done = make<AsyncWaitOp>(wait, old.getLoc(), tokenType(), token, IntegerAttr());
  operations.back().isWait = true;
}

/// Maps each buffer to the current slot of this stage.
void LoopWithCopies::mapSlots(const StageOps &stage, IRMapping &mapping, Slot slot) {
  for (auto [store, buffer] : llvm::zip_equal(parts.stores, buffers)) {
    auto one =
        make<LocalSlotOp>(stage.first, store.getLoc(), store.getBuffer().getType(), buffer, slot.index, slot.phase);
    mapping.map(store.getBuffer(), one.getResult());
  }
}

void LoopWithCopies::emitBetween(const StageOps &stage, Slot slot) {
  IRMapping mapping = ofLate;
  mapSlots(stage, mapping, slot);
  for (Operation *op : stage.ops) {
    Operation *copy = clone(op, positionOf(op), mapping);
    ofLate.map(op->getResults(), copy->getResults());
  }
}

void LoopWithCopies::emitLate() {
  mapSlots(parts.late, ofLate, lateSlot);
  for (auto [index, op] : llvm::enumerate(parts.late.ops)) {
    bool isReplaced = op->getNumResults() == 1 && ofLate.contains(op->getResult(0));
    if (!isReplaced) {
      clone(op, parts.latePosition(index), ofLate);
    }
  }
}

//===----------------------------------------------------------------------===//
// Assembling the loop
//===----------------------------------------------------------------------===//

void LoopWithCopies::emitYield() {
  SmallVector<Value> yields;
  for (auto [mapping, numbers] : {std::pair(&ofLate, &parts.lateArguments), {&ofAhead, &parts.aheadArguments}}) {
    for (unsigned number : *numbers) {
      yields.push_back(mapping->lookupOrDefault(old.getYieldedValues()[number]));
    }
  }
  auto yieldNext = [&](Position position, Slot slot) {
    Slot next = nextSlot(position, slot);
    yields.append({next.index, next.phase});
  };
  yieldNext(parts.ahead.last, aheadSlot);
  yieldNext(parts.late.last, lateSlot);
  for (auto [stage, slot] : llvm::zip_equal(llvm::make_second_range(parts.between), betweenSlots)) {
    yieldNext(stage.last, slot);
  }
  scf::YieldOp::create(builder, old.getLoc(), yields);
}

scf::ForOp LoopWithCopies::build() {
  allocate();
  scf::ForOp loop = emptyLoop();
  builder.setInsertionPointToEnd(loop.getBody());
  emitAhead();
  emitWait();
  for (auto [stage, slot] : llvm::zip_equal(llvm::make_second_range(parts.between), betweenSlots)) {
    emitBetween(stage, slot);
  }
  emitLate();
  emitYield();
  for (auto [index, number] : llvm::enumerate(parts.lateArguments)) {
    old.getResult(number).replaceAllUsesWith(loop.getResult(index));
  }
  old.erase();
  return loop;
}

Schedule LoopWithCopies::schedule() const {
  SmallVector<Scheduled> sorted(operations);
  llvm::stable_sort(sorted, [](const Scheduled &left, const Scheduled &right) {
    return std::pair(left.position.cluster, !left.isWait) < std::pair(right.position.cluster, !right.isWait);
  });
  Schedule schedule;
  for (const Scheduled &scheduled : sorted) {
    schedule.emplace_back(scheduled.op, static_cast<unsigned>(scheduled.position.stage));
  }
  return schedule;
}

} // namespace tilewright::tilegpu
