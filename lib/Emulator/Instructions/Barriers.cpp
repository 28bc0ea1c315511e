// Barriers of a block and of a warp.

#include "Families.h"

#include "tilewright/Emulator/Block.h"
#include "tilewright/Emulator/Checker.h"

#include <algorithm>
#include <array>

namespace tilewright::emulator {

/// The warps of a block of 1024 threads.
constexpr size_t kMostWarps = 32;

/// All lanes of a warp must execute the same instruction to reach an aligned barrier.
static void checkAligned(const std::vector<Thread *> &arrived) {
  std::array<const Thread *, kMostWarps> firsts = {}; // of each warp
  for (Thread *thread : arrived) {
    const Thread *&first = firsts[thread->warp->index];
    first = first ? first : thread;
    if (first->waitsAt != thread->waitsAt) {
      Report report{Report::Deadlock, "lane " + std::to_string(thread->lane()) + " reached this barrier, and lane " +
                                          std::to_string(first->lane()) + " of its warp reached the one at " +
                                          thread->block->launch.kernel.sites[first->waitsAt].describe()};
      report.site = thread->waitsAt;
      report.otherThread = static_cast<int32_t>(first->index);
      report.otherSite = first->waitsAt;
      return thread->report(std::move(report));
    }
  }
}

/// Stands for the barrier in the order of releases and acquires: an address that is none of shared memory.
static uint64_t keyOf(const Block &block, const Barrier &barrier) {
  return ~static_cast<uint64_t>(&barrier - block.barriers);
}

/// Orders only the threads whose fences release before what those do whose fences acquire. A thread that has no fence
/// behind the barrier acquires at its next one.
static void orderByFences(Block &block, Barrier &barrier, MemorySpace space) {
  uint64_t key = keyOf(block, barrier);
  for (Thread *thread : barrier.arrived) {
    if (thread->releasesAtBarrier & bitOf(space)) {
      block.checker->release(*thread, key, space);
    }
  }
  for (Thread *thread : barrier.arrived) {
    if (thread->acquiresAtBarrier & bitOf(space)) {
      block.checker->acquire(*thread, key, space);
    } else {
      thread->unfenced.insert(key);
    }
  }
}

/// The same for each memory space; fences of all threads order those of `fenced`.
static void orderSpaces(Block &block, Barrier &barrier, uint8_t fenced) {
  for (MemorySpace space : kMemorySpaces) {
    if (fenced & bitOf(space)) {
      block.checker->synchronize(barrier.arrived, space);
    } else {
      orderByFences(block, barrier, space);
    }
  }
}

/// What threads did before they announced themselves happens before what those that wait do next.
static void order(Block &block, Barrier &barrier) {
  uint8_t fenced = kAllSpaces; // by all threads, on both sides
  for (const Thread *thread : barrier.arrived) {
    fenced &= thread->releasesAtBarrier & thread->acquiresAtBarrier;
  }
  if (fenced != kAllSpaces) {
    return orderSpaces(block, barrier, fenced);
  }
  block.checker->synchronize(barrier.arrived);
  for (Thread *thread : barrier.announced > 0 ? barrier.arrived : std::vector<Thread *>()) {
    block.checker->acquire(*thread, keyOf(block, barrier));
  }
  barrier.announced = 0;
}

/// Wakes all threads at the barrier except `last`, which is already running.
static void release(Block &block, Barrier &barrier, Thread *last) {
  checkAligned(barrier.arrived);
  order(block, barrier);
  for (auto thread = barrier.arrived.rbegin(); thread != barrier.arrived.rend(); ++thread) {
    if (*thread != last) {
      block.wake(**thread);
    }
  }
  barrier.arrived.clear();
}

static bool isComplete(const Block &block, const Barrier &barrier) {
  int expected = barrier.expected ? barrier.expected : block.running;
  return !barrier.arrived.empty() && static_cast<int>(barrier.arrived.size()) + barrier.announced >= expected;
}

void releaseBarriers(Block &block) {
  for (Barrier &barrier : block.barriers) {
    if (isComplete(block, barrier)) {
      release(block, barrier, nullptr);
    }
  }
}

namespace {

Barrier &barrierOf(Thread &thread, int32_t site, uint64_t number, int expected) {
  Block &block = *thread.block;
  if (number >= Block::kBarriers) {
    thread.fail(Report::Fault, site,
                "there is no barrier " + std::to_string(number) + "; a block has " + std::to_string(Block::kBarriers));
  }
  block.barriers[number].expected = expected;
  return block.barriers[number];
}

void arriveAndWait(Thread &thread, int32_t site, uint64_t number, int expected) {
  Barrier &barrier = barrierOf(thread, site, number, expected);
  barrier.arrived.push_back(&thread);
  thread.waitsAt = site;
  if (isComplete(*thread.block, barrier)) {
    return release(*thread.block, barrier, &thread);
  }
  thread.wait(site);
}

void arriveAndContinue(Thread &thread, int32_t site, const uint64_t *in, uint64_t *) {
  Block &block = *thread.block;
  Barrier &barrier = barrierOf(thread, site, in[0], static_cast<int>(in[1]));
  if (barrier.arrived.empty() && barrier.announced + 1 == barrier.expected) {
    thread.fail(Report::Fault, site,
                "all " + std::to_string(barrier.expected) + " threads of barrier " + std::to_string(in[0]) +
                    " have arrived, and none of them waits");
  }
  block.checker->release(thread, keyOf(block, barrier));
  ++barrier.announced;
  if (isComplete(block, barrier)) {
    release(block, barrier, nullptr);
  }
}

void barrierOfAll(Thread &thread, int32_t site, const uint64_t *in, uint64_t *) {
  arriveAndWait(thread, site, in[0], 0);
}

void barrierOfSome(Thread &thread, int32_t site, const uint64_t *in, uint64_t *) {
  arriveAndWait(thread, site, in[0], static_cast<int>(in[1]));
}

/// Operands: the memory spaces that fences before the barrier release, and those that fences behind it acquire.
void waveBarrier(Thread &thread, int32_t site, const uint64_t *in, uint64_t *) {
  thread.releasesAtBarrier = in[0] & kAllSpaces;
  thread.acquiresAtBarrier = in[1] & kAllSpaces;
  arriveAndWait(thread, site, 0, 0);
}

void warpBarrier(const WarpCall &call) { call.warp->block->checker->synchronize(call); }

/// A fence turns the thread's relaxed atomics before it into acquires, and those after it into releases.
void fence(Thread &thread, int32_t, const uint64_t *, uint64_t *) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  for (uint64_t address : thread.unfenced) {
    thread.block->checker->acquire(thread, address);
  }
  thread.unfenced.clear();
  thread.isFenced = true;
}

/// Operand: an AtomicOrder. As fence(), for fences that may have only one of the two effects.
void fenceOfOrder(Thread &thread, int32_t site, const uint64_t *in, uint64_t *out) {
  if (in[0] & static_cast<uint64_t>(AtomicOrder::Acquire)) {
    bool isFenced = thread.isFenced;
    fence(thread, site, in, out);
    thread.isFenced = isFenced;
  }
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  thread.isFenced |= (in[0] & static_cast<uint64_t>(AtomicOrder::Release)) != 0;
}

void fenceProxy(Thread &thread, int32_t, const uint64_t *, uint64_t *) {
  thread.block->checker->fenceProxy(thread);
  thread.block->transactions.fence(thread.index);
}

constexpr Instruction proxyFence(const char *name, const char *intrinsic) {
  return {name,
          intrinsic,
          fenceProxy,
          InstructionClass::Barrier,
          "orders the thread's accesses of shared memory and those of asynchronous instructions",
          "9.7.13.4 fence"};
}

} // namespace

static constexpr Instruction kBarrierRows[] = {
    {"barrier.cta.sync.aligned.all", "llvm.nvvm.barrier.cta.sync.aligned.all", barrierOfAll, InstructionClass::Barrier,
     "waits until all threads of the block that have not ended have arrived", "9.7.13.1 barrier{.cta}"},
    {"barrier.cta.sync.aligned.count", "llvm.nvvm.barrier.cta.sync.aligned.count", barrierOfSome,
     InstructionClass::Barrier, "waits until the given number of threads have arrived", "9.7.13.1 barrier{.cta}"},
    {"barrier.cta.sync.count", "llvm.nvvm.barrier.cta.sync.count", barrierOfSome, InstructionClass::Barrier,
     "the same; lanes of a warp need not arrive together", "9.7.13.1 barrier{.cta}"},
    {"barrier.cta.arrive.aligned.count", "llvm.nvvm.barrier.cta.arrive.aligned.count", arriveAndContinue,
     InstructionClass::Barrier, "arrives, like threads that wait, and continues", "9.7.13.1 barrier{.cta}"},
    {"bar.warp.sync", "llvm.nvvm.bar.warp.sync", warpWide<warpBarrier, 0>, InstructionClass::Warp,
     "waits for the lanes of the mask, and makes their earlier accesses visible to all of them",
     "9.7.13.2 bar.warp.sync"},
    {"fence.acq_rel.gpu", "llvm.nvvm.membar.gl", fence, InstructionClass::Barrier,
     "orders the thread's accesses before it and after it", "9.7.13.4 fence"},
    {"fence.acq_rel.cta", "llvm.nvvm.membar.cta", fence, InstructionClass::Barrier,
     "orders the thread's accesses before it and after it", "9.7.13.4 fence"},
    {"s_barrier", "llvm.amdgcn.s.barrier", waveBarrier, InstructionClass::Barrier,
     "waits until all waves of the workgroup have arrived; fences around it order accesses",
     "CDNA 3 ISA, 4.1; LLVM AMDGPUUsage, Memory Model"},
    {"fence syncscope(\"wavefront\")", nullptr, waveWide<warpBarrier>, InstructionClass::Other,
     "orders the accesses of the active lanes, which execute together", "LLVM AMDGPUUsage, Memory Model",
     /*needsPlace=*/true},
    {"fence syncscope", nullptr, fenceOfOrder, InstructionClass::Barrier,
     "orders the thread's accesses before it or after it", "LLVM AMDGPUUsage, Memory Model"},
    proxyFence("fence.proxy.async", "llvm.nvvm.fence.proxy.async"),
    proxyFence("fence.proxy.async.shared::cta", "llvm.nvvm.fence.proxy.async.shared_cta"),
    proxyFence("fence.proxy.async.shared::cluster", "llvm.nvvm.fence.proxy.async.shared_cluster"),
};
const Family kBarrierInstructions = kBarrierRows;

} // namespace tilewright::emulator
