#include "LoopWithCopies.h"

using namespace mlir;

namespace tilewright::tilegpu {

unsigned LoopWithCopies::stageOf(Part part) const {
  auto last = static_cast<unsigned>(hasEarly() ? slots : slots - 1);
  switch (part) {
  case Ahead:
    return 0;
  case Wait:
  case Early:
    return static_cast<unsigned>(slots - 1);
  case Late:
    return last;
  }
}

IntegerAttr LoopWithCopies::iterationOf(Part part) {
  return builder.getI64IntegerAttr(static_cast<int64_t>(stageOf(Late) - stageOf(part)));
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
  inits.append(hasEarly() ? 3 : 2, zero);
  auto loop = scf::ForOp::create(builder, old.getLoc(), old.getLowerBound(), old.getUpperBound(), old.getStep(), inits);
  loop->setDiscardableAttrs(old->getDiscardableAttrDictionary());
  loop->removeAttr(TileGPUDialect::kNumStagesAttr);
  ValueRange arguments = loop.getRegionIterArgs();
  arguments = mapArguments(ofLate, parts.lateArguments, arguments, loop);
  arguments = mapArguments(ofAhead, parts.aheadArguments, arguments, loop);
  aheadSlot = arguments[0];
  lateSlot = arguments[1];
  earlySlot = hasEarly() ? arguments[2] : Value();
  return loop;
}

//===----------------------------------------------------------------------===//
// The parts
//===----------------------------------------------------------------------===//

void LoopWithCopies::clone(Operation *op, Part part, IRMapping &mapping) {
  Operation *copy = builder.clone(*op, mapping);
  copy->removeAttr(TileGPUDialect::kStageAttr);
  operations[part].push_back(copy);
}

void LoopWithCopies::emitCopy(tile::LoadOp load, Value buffer) {
  auto type = cast<BufferType>(buffer.getType()).getSlot();
  Value slot = make<LocalSlotOp>(Ahead, load.getLoc(), type, buffer, aheadSlot, iterationOf(Ahead));
  make<AsyncCopyOp>(Ahead, load.getLoc(), ofAhead.lookupOrDefault(load.getPtr()), slot,
                    load.getMask() ? ofAhead.lookupOrDefault(load.getMask()) : Value(),
                    load.getOther() ? ofAhead.lookupOrDefault(load.getOther()) : Value(), load.getCache(),
                    load.getEvict(), load.getContiguityAttr(), load.getVectorWidthAttr());
}

Value LoopWithCopies::nextSlot(Part part, Value slot) {
  Location loc = old.getLoc();
  Value next = make<arith::AddIOp>(part, loc, slot, constant(part, 1));
  Value isEnd = make<arith::CmpIOp>(part, loc, arith::CmpIPredicate::eq, next, constant(part, slots));
  return make<arith::SelectOp>(part, loc, isEnd, constant(part, 0), next);
}

void LoopWithCopies::emitAhead() {
  for (Operation *op : parts.ahead) {
    auto load = dyn_cast<tile::LoadOp>(op);
    if (!load) {
      clone(op, Ahead, ofAhead);
      continue;
    }
    for (auto [store, buffer] : llvm::zip_equal(parts.stores, buffers)) {
      if (store.getSrc() == load.getResult()) {
        emitCopy(load, buffer);
      }
    }
  }
  make<AsyncCommitOp>(Ahead, old.getLoc());
}

/// Maps each buffer to the current slot of this part.
void LoopWithCopies::mapSlots(Part part, IRMapping &mapping, Value slot) {
  for (auto [store, buffer] : llvm::zip_equal(parts.stores, buffers)) {
    auto one = make<LocalSlotOp>(part, store.getLoc(), store.getBuffer().getType(), buffer, slot, iterationOf(part));
    mapping.map(store.getBuffer(), one.getResult());
  }
}

void LoopWithCopies::emitEarly() {
  mapSlots(Early, ofEarly, earlySlot);
  for (Operation *op : parts.early) {
    clone(op, Early, ofEarly);
    ofLate.map(op->getResult(0), ofEarly.lookup(op->getResult(0)));
  }
}

void LoopWithCopies::emitLate() {
  mapSlots(Late, ofLate, lateSlot);
  for (Operation &op : old.getBody()->without_terminator()) {
    bool isReplaced = op.getNumResults() == 1 && ofLate.contains(op.getResult(0));
    if (parts.late.contains(&op) && !isReplaced) {
      clone(&op, Late, ofLate);
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
  yields.append({nextSlot(Ahead, aheadSlot), nextSlot(Late, lateSlot)});
  if (hasEarly()) {
    yields.push_back(nextSlot(Early, earlySlot));
  }
  scf::YieldOp::create(builder, old.getLoc(), yields);
}

scf::ForOp LoopWithCopies::build() {
  allocate();
  scf::ForOp loop = emptyLoop();
  builder.setInsertionPointToEnd(loop.getBody());
  make<AsyncWaitOp>(Wait, old.getLoc(), static_cast<uint32_t>(slots - 2));
  emitAhead();
  if (hasEarly()) {
    emitEarly();
  }
  emitLate();
  emitYield();
  for (auto [index, number] : llvm::enumerate(parts.lateArguments)) {
    old.getResult(number).replaceAllUsesWith(loop.getResult(index));
  }
  old.erase();
  return loop;
}

/// The position of an iteration's wait: as late as possible, but before its last dot, which overlaps with the wait at
/// the barrier and the loads.
static size_t placeOfWait(ArrayRef<Operation *> late) {
  auto isProduct = [](Operation *op) { return isa<MmaOp>(op); };
  auto last = llvm::find_if(llvm::reverse(late), isProduct);
  return static_cast<size_t>(late.rend() - last) - 1;
}

Schedule LoopWithCopies::schedule() const {
  ArrayRef<Operation *> late = operations[Late];
  size_t split = hasEarly() ? placeOfWait(late) : 0;
  Schedule schedule;
  auto add = [&](Part part, ArrayRef<Operation *> ops) {
    for (Operation *op : ops) {
      schedule.emplace_back(op, stageOf(part));
    }
  };
  add(Late, late.take_front(split));
  add(Wait, operations[Wait]);
  add(Early, operations[Early]);
  add(Ahead, operations[Ahead]);
  add(Late, late.drop_front(split));
  return schedule;
}

} // namespace tilewright::tilegpu
