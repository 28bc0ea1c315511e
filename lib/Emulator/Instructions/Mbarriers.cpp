// mbarrier: transaction barriers in shared memory.
//
// The 8 bytes of a barrier are opaque. Here they hold a mark, so that code that overwrites them is found.

#include "Families.h"

#include "tilewright/Emulator/Block.h"
#include "tilewright/Emulator/Checker.h"

#include <algorithm>
#include <cstring>

namespace tilewright::emulator {
namespace {

constexpr uint64_t kMark = 0x9b61722d6d626172;
constexpr uint32_t kBytes = TransactionBarrier::kBytes;

std::string placeOf(const Thread &thread, uint64_t address) {
  return "shared+" + std::to_string(static_cast<int64_t>(address - reinterpret_cast<uint64_t>(thread.block->shared)));
}

/// Reports an error that involves a barrier, and ends the launch.
[[noreturn]] void fail(Thread &thread, int32_t site, const TransactionBarrier &barrier, std::string message) {
  Report report{Report::Barrier, std::move(message)};
  report.site = site;
  report.otherThread = static_cast<int32_t>(barrier.thread);
  report.otherSite = barrier.site;
  thread.report(std::move(report));
  thread.leave();
}

/// The barrier that an instruction operates on.
TransactionBarrier &barrierAt(Thread &thread, int32_t site, uint64_t address) {
  TransactionBarrier *barrier = thread.block->transactions.find(address);
  if (!barrier) {
    thread.fail(Report::Barrier, site, "there is no barrier at " + placeOf(thread, address));
  }
  observe({thread, site, AccessKind::Atomic, MemorySpace::Shared, address, kBytes, kBytes}, true);
  uint64_t found;
  std::memcpy(&found, reinterpret_cast<const void *>(address), kBytes);
  if (found != kMark) {
    fail(thread, site, *barrier, "the barrier at " + placeOf(thread, address) + " was overwritten");
  }
  return *barrier;
}

void write(uint64_t address, uint64_t value) { std::memcpy(reinterpret_cast<void *>(address), &value, kBytes); }

/// Operands of all instructions: predicate, address, a number.
bool isExecuted(const uint64_t *in) { return in[0] & 1; }

/// The number of arrivals.
void init(Thread &thread, int32_t site, const uint64_t *in, uint64_t *) {
  if (!isExecuted(in)) {
    return;
  }
  observe({thread, site, AccessKind::Write, MemorySpace::Shared, in[1], kBytes, kBytes}, true);
  TransactionBarriers &barriers = thread.block->transactions;
  if (const TransactionBarrier *known = barriers.find(in[1])) {
    fail(thread, site, *known, "initializes the barrier at " + placeOf(thread, in[1]) + ", which already is one");
  }
  auto arrivals = static_cast<uint32_t>(in[2]);
  if (arrivals < 1 || arrivals > TransactionBarrier::kMost) {
    thread.fail(Report::Barrier, site,
                "initializes a barrier for " + std::to_string(arrivals) + " arrivals; there must be from 1 to " +
                    std::to_string(TransactionBarrier::kMost));
  }
  TransactionBarrier barrier;
  barrier.address = in[1];
  barrier.arrivals = arrivals;
  barrier.pending = arrivals;
  barrier.thread = thread.index;
  barrier.site = site;
  barriers.insert(std::move(barrier));
  write(in[1], kMark);
}

void invalidate(Thread &thread, int32_t site, const uint64_t *in, uint64_t *) {
  if (!isExecuted(in)) {
    return;
  }
  TransactionBarrier &barrier = barrierAt(thread, site, in[1]);
  if (!barrier.waiting.empty()) {
    fail(thread, site, barrier,
         "ends the barrier at " + placeOf(thread, in[1]) + ", for which thread " +
             std::to_string(barrier.waiting.front()->index) + " waits");
  }
  thread.block->transactions.forUnseen([&](const BoxLoad &load) {
    if (load.barrier == in[1]) {
      fail(thread, site, barrier,
           "ends the barrier at " + placeOf(thread, in[1]) + ", and no thread has waited for the copy that thread " +
               std::to_string(load.copy.thread) + " issued at " +
               thread.block->launch.kernel.sites[load.copy.site].describe());
    }
  });
  observe({thread, site, AccessKind::Write, MemorySpace::Shared, in[1], kBytes, kBytes}, true);
  thread.block->transactions.erase(in[1]);
  write(in[1], 0);
}

void expectBytes(Thread &thread, int32_t site, TransactionBarrier &barrier, uint64_t bytes) {
  auto more = static_cast<int64_t>(static_cast<uint32_t>(bytes));
  if (more > TransactionBarrier::kMost || barrier.bytes + more > TransactionBarrier::kMost) {
    fail(thread, site, barrier,
         "expects " + std::to_string(more) + " bytes; a phase can expect at most " +
             std::to_string(TransactionBarrier::kMost));
  }
  barrier.bytes += more;
}

/// The number of arrivals. The result is opaque.
void arrive(Thread &thread, int32_t site, const uint64_t *in, uint64_t *out) {
  out[0] = 0;
  if (isExecuted(in)) {
    TransactionBarrier &barrier = barrierAt(thread, site, in[1]);
    thread.block->transactions.arrive(*thread.block, thread, site, barrier, static_cast<uint32_t>(in[2]));
  }
}

/// The number of bytes.
void arriveAndExpect(Thread &thread, int32_t site, const uint64_t *in, uint64_t *out) {
  out[0] = 0;
  if (isExecuted(in)) {
    TransactionBarrier &barrier = barrierAt(thread, site, in[1]);
    expectBytes(thread, site, barrier, in[2]);
    thread.block->transactions.arrive(*thread.block, thread, site, barrier, 1);
  }
}

/// The number of bytes.
void expect(Thread &thread, int32_t site, const uint64_t *in, uint64_t *) {
  if (isExecuted(in)) {
    expectBytes(thread, site, barrierAt(thread, site, in[1]), in[2]);
  }
}

/// Whether the parity is that of the current phase, which has not completed.
bool isCurrent(Thread &thread, int32_t site, const TransactionBarrier &barrier, uint64_t parity) {
  if (static_cast<uint32_t>(parity) > 1) {
    fail(thread, site, barrier,
         "waits for a phase with the parity " + std::to_string(static_cast<uint32_t>(parity)) +
             ", which must be 0 or 1");
  }
  return (barrier.phase & 1) == parity;
}

/// The parity. The result is whether its phase has completed, which is not known if the thread does not wait.
template <bool waits> void waitForParity(Thread &thread, int32_t site, const uint64_t *in, uint64_t *out) {
  out[0] = 0;
  if (!isExecuted(in)) {
    return;
  }
  TransactionBarrier *barrier = &barrierAt(thread, site, in[1]);
  uint64_t phase = barrier->phase;
  if (isCurrent(thread, site, *barrier, in[2])) {
    if (!waits) {
      return;
    }
    barrier->waiting.push_back(&thread);
    thread.awaits = in[1];
    thread.wait(site);
    thread.awaits = 0;
    barrier = thread.block->transactions.find(in[1]);
    ++phase;
  }
  if (barrier && phase > 0) {
    thread.block->checker->see(thread, *barrier, phase - 1);
  }
  out[0] = 1;
}

void fenceInit(Thread &thread, int32_t, const uint64_t *, uint64_t *) {
  thread.block->transactions.fence(thread.index);
}

constexpr InstructionClass kClass = InstructionClass::Barrier;
constexpr const char *kArrive = "9.7.13.15.13 mbarrier.arrive", *kExpect = "9.7.13.15.11 mbarrier.expect_tx",
                     *kWait = "9.7.13.15.16 mbarrier.test_wait/mbarrier.try_wait";

} // namespace

static constexpr Instruction kMbarrierRows[] = {
    {"mbarrier.init", nullptr, init, kClass, "makes 8 bytes of shared memory a barrier", "9.7.13.15.9 mbarrier.init"},
    {"mbarrier.inval", nullptr, invalidate, kClass, "ends a barrier", "9.7.13.15.10 mbarrier.inval"},
    {"mbarrier.arrive", nullptr, arrive, kClass, "arrives at the current phase of a barrier", kArrive},
    {"mbarrier.arrive.expect_tx", nullptr, arriveAndExpect, kClass,
     "arrives at the current phase of a barrier, which expects more bytes of copies", kArrive},
    {"mbarrier.expect_tx", nullptr, expect, kClass, "the current phase of a barrier expects more bytes of copies",
     kExpect},
    {"mbarrier.try_wait.parity in a loop", nullptr, waitForParity<true>, kClass,
     "waits until the phase with the given parity has completed", kWait},
    {"mbarrier.try_wait.parity", nullptr, waitForParity<false>, kClass,
     "whether the phase with the given parity has completed", kWait},
    {"mbarrier.test_wait.parity", nullptr, waitForParity<false>, kClass,
     "whether the phase with the given parity has completed", kWait},
    {"fence.mbarrier_init.release.cluster", "llvm.nvvm.fence.mbarrier_init.release.cluster", fenceInit, kClass,
     "makes the barriers that the thread has initialized visible to copies", "9.7.13.4 fence"},
};
const Family kMbarrierInstructions = kMbarrierRows;

} // namespace tilewright::emulator
