// Calls the checks for each access, and writes their reports.

#include "CheckerState.h"

#include <algorithm>

namespace tilewright::emulator {

namespace {

const char *pastOf(AccessKind kind) {
  switch (kind) {
  case AccessKind::Read:
    return "read";
  case AccessKind::Write:
    return "wrote";
  case AccessKind::Atomic:
    return "updated";
  case AccessKind::Copy:
    return "copied to";
  }
  return "";
}

Phrase phraseOf(AccessKind kind) {
  switch (kind) {
  case AccessKind::Read:
    return {"reads", "at"};
  case AccessKind::Write:
    return {"writes", "at"};
  case AccessKind::Atomic:
    return {"updates", "at"};
  case AccessKind::Copy:
    return {"copies", "to"};
  }
  return {"", ""};
}

} // namespace

Checker::Checker(Launch &launch) : state(std::make_unique<State>(launch)) {}
Checker::~Checker() = default;

bool Checker::State::isBoxCopy(int32_t site) const {
  const std::vector<Site> &sites = launch.kernel.sites;
  if (site < 0 || static_cast<size_t>(site) >= sites.size()) {
    return false;
  }
  const std::string &instruction = sites[site].instruction;
  return instruction.rfind("cp.async.bulk", 0) == 0 || instruction.rfind("cp.reduce.async.bulk", 0) == 0;
}

std::string Checker::State::describeSite(int32_t site) const {
  const std::vector<Site> &sites = launch.kernel.sites;
  return site >= 0 && static_cast<size_t>(site) < sites.size() ? sites[site].describe() : Site().describe();
}

/// "writes 4 bytes at shared+128"
std::string Checker::State::describe(const Touch &touch) const {
  return std::string(touch.phrase.verb) + " " + std::to_string(touch.bytes.count) +
         (touch.bytes.count == 1 ? " byte " : " bytes ") + touch.phrase.preposition + " " + bounds.nameOf(touch.bytes);
}

bool Checker::State::mayTouch(const Touch &touch, uint64_t alignment) {
  if (!bounds.hold(touch.bytes)) {
    touch.thread.report(Report::Bounds, touch.site, describe(touch) + ", " + bounds.distanceOf(touch.bytes));
    return false;
  }
  if (alignment > 1 && touch.bytes.address % alignment != 0) {
    touch.thread.report(Report::Alignment, touch.site,
                        describe(touch) + ", an address that is not a multiple of " + std::to_string(alignment));
    return false;
  }
  return true;
}

void Checker::State::remember(const Touch &touch) {
  if (!remembers) {
    return;
  }
  uint64_t offset = touch.bytes.address, count = touch.bytes.count;
  if (touch.bytes.space == MemorySpace::Shared) {
    offset = bounds.sharedOffset(offset);
    checkReaders(touch, offset);
  }
  Finding finding = races.touch(touch.thread.index, touch.kind, touch.site, touch.bytes.space, offset, count);
  if (finding.isWrong) {
    explain(touch, finding);
  }
}

/// Reports a write of bytes that an asynchronous instruction may still read.
void Checker::State::checkReaders(const Touch &touch, uint64_t offset) {
  if (!settings.checkRaces || touch.kind == AccessKind::Read) {
    return;
  }
  if (const AsyncReader *reader = asyncReads.find(offset, touch.bytes.count)) {
    const char *name = isBoxCopy(reader->site) ? "copy" : "wgmma";
    Report report{Report::Race, describe(touch) + ", which the " + name + " of thread " +
                                    std::to_string(reader->thread) + " at " + describeSite(reader->site) +
                                    " reads and which that thread has not waited for"};
    report.site = touch.site;
    report.otherThread = static_cast<int32_t>(reader->thread);
    report.otherSite = reader->site;
    touch.thread.report(std::move(report));
  }
}

void Checker::State::explain(const Touch &touch, const Finding &finding) {
  Report report;
  report.kind = finding.kind;
  report.site = touch.site;
  report.message = describe(touch);
  bool isOwn = finding.other.thread == touch.thread.index;
  std::string other = isOwn ? "this thread" : "thread " + std::to_string(finding.other.thread);
  std::string place = describeSite(finding.other.site);
  if (finding.kind == Report::Uninitialized) {
    report.message += ", not all of which were written before";
    return touch.thread.report(std::move(report));
  }
  report.otherSite = finding.other.site;
  if (races.isAgent(finding.other)) {
    report.otherThread = static_cast<int32_t>(races.issuerOf(finding.other));
    report.message +=
        " that the copy issued at " + place + " wrote, and this thread is not ordered after a wait for it";
    return touch.thread.report(std::move(report));
  }
  report.otherThread = static_cast<int32_t>(finding.other.thread);
  if (finding.kind == Report::Copy) {
    bool isWaitedForByAny = isBoxCopy(finding.other.site) && touch.bytes.space == MemorySpace::Shared;
    report.message += ", the destination of an asynchronous copy that " + other + " issued at " + place +
                      (isWaitedForByAny ? " and for whose barrier no thread has waited" : " and has not waited for");
  } else if (finding.kind == Report::Proxy) {
    report.message += " that " + other + " wrote at " + place + ", with no fence.proxy.async between them";
  } else {
    report.message +=
        " that " + other + " " + pastOf(finding.other.kind()) + " at " + place + ", with no barrier between them";
  }
  touch.thread.report(std::move(report));
}

/// Checks the order of an access and the program's atomics.
void Checker::State::follow(const Touch &touch) {
  if (!settings.checkRaces || touch.bytes.space != MemorySpace::Global) {
    return;
  }
  size_t memory = bounds.memoryOf(touch.bytes.address);
  if (touch.kind != AccessKind::Read) {
    launch.noteWrite(memory);
  }
  if (auto conflict = order.access(touch.thread.index, touch.kind, touch.site, memory)) {
    explain(touch, *conflict, /*isAtAtomic=*/false);
  }
}

void Checker::State::explain(const Touch &touch, const ProgramOrder::Conflict &conflict, bool isAtAtomic) {
  Report report;
  report.kind = Report::Race;
  report.site = touch.site;
  report.otherThread = static_cast<int32_t>(conflict.thread);
  report.otherSite = conflict.site;
  report.ifWritten = conflict.memory < launch.tensors.size() ? static_cast<int32_t>(conflict.memory) : -1;
  std::string thread = "thread " + std::to_string(conflict.thread), place = describeSite(conflict.site);
  report.message = isAtAtomic ? "orders memory that " + thread + " " + pastOf(conflict.kind) + " at " + place
                              : describe(touch) + ", which the atomic of " + thread + " at " + place + " orders";
  report.message += ", with no barrier between them";
  touch.thread.report(std::move(report));
}

/// The threads of `together` meet at a barrier, which may order accesses of one memory space only.
void Checker::State::synchronizeTogether(std::optional<MemorySpace> space) {
  if (space) {
    races.synchronize(together, *space);
  } else {
    races.synchronize(together);
  }
  bool isOfBlock = together.size() == static_cast<size_t>(launch.kernel.threads);
  if (isOfBlock ||
      together.size() > static_cast<size_t>(launch.kernel.lanes)) { // several warps, such as all that compute
    order.converge(together);
  }
}

void Checker::begin(Block &block) {
  state->bounds.begin(block);
  if (state->remembers) {
    state->races.begin();
    state->asyncReads.begin();
    state->order.begin();
  }
}

bool Checker::access(const Access &access) {
  Touch touch = {
      access.thread, access.site, access.kind, phraseOf(access.kind), {access.space, access.address, access.bytes}};
  if (!state->mayTouch(touch, access.alignment)) {
    return false;
  }
  state->remember(touch);
  if (access.order == AtomicOrder::Relaxed) {
    state->follow(touch);
  }
  return true;
}

void Checker::pass(const Access &atomic, bool active) {
  if (!state->settings.checkRaces) {
    return;
  }
  Touch touch = {atomic.thread,
                 atomic.site,
                 AccessKind::Atomic,
                 phraseOf(atomic.kind),
                 {atomic.space, atomic.address, atomic.bytes}};
  size_t memory = active ? state->bounds.memoryOf(atomic.address) : 0;
  if (active) {
    state->launch.noteWrite(memory);
  }
  for (const auto &conflict : state->order.pass(atomic.thread.index, atomic.site, atomic.order, active, memory)) {
    state->explain(touch, conflict, /*isAtAtomic=*/true);
  }
}

KnownPlaces Checker::placesAround(MemorySpace space, uint64_t address, uint32_t bytes) const {
  return state->bounds.placesAround({space, address, bytes});
}

bool Checker::issue(Thread &thread, const AsyncCopy &copy) {
  Touch from = {thread, copy.site, AccessKind::Read, {"copies", "from"}, {MemorySpace::Global, copy.from, copy.read}};
  Touch to = {thread, copy.site, AccessKind::Copy, {"copies", "to"}, {MemorySpace::Shared, copy.to, copy.size}};
  bool mayRead = copy.read == 0 || state->mayTouch(from, copy.size);
  bool mayWrite = state->mayTouch(to, copy.size);
  if (!mayRead || !mayWrite) {
    return false;
  }
  state->remember(from);
  state->remember(to);
  if (copy.read > 0) {
    state->follow(from);
  }
  return true;
}

void Checker::arrive(Thread &thread, const AsyncCopy &copy) {
  if (state->remembers) {
    state->races.arrive(thread.index, copy.site, state->bounds.sharedOffset(copy.to), copy.size);
  }
}

bool Checker::readAsync(const Access &access, uint64_t ticket) {
  Touch touch = {access.thread,
                 access.site,
                 AccessKind::Read,
                 phraseOf(AccessKind::Read),
                 {access.space, access.address, access.bytes}};
  if (!state->mayTouch(touch, access.alignment)) {
    return false;
  }
  if (!state->remembers) {
    return true;
  }
  uint64_t offset = state->bounds.sharedOffset(access.address);
  Finding finding = state->races.touchByProxy(access.thread.index, access.site, offset, access.bytes);
  if (finding.isWrong) {
    state->explain(touch, finding);
  }
  if (state->settings.checkRaces) {
    state->asyncReads.add({ticket, access.thread.index, access.site}, offset);
  }
  return true;
}

void Checker::endReads(Thread &thread, int32_t site, uint64_t ticket) {
  for (uint64_t offset : state->asyncReads.end(ticket)) {
    state->races.noteRead(thread.index, site, offset, AsyncReads::kUnit);
  }
}

void Checker::fenceProxy(Thread &thread) {
  if (state->settings.checkRaces) {
    state->races.fenceProxy(thread.index);
  }
}

void Checker::synchronize(const std::vector<Thread *> &threads) {
  if (!state->settings.checkRaces) {
    return;
  }
  state->together.clear();
  for (const Thread *thread : threads) {
    state->together.push_back(thread->index);
  }
  state->synchronizeTogether();
}

void Checker::synchronize(const std::vector<Thread *> &threads, MemorySpace space) {
  if (!state->settings.checkRaces) {
    return;
  }
  state->together.clear();
  for (const Thread *thread : threads) {
    state->together.push_back(thread->index);
  }
  state->synchronizeTogether(space);
}

void Checker::synchronize(const WarpCall &call) {
  if (!state->settings.checkRaces) {
    return;
  }
  state->together.clear();
  forEachLane(call.mask, [&](int lane) {
    uint32_t index = call.warp->index * call.warp->lanes + lane;
    if (index < static_cast<uint32_t>(state->launch.kernel.threads)) {
      state->together.push_back(index);
    }
  });
  state->synchronizeTogether();
}

void Checker::release(Thread &thread, uint64_t address) {
  if (state->settings.checkRaces) {
    state->races.release(thread.index, address);
  }
}

void Checker::acquire(Thread &thread, uint64_t address) {
  if (state->settings.checkRaces) {
    state->races.acquire(thread.index, address);
  }
}

void Checker::release(Thread &thread, uint64_t address, MemorySpace space) {
  if (state->settings.checkRaces) {
    state->races.release(thread.index, address, space);
  }
}

void Checker::acquire(Thread &thread, uint64_t address, MemorySpace space) {
  if (state->settings.checkRaces) {
    state->races.acquire(thread.index, address, space);
  }
}

} // namespace tilewright::emulator
