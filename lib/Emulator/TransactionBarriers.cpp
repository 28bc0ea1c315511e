// The state of transaction barriers: which arrivals and bytes complete their phases.

#include "tilewright/Emulator/Block.h"
#include "tilewright/Emulator/Boxes.h"
#include "tilewright/Emulator/Checker.h"

#include "Instructions/BoxLines.h"

#include <algorithm>
#include <cstdlib>

namespace tilewright::emulator {

void TransactionBarriers::clear() {
  barriers.clear();
  inFlight.clear();
  initialized = 0;
}

TransactionBarrier *TransactionBarriers::find(uint64_t address) {
  auto found = barriers.find(address);
  return found == barriers.end() ? nullptr : &found->second;
}

TransactionBarrier &TransactionBarriers::insert(TransactionBarrier barrier) {
  barrier.number = initialized++;
  uint64_t address = barrier.address;
  return barriers.insert_or_assign(address, std::move(barrier)).first->second;
}

void TransactionBarriers::fence(uint32_t thread) {
  for (auto &[address, barrier] : barriers) {
    barrier.isFenced |= barrier.thread == thread;
  }
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

static std::string nameOf(const Block &block, const TransactionBarrier &barrier) {
  uint64_t offset = barrier.address - reinterpret_cast<uint64_t>(block.shared);
  return "the barrier at shared+" + std::to_string(offset);
}

std::string describe(const Block &block, const TransactionBarrier &barrier) {
  std::string arrivals = std::to_string(barrier.pending) + " of " + std::to_string(barrier.arrivals) +
                         (barrier.arrivals == 1 ? " arrival" : " arrivals"),
              bytes = std::to_string(std::abs(barrier.bytes)) + " bytes";
  std::string text = "phase " + std::to_string(barrier.phase) + " of " + nameOf(block, barrier) + ", which lacks ";
  if (barrier.pending == 0) {
    return text + bytes;
  }
  return text + arrivals + (barrier.bytes > 0 ? " and " + bytes : barrier.bytes < 0 ? " that expects " + bytes : "");
}

/// Begins the next phase if the current one is complete.
static void settle(Block &block, TransactionBarrier &barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0) {
    return;
  }
  ++barrier.phase;
  barrier.pending = barrier.arrivals;
  if (barrier.phase > 2) {
    block.checker->forget(barrier.key(barrier.phase - 3)); // waits name one of the last two phases
  }
  for (auto thread = barrier.waiting.rbegin(); thread != barrier.waiting.rend(); ++thread) {
    block.wake(**thread);
  }
  barrier.waiting.clear();
}

/// Reports a phase that can't complete because it got more bytes than its arrivals expect.
static bool hasTooManyBytes(Block &block, Thread &thread, int32_t site, const TransactionBarrier &barrier) {
  if (barrier.pending != 0 || barrier.bytes >= 0) {
    return false;
  }
  Report report{Report::Barrier, "phase " + std::to_string(barrier.phase) + " of " + nameOf(block, barrier) + " got " +
                                     std::to_string(-barrier.bytes) +
                                     " more bytes than its arrivals expect, so that it never completes"};
  report.site = site;
  report.otherThread = static_cast<int32_t>(barrier.thread);
  report.otherSite = barrier.site;
  thread.report(std::move(report));
  block.stop();
  return true;
}

void TransactionBarriers::arrive(Block &block, Thread &thread, int32_t site, TransactionBarrier &barrier,
                                 int64_t count) {
  if (count > barrier.pending) {
    Report report{Report::Barrier, "arrives " + std::to_string(count) + " times at " + nameOf(block, barrier) +
                                       ", whose phase " + std::to_string(barrier.phase) + " lacks " +
                                       std::to_string(barrier.pending) + " of " + std::to_string(barrier.arrivals) +
                                       " arrivals"};
    report.site = site;
    report.otherThread = static_cast<int32_t>(barrier.thread);
    report.otherSite = barrier.site;
    thread.report(std::move(report));
    thread.leave();
  }
  block.checker->release(thread, barrier.key(barrier.phase));
  barrier.pending -= count;
  if (hasTooManyBytes(block, thread, site, barrier)) {
    thread.leave();
  }
  settle(block, barrier);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void TransactionBarriers::complete(Block &block, const BoxLoad &load) {
  loadBox(load.copy);
  TransactionBarrier *barrier = find(load.barrier);
  Thread &thread = block.threads[load.copy.thread];
  if (!barrier) {
    return thread.report(Report::Barrier, load.copy.site,
                         "completes when its barrier, at shared+" +
                             std::to_string(load.barrier - reinterpret_cast<uint64_t>(block.shared)) +
                             ", is no longer one");
  }
  // The bytes belong to the phase that is current when they arrive.
  barrier->unseen.push_back(load);
  barrier->unseen.back().phase = barrier->phase;
  barrier->bytes -= static_cast<int64_t>(load.copy.map.boxBytes());
  if (!hasTooManyBytes(block, thread, load.copy.site, *barrier)) {
    settle(block, *barrier);
  }
}

void TransactionBarriers::issue(Block &block, BoxLoad load) {
  if (block.launch.settings.copies == CopyTime::Early) {
    return complete(block, load);
  }
  inFlight.push_back(std::move(load));
}

bool TransactionBarriers::completeOne(Block &block, std::mt19937_64 *random) {
  if (inFlight.empty()) {
    return false;
  }
  size_t which = random ? (*random)() % inFlight.size() : 0;
  BoxLoad load = inFlight[which];
  inFlight.erase(inFlight.begin() + static_cast<ptrdiff_t>(which));
  complete(block, load);
  return true;
}

} // namespace tilewright::emulator
