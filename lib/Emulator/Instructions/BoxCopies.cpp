// cp.async.bulk.tensor: copies of boxes between global and shared memory.
//
// A copy from shared memory is performed when it is issued, or when its thread waits for it, as Settings::copies says:
// until the wait for its reads it has not read, and until the wait for its writes it has not written.

#include "Families.h"

#include "BoxLines.h"

#include "tilewright/Emulator/Block.h"
#include "tilewright/Emulator/Checker.h"

namespace tilewright::emulator {
namespace {

/// The operands of both directions: predicate, rank, address of the map, address in shared memory, barrier,
/// coordinates.
enum Operand { kPredicate, kRank, kMap, kShared, kBarrier, kCoordinates };

/// The copy that the operands describe. Ends the launch for a map that no GPU takes.
BoxCopy copyOf(Thread &thread, int32_t site, const uint64_t *in) {
  auto map = runtime::decode(reinterpret_cast<const void *>(in[kMap]));
  if (!map) {
    thread.fail(Report::Fault, site, "there is no tensor map at the address of its operand");
  }
  if (auto reason = runtime::invalid(*map)) {
    thread.fail(Report::Fault, site, "its tensor map is invalid: " + *reason);
  }
  if (map->rank != in[kRank]) {
    thread.fail(Report::Fault, site,
                "has " + std::to_string(in[kRank]) + " coordinates, but its tensor map has " +
                    std::to_string(map->rank) + " dimensions");
  }
  auto span = static_cast<uint64_t>(map->swizzle);
  if (span != 0 && lineBytes(*map) != span) {
    thread.fail(Report::Fault, site,
                "copies lines of " + std::to_string(lineBytes(*map)) + " bytes with a swizzle of " +
                    std::to_string(span) + " bytes, which the emulator does not support");
  }
  BoxCopy copy;
  copy.thread = thread.index;
  copy.site = site;
  copy.map = *map;
  copy.shared = in[kShared];
  for (unsigned i = 0; i < map->rank; ++i) {
    copy.coordinates[i] = static_cast<int32_t>(in[kCoordinates + i]);
  }
  return copy;
}

void load(Thread &thread, int32_t site, const uint64_t *in, uint64_t *) {
  if (!(in[kPredicate] & 1)) {
    return;
  }
  Block &block = *thread.block;
  TransactionBarrier *barrier = block.transactions.find(in[kBarrier]);
  if (!barrier) {
    thread.fail(Report::Barrier, site,
                "there is no barrier at shared+" +
                    std::to_string(static_cast<int64_t>(in[kBarrier] - reinterpret_cast<uint64_t>(block.shared))));
  }
  BoxLoad load{copyOf(thread, site, in), in[kBarrier], barrier->phase};
  if (!block.checker->issueLoad(thread, load, *barrier)) {
    thread.leave();
  }
  block.transactions.issue(block, std::move(load));
}

//===----------------------------------------------------------------------===//
// From shared memory
//===----------------------------------------------------------------------===//

/// Tickets of reads are unique within a program, also among those of wgmma.
constexpr uint64_t kTicketOfStores = uint64_t(1) << 63;

void issueStore(Thread &thread, int32_t site, const uint64_t *in, std::optional<BoxReduction> reduction) {
  if (!(in[kPredicate] & 1)) {
    return;
  }
  BoxStore store;
  store.copy = copyOf(thread, site, in);
  store.copy.reduction = reduction;
  store.ticket = kTicketOfStores | uint64_t(thread.index) << 40 | thread.storesIssued++;
  if (!thread.block->checker->issueStore(thread, store)) {
    thread.leave();
  }
  if (thread.block->launch.settings.copies == CopyTime::Early) {
    writeBox(store.copy, readBox(store.copy));
  }
  thread.stores.push_back(std::move(store));
}

void store(Thread &thread, int32_t site, const uint64_t *in, uint64_t *) { issueStore(thread, site, in, std::nullopt); }

template <BoxReduction reduction> void reduce(Thread &thread, int32_t site, const uint64_t *in, uint64_t *) {
  issueStore(thread, site, in, reduction);
}

void commit(Thread &thread, int32_t, const uint64_t *, uint64_t *) {
  uint32_t grouped = 0;
  for (uint32_t stores : thread.storeGroups) {
    grouped += stores;
  }
  thread.storeGroups.push_back(static_cast<uint32_t>(thread.stores.size()) - grouped);
}

/// The stores of all but the last `left` groups.
size_t storesBefore(const Thread &thread, uint64_t left) {
  size_t count = 0;
  for (size_t i = 0; i + left < thread.storeGroups.size(); ++i) {
    count += thread.storeGroups[i];
  }
  return count;
}

void waitForReads(Thread &thread, int32_t, const uint64_t *in, uint64_t *) {
  for (size_t i = 0, count = storesBefore(thread, in[0]); i < count; ++i) {
    endStoreReads(thread, thread.stores[i]);
  }
}

void waitForStores(Thread &thread, int32_t, const uint64_t *in, uint64_t *) {
  size_t count = storesBefore(thread, in[0]);
  for (size_t i = 0; i < count; ++i) {
    endStoreReads(thread, thread.stores[i]);
    endStore(thread, thread.stores[i]);
  }
  thread.stores.erase(thread.stores.begin(), thread.stores.begin() + static_cast<ptrdiff_t>(count));
  auto &groups = thread.storeGroups;
  groups.erase(groups.begin(), groups.end() - static_cast<ptrdiff_t>(std::min<size_t>(in[0], groups.size())));
}

/// Does not affect results.
void prefetch(Thread &, int32_t, const uint64_t *, uint64_t *) {}

constexpr const char *kSource = "9.7.9.27.1.2 cp.async.bulk.tensor";
constexpr const char *kReduceSource = "9.7.9.27.1.3 cp.reduce.async.bulk.tensor";

} // namespace

void endStoreReads(Thread &thread, BoxStore &store) {
  if (store.isRead) {
    return;
  }
  store.isRead = true;
  if (thread.block->launch.settings.copies == CopyTime::Late) {
    store.bytes = readBox(store.copy);
  }
  thread.block->checker->endReads(thread, store.copy.site, store.ticket);
}

void endStore(Thread &thread, const BoxStore &store) {
  if (!store.bytes.empty()) {
    writeBox(store.copy, store.bytes);
  }
  thread.block->checker->endStore(thread, store);
}

void endStoresOf(Thread &thread) {
  for (BoxStore &store : thread.stores) {
    if (!store.isRead) {
      thread.report(Report::Copy, store.copy.site, "may still read shared memory when its thread ends");
    }
    endStoreReads(thread, store);
    endStore(thread, store);
  }
  thread.stores.clear();
}

void reportUnseen(Block &block) {
  block.transactions.forUnseen([&](const BoxLoad &load) {
    block.threads[load.copy.thread].report(Report::Copy, load.copy.site,
                                           "may still write shared memory when the program ends: no thread has waited "
                                           "for its barrier");
  });
}

static constexpr Instruction kBoxCopyRows[] = {
    {"cp.async.bulk.tensor.shared.global", nullptr, load, InstructionClass::AsyncCopy,
     "copies a box from global to shared memory, asynchronously, and counts its bytes at a barrier", kSource},
    {"cp.async.bulk.tensor.global.shared", nullptr, store, InstructionClass::AsyncCopy,
     "copies a box from shared to global memory, asynchronously", kSource},
    {"cp.reduce.async.bulk.tensor.global.shared.add", nullptr, reduce<BoxReduction::Add>, InstructionClass::AsyncCopy,
     "adds a box in shared memory to one in global memory, asynchronously", kReduceSource},
    {"cp.reduce.async.bulk.tensor.global.shared.and", nullptr, reduce<BoxReduction::And>, InstructionClass::AsyncCopy,
     "and of the bits of a box in shared memory and one in global memory, asynchronously", kReduceSource},
    {"cp.reduce.async.bulk.tensor.global.shared.or", nullptr, reduce<BoxReduction::Or>, InstructionClass::AsyncCopy,
     "or of the bits of a box in shared memory and one in global memory, asynchronously", kReduceSource},
    {"cp.reduce.async.bulk.tensor.global.shared.xor", nullptr, reduce<BoxReduction::Xor>, InstructionClass::AsyncCopy,
     "exclusive or of the bits of a box in shared memory and one in global memory, asynchronously", kReduceSource},
    {"cp.async.bulk.commit_group", "llvm.nvvm.cp.async.bulk.commit.group", commit, InstructionClass::AsyncCopy,
     "makes a group of the copies from shared memory that are not in a group yet",
     "9.7.9.25.4.1 cp.async.bulk.commit_group"},
    {"cp.async.bulk.wait_group", "llvm.nvvm.cp.async.bulk.wait.group", waitForStores, InstructionClass::AsyncCopy,
     "waits until at most the given number of groups are in flight", "9.7.9.25.4.2 cp.async.bulk.wait_group"},
    {"cp.async.bulk.wait_group.read", "llvm.nvvm.cp.async.bulk.wait.group.read", waitForReads,
     InstructionClass::AsyncCopy, "waits until all but the given number of groups have read shared memory",
     "9.7.9.25.4.2 cp.async.bulk.wait_group"},
    {"prefetch.tensormap", "llvm.nvvm.prefetch.tensormap", prefetch, InstructionClass::Other,
     "prefetches a tensor map, which does not affect results", "9.7.9.15 prefetch"},
};
const Family kBoxCopyInstructions = kBoxCopyRows;

} // namespace tilewright::emulator
