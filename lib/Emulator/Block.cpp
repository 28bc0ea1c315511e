#include "tilewright/Emulator/Block.h"

#include "FaultGuard.h"
#include "Scheduler.h"
#include "Stacks.h"
#include "tilewright/Emulator/Checker.h"
#include "tilewright/Emulator/Counters.h"

#include <algorithm>
#include <map>

namespace tilewright::emulator {

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Executes the first meeting of the warp if none of its lanes can run, and wakes its lanes. `running`, if it is one of
/// them, does not wait any more.
static void meetIfStuck(Warp &warp, Thread *running) {
  if (warp.meetings.empty() || (warp.waiting | warp.exited) != firstLanes(static_cast<int>(warp.lanes))) {
    return;
  }
  auto first = std::min_element(warp.meetings.begin(), warp.meetings.end(),
                                [](const Meeting &a, const Meeting &b) { return a.place < b.place; });
  Meeting meeting = *first;
  warp.meetings.erase(first);
  meeting.function(meeting.call);
  // In descending order, because the scheduler runs first what was woken last.
  for (int lane = static_cast<int>(warp.lanes) - 1; lane >= 0; --lane) {
    if (meeting.call.has(lane) && &warp.thread(lane) != running) {
      warp.block->wake(warp.thread(lane));
    }
  }
  if (running && meeting.call.has(static_cast<int>(running->lane()))) {
    warp.waiting &= ~laneBit(running->lane());
  }
}

void Thread::wait(int32_t site) {
  waitsAt = site;
  warp->waiting |= laneBit(lane());
  meetIfStuck(*warp, this);
  if (warp->waiting & laneBit(lane())) {
    block->scheduler->wait(*this);
  }
}

void Thread::yield() { block->scheduler->yield(*this); }

/// The most loop iterations that a thread executes before it checks whether the launch was stopped. The number is small
/// because with checks one iteration of a matmul takes a block milliseconds.
static constexpr int64_t kTicks = 200;

void Thread::grantTicks() {
  int64_t most = block->launch.settings.maxSteps;
  // The thread stops at the first iteration beyond the limit.
  granted = most > 0 ? std::min(kTicks, most - steps) : kTicks;
  ticks = granted;
}

void Thread::report(Report::Kind kind, int32_t site, std::string message) {
  Report report{kind, std::move(message)};
  report.site = site;
  this->report(std::move(report));
}

void Thread::report(Report report) {
  report.program = block->program;
  report.thread = static_cast<int32_t>(index);
  block->launch.report(std::move(report));
}

void Thread::fail(Report::Kind kind, int32_t site, std::string message) {
  report(kind, site, std::move(message));
  leave();
}

void Thread::runOnHostStack(const std::function<void()> &callback) {
  block->scheduler->runOnHostStack(*this, callback);
}

void Thread::abandon() {
  block->abandon();
  block->scheduler->leave();
}

void Thread::leave() {
  block->stop();
  block->scheduler->leave();
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

/// "lanes 0 to 3, 7".
static std::string describeLanes(LaneMask mask) {
  std::string text;
  for (int lane = 0; lane < kMostLanes; ++lane) {
    if (!(mask >> lane & 1)) {
      continue;
    }
    int last = lane;
    while (last + 1 < kMostLanes && mask >> (last + 1) & 1) {
      ++last;
    }
    text += (text.empty() ? "" : ", ") + std::to_string(lane) + (last > lane ? " to " + std::to_string(last) : "");
    lane = last;
  }
  return (mask & (mask - 1) ? "lanes " : "lane ") + text;
}

/// The rendezvous of this function and mask that this lane has not reached yet, or a new one.
static Rendezvous &findRendezvous(Warp &warp, WarpFunction function, LaneMask mask, uint32_t lane) {
  Rendezvous *unused = nullptr;
  for (Rendezvous &rendezvous : warp.rendezvous) {
    if (rendezvous.arrived == 0) {
      unused = &rendezvous;
    } else if (rendezvous.function == function && rendezvous.call.mask == mask && !(rendezvous.arrived >> lane & 1)) {
      return rendezvous;
    }
  }
  Rendezvous &rendezvous = unused ? *unused : warp.rendezvous.emplace_back();
  rendezvous.function = function;
  rendezvous.call.warp = &warp;
  rendezvous.call.mask = mask;
  return rendezvous;
}

static void checkMask(Thread &thread, LaneMask mask, int32_t site) {
  if (!(mask >> thread.lane() & 1)) {
    thread.fail(Report::Mask, site, "its mask names " + describeLanes(mask) + " and not the lane itself");
  }
  if (LaneMask gone = mask & thread.warp->exited) {
    thread.fail(Report::Mask, site, "its mask names " + describeLanes(gone) + ", which ended before");
  }
}

void Thread::converge(WarpFunction function, LaneMask mask, int32_t site, const uint64_t *in, uint64_t *out) {
  checkMask(*this, mask, site);
  Rendezvous &rendezvous = findRendezvous(*warp, function, mask, lane());
  rendezvous.call.in[lane()] = in;
  rendezvous.call.out[lane()] = out;
  rendezvous.arrived |= laneBit(lane());
  if (rendezvous.arrived != mask) {
    return wait(site);
  }
  rendezvous.call.site = site;
  function(rendezvous.call);
  rendezvous.arrived = 0;
  // In descending order, because the scheduler runs first what was woken last.
  for (LaneMask rest = mask & ~laneBit(lane()); rest != 0;) {
    int other = kMostLanes - 1 - __builtin_clzll(rest);
    block->wake(warp->thread(other));
    rest &= ~laneBit(other);
  }
}

void Thread::meet(WarpFunction function, uint64_t place, int32_t site, const uint64_t *in, uint64_t *out) {
  auto isHere = [&](const Meeting &meeting) { return meeting.place == place; };
  auto found = std::find_if(warp->meetings.begin(), warp->meetings.end(), isHere);
  Meeting &meeting = found == warp->meetings.end() ? warp->meetings.emplace_back() : *found;
  meeting.function = function;
  meeting.place = place;
  meeting.call.warp = warp;
  meeting.call.site = site;
  meeting.call.mask |= laneBit(lane());
  meeting.call.in[lane()] = in;
  meeting.call.out[lane()] = out;
  wait(site);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Block::Block(Launch &launch)
    : launch(launch), threads(launch.kernel.threads), shared(threadSharedMemory()), places(KnownPlaces::kEntries),
      checker(std::make_unique<Checker>(launch)), scheduler(std::make_unique<Scheduler>(*this)) {
  if (launch.kernel.checked && launch.settings.profile) {
    counters = std::make_unique<Counters>(launch);
  }
  warps.resize((threads.size() + launch.kernel.lanes - 1) / launch.kernel.lanes);
}

Block::~Block() = default;

bool Block::isShared(uint64_t address) const { return address - reinterpret_cast<uint64_t>(shared) < kMostSharedBytes; }

void Block::wake(Thread &thread) {
  thread.warp->waiting &= ~laneBit(thread.lane());
  scheduler->wake(thread);
}

void Block::reset() {
  stopping = false;
  spinBudget = kSpinBudget;
  running = static_cast<int>(threads.size());
  std::copy(launch.grid.begin(), launch.grid.end(), hidden.groups);
  hidden.threads[0] = static_cast<uint16_t>(threads.size());
  hidden.threads[1] = hidden.threads[2] = 1;
  const size_t lanesOfWarp = launch.kernel.lanes;
  for (size_t i = 0; i < warps.size(); ++i) {
    warps[i].block = this;
    warps[i].index = i;
    warps[i].lanes = lanesOfWarp;
    warps[i].rendezvous.clear();
    warps[i].meetings.clear();
    warps[i].waiting = 0;
    warps[i].wgmmas = WgmmaQueue();
    size_t lanes = std::min(lanesOfWarp, threads.size() - i * lanesOfWarp);
    warps[i].exited = firstLanes(static_cast<int>(lanesOfWarp)) & ~firstLanes(static_cast<int>(lanes));
  }
  groups.assign((warps.size() + WarpGroup::kWarps - 1) / WarpGroup::kWarps, WarpGroup());
  for (size_t i = 0; i < threads.size(); ++i) {
    Thread &thread = threads[i];
    thread = Thread();
    thread.block = this;
    thread.shared = shared;
    thread.places = places.data();
    thread.index = i;
    thread.lastLane = lanesOfWarp - 1;
    thread.warp = &warps[i / lanesOfWarp];
    thread.grantTicks();
  }
  for (Barrier &barrier : barriers) {
    barrier = Barrier();
  }
  transactions.clear();
}

/// Lanes that wait for the thread in a rendezvous would wait forever, which is an error.
void Block::exit(Thread &thread) {
  --running;
  endStoresOf(thread);
  if (running == 0) {
    reportUnseen(*this);
    transactions.clear();
  }
  thread.warp->exited |= laneBit(thread.lane());
  for (Rendezvous &rendezvous : thread.warp->rendezvous) {
    if (rendezvous.arrived && rendezvous.call.has(thread.lane())) {
      Thread &waiting = thread.warp->thread(__builtin_ctzll(rendezvous.arrived));
      Report report{Report::Mask,
                    "waits for " + describeLanes(laneBit(thread.lane())) + " of its warp, which has ended", program};
      report.thread = waiting.index;
      report.site = waiting.waitsAt;
      report.otherThread = thread.index;
      launch.report(std::move(report));
      stop();
    }
  }
  meetIfStuck(*thread.warp, nullptr);
  releaseBarriers(*this);
}

/// "32 threads (the first is 0) wait at kernel.py:12 for others to reach barrier.cta.sync.aligned.all, and 4 have
/// ended".
static std::string describeWaiting(Block &block) {
  std::map<int32_t, std::pair<int, int>> waiting; // site -> first thread, number
  for (const Thread &thread : block.threads) {
    if (thread.state == Thread::Waiting) {
      auto [found, isNew] = waiting.try_emplace(thread.waitsAt, thread.index, 0);
      ++found->second.second;
    }
  }
  std::string text;
  for (auto [number, threads] : waiting) {
    const Site &site = block.launch.kernel.sites[number];
    const TransactionBarrier *barrier = block.transactions.find(block.threads[threads.first].awaits);
    text += (text.empty() ? "" : ", ") + std::to_string(threads.second) + " threads (the first is " +
            std::to_string(threads.first) + ") wait at " + site.describe();
    if (barrier) {
      text += " for " + describe(block, *barrier);
    } else if (!site.instruction.empty()) {
      text += " for others to reach " + site.instruction;
    }
  }
  int done = static_cast<int>(block.threads.size()) - block.running;
  return text + (done ? ", and " + std::to_string(done) + " have ended" : "");
}

static void reportDeadlock(Block &block) {
  Report report{Report::Deadlock, "no thread can continue: " + describeWaiting(block), block.program};
  for (const Thread &thread : block.threads) {
    if (thread.state == Thread::Waiting) {
      report.thread = thread.index;
      report.site = thread.waitsAt;
      if (const TransactionBarrier *barrier = block.transactions.find(thread.awaits)) {
        report.otherThread = static_cast<int32_t>(barrier->thread);
        report.otherSite = barrier->site;
      }
      break;
    }
  }
  block.launch.report(std::move(report));
  block.stop();
}

bool Block::run(std::array<int32_t, 3> program) {
  this->program = program;
  reset();
  checker->begin(*this);
  if (counters) {
    counters->begin();
  }
  uint64_t seed = launch.settings.seed;
  for (int32_t axis : program) {
    seed = seed == 0 ? 0 : (seed * 0x9e3779b97f4a7c15 + axis) | 1;
  }
  bool finished;
  {
    FaultGuard guard(*this);
    finished = scheduler->run(seed);
  }
  if (counters) {
    counters->end();
  }
  if (!finished && !isStopped()) {
    reportDeadlock(*this);
  }
  for (size_t i = 0; i < groups.size() && finished; ++i) {
    groups[i].end(*this, static_cast<uint32_t>(i) * WarpGroup::kWarps);
  }
  return finished;
}

} // namespace tilewright::emulator
