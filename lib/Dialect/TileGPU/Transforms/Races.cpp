#include "Races.h"

#include "Buffers.h"
#include "OwnAccesses.h"
#include "RingPositions.h"
#include "tilewright/Analysis/LoopSteps.h"
#include "tilewright/Dialect/TileGPU/IR/AccessWidth.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tilewright::tilegpu {

//===----------------------------------------------------------------------===//
// Accesses of operations
//===----------------------------------------------------------------------===//

/// The accesses through those operands on which the operation has read or write effects.
SmallVector<MemoryAccess, 2> MemoryAccesses::find(Operation *op) {
  SmallVector<MemoryAccess, 2> accesses;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface) {
    return accesses;
  }
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    Value value = effect.getValue();
    if (!value || !isa<MemoryEffects::Read, MemoryEffects::Write>(effect.getEffect())) {
      continue;
    }
    MemoryAccess access;
    access.op = access.since = op;
    access.partition = partitionOf(op);
    access.isWrite = isa<MemoryEffects::Write>(effect.getEffect());
    if (auto alloc = isa<BufferType>(value.getType()) ? allocationOf(value) : LocalAllocOp()) {
      access.alloc = alloc;
      access.begin = static_cast<int64_t>(alloc.getOffset().value_or(0));
      access.end = access.begin + alloc.getType().getBytes();
      access.slot = value.getDefiningOp<LocalSlotOp>();
    } else if (!isa<BufferType>(value.getType())) {
      access.pointer = value;
      access.roots = &roots.find(value);
      access.isReadOnly = readOnly.contains(*access.roots);
    }
    accesses.push_back(access);
  }
  return accesses;
}

ArrayRef<MemoryAccess> MemoryAccesses::startedBy(Operation *op) {
  auto &accesses = started[op];
  if (!accesses) {
    accesses = std::make_unique<SmallVector<MemoryAccess, 2>>(find(op));
  }
  return *accesses;
}

ArrayRef<MemoryAccess> MemoryAccesses::completedBy(Operation *op) {
  auto wait = dyn_cast<AsyncWaitOp>(op);
  if (!wait) {
    return isa<AsyncCopyOp>(op) ? ArrayRef<MemoryAccess>() : startedBy(op);
  }
  auto &accesses = waitedFor[op];
  if (accesses) {
    return *accesses;
  }
  SmallVector<MemoryAccess, 2> copied;
  for (Value token : wait.getTokens()) {
    for (auto [copy, isForwarded] : tokens.find(token)) {
      for (MemoryAccess access : startedBy(copy)) {
        access.since = op;
        access.partition = partitionOf(op);
        access.isOfEarlierIteration = isForwarded;
        copied.push_back(access);
      }
    }
  }
  return *(waitedFor[op] = std::make_unique<SmallVector<MemoryAccess, 2>>(std::move(copied)));
}

//===----------------------------------------------------------------------===//
// When order matters
//===----------------------------------------------------------------------===//

/// Whether both are atomics whose order does not matter: of the same kind, and without uses of the old values.
static bool commute(Operation *left, Operation *right) {
  auto one = dyn_cast<tile::AtomicRMWOp>(left), other = dyn_cast<tile::AtomicRMWOp>(right);
  return one && other && one.getKind() == other.getKind() && one.getKind() != tile::RMWKind::Xchg && one.use_empty() &&
         other.use_empty();
}

/// Whether both accesses to an element are by the same thread: they use the same pointer tile, whose pointers are all
/// different and each held by one thread. In another iteration the pointers must be the same, or differ by multiples of
/// the number of elements, a power of two: then equal addresses are those of the same place in the tile.
static bool isByOneThread(const MemoryAccess &left, bool isEarlier, const MemoryAccess &right) {
  auto type = dyn_cast<RankedTensorType>(left.pointer.getType());
  auto access = dyn_cast<tile::MemoryAccessOpInterface>(left.op);
  if (left.pointer != right.pointer || !type || !access) {
    return false;
  }
  bool isShared = !hasOneThreadPerElement(mapOf(type));
  int wide = -1;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    if (size > 1) {
      isShared |= wide >= 0;
      wide = static_cast<int>(dim);
    }
  }
  bool isOwn = !isShared && (wide < 0 || contiguityOf(access, wide) >= type.getDimSize(wide));
  return isOwn && (!isEarlier || stepBetweenIterations(left.pointer) % type.getNumElements() == 0);
}

/// Whether only the first thread executes the operation: a scalar store or atomic. All threads execute scalar loads.
static bool isByFirstThread(Operation *op) {
  auto access = dyn_cast<tile::MemoryAccessOpInterface>(op);
  return access && access.getAccessKind() != tile::AccessKind::Load &&
         !isa<RankedTensorType>(access.getPtr().getType());
}

/// Whether one of the accesses is an atomic with which the other must not be reordered. The atomic itself orders only
/// the accesses of its own thread; those of the other threads need a barrier.
static bool areOrdered(const MemoryAccess &left, const MemoryAccess &right) {
  auto before = dyn_cast<tile::AtomicOpInterface>(left.op), after = dyn_cast<tile::AtomicOpInterface>(right.op);
  return (after && after.releases() && !left.isReadOnly) || (before && before.acquires() && !right.isReadOnly);
}

/// Whether the accesses are to different slots of a buffer. Two slots can be compared while the index of the earlier
/// one has the same value, and by one partition: another one may be in another iteration.
static bool areSlotsApart(const MemoryAccess &left, bool isEarlier, const MemoryAccess &right) {
  LocalSlotOp one = left.slot, other = right.slot;
  if (!one || !other || one.getSrc() != other.getSrc()) {
    return false;
  }
  std::optional<int64_t> index = getConstantIntValue(one.getIndex()),
                         otherIndex = getConstantIntValue(other.getIndex());
  if (index && otherIndex) {
    return *index != *otherIndex;
  }
  std::optional<int64_t> distance =
      isEarlier || left.partition != right.partition
          ? std::nullopt
          : slotsBetween(one.getIndex(), other.getIndex(), one.getSrc().getType().getSlots());
  return distance && *distance != 0;
}

/// Whether the uses of a ring's slots order the accesses: `release-slots` has placed the releases.
static bool areOrderedByRing(const MemoryAccess &left, const MemoryAccess &right) {
  return (isa<BoxCopyOp>(left.op) || isa<BoxCopyOp>(right.op)) && left.alloc == right.alloc;
}

static bool isByGroups(Operation *op) {
  auto store = dyn_cast<BoxStoreOp>(op);
  auto wait = dyn_cast<BoxStoreWaitOp>(op);
  return (store && store.getByGroups()) || (wait && wait.getByGroups());
}

/// Whether the threads of each warp group wait for each other at one of the accesses, and groups access rows of
/// their own.
static bool areOrderedByGroups(const MemoryAccess &left, const MemoryAccess &right) {
  return left.alloc == right.alloc && (isByGroups(left.op) || isByGroups(right.op));
}

/// Whether each warp group orders the accesses by its own waits: no other group writes the same rows. Different
/// stores never have the same map.
static bool areOfRowsOfGroups(Operation *left, Operation *right) {
  auto one = dyn_cast<BoxStoreOp>(left), other = dyn_cast<BoxStoreOp>(right);
  return one && other && one.getApart() && other.getApart() && one.getMap() == other.getMap();
}

bool MemoryAccesses::conflict(const MemoryAccess &left, bool isEarlier, const MemoryAccess &right) {
  bool isOnePartition = left.partition == right.partition;
  if (!left.pointer != !right.pointer || (isOnePartition && isByFirstThread(left.op) && isByFirstThread(right.op))) {
    return false;
  }
  if (left.pointer && areOrdered(left, right)) {
    return true;
  }
  if (!left.isWrite && !right.isWrite) {
    return false;
  }
  if (!left.pointer) {
    bool isByOneThread = left.op == right.op; // in another iteration, to the same bytes of each thread
    bool areOwn = isOnePartition && left.alloc == right.alloc && areByTheSameThreads(left.op, right.op);
    return !isByOneThread && !areOwn && left.begin < right.end && right.begin < left.end &&
           !areOrderedByRing(left, right) && !areOrderedByGroups(left, right) && !areSlotsApart(left, isEarlier, right);
  }
  return mayAlias(*left.roots, *right.roots) && !commute(left.op, right.op) && !areOfRowsOfGroups(left.op, right.op) &&
         !(isOnePartition && isByOneThread(left, isEarlier, right));
}

//===----------------------------------------------------------------------===//
// Recent accesses
//===----------------------------------------------------------------------===//

void RecentAccesses::passBarrier(int64_t partition) {
  auto isSeparated = [&](Entry entry) { return entry.getPointer()->partition == partition; };
  reads.remove_if(isSeparated);
  writes.remove_if(isSeparated);
}

void RecentAccesses::passSharedBarrier(int64_t partition) {
  auto isSeparated = [&](Entry entry) {
    return entry.getPointer()->partition == partition && !entry.getPointer()->pointer;
  };
  reads.remove_if(isSeparated);
  writes.remove_if(isSeparated);
}

void RecentAccesses::leaveIteration(Operation *op) {
  for (Entries *entries : {&reads, &writes}) {
    Entries left;
    for (Entry entry : *entries) {
      const MemoryAccess &access = *entry.getPointer();
      Value place = access.slot ? LocalSlotOp(access.slot).getResult() : access.pointer;
      bool isInside = place && op->isAncestor(place.getParentBlock()->getParentOp());
      left.insert(Entry(&access, entry.getInt() || isInside));
    }
    *entries = std::move(left);
  }
}

bool RecentAccesses::join(const RecentAccesses &other) {
  size_t before = reads.size() + writes.size();
  reads.insert_range(other.reads);
  writes.insert_range(other.writes);
  return reads.size() + writes.size() != before;
}

const MemoryAccess *RecentAccesses::findConflict(const MemoryAccess &later) const {
  auto conflicts = [&](Entry entry) { return MemoryAccesses::conflict(*entry.getPointer(), entry.getInt(), later); };
  const auto *write = llvm::find_if(writes, conflicts);
  if (write != writes.end()) {
    return write->getPointer();
  }
  const auto *read = later.isRead() ? reads.end() : llvm::find_if(reads, conflicts);
  return read != reads.end() ? read->getPointer() : nullptr;
}

} // namespace tilewright::tilegpu
