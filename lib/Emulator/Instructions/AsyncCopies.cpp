// cp.async: asynchronous copies to shared memory.
//
// A copy is performed when it is issued, or when its thread waits for it, as Settings::copies says. Code that works in
// both cases does not depend on the timing of copies.

#include "Families.h"

#include "tilewright/Emulator/Block.h"
#include "tilewright/Emulator/Checker.h"
#include "tilewright/Emulator/Counters.h"

#include <algorithm>
#include <cstring>

namespace tilewright::emulator {
namespace {

void perform(const AsyncCopy &copy) {
  auto *to = reinterpret_cast<char *>(copy.to);
  std::memcpy(to, reinterpret_cast<const void *>(copy.from), copy.read);
  std::memset(to + copy.read, 0, copy.size - copy.read);
}

void count(Thread &thread, const AsyncCopy &copy) {
  if (Counters *counters = thread.block->counters.get()) {
    Access access{thread, copy.site, AccessKind::Read, MemorySpace::Global, copy.from, copy.size, copy.size};
    counters->access(access, copy.read > 0);
    counters->access({thread, copy.site, AccessKind::Write, MemorySpace::Shared, copy.to, copy.size, copy.size}, true);
  }
}

void issue(Thread &thread, const AsyncCopy &copy) {
  Block &block = *thread.block;
  if (!block.checker->issue(thread, copy)) {
    thread.leave();
  }
  count(thread, copy);
  if (block.launch.settings.copies == CopyTime::Early) {
    perform(copy);
  }
  thread.copies.push_back(copy);
}

template <uint32_t size> void copyWhole(Thread &thread, int32_t site, const uint64_t *in, uint64_t *) {
  issue(thread, {in[0], in[1], size, size, site});
}

template <uint32_t size> void copyPart(Thread &thread, int32_t site, const uint64_t *in, uint64_t *) {
  issue(thread, {in[0], in[1], size, std::min(static_cast<uint32_t>(in[2]), size), site});
}

/// The form in inline assembly, whose size is an operand.
void copyOfSize(Thread &thread, int32_t site, const uint64_t *in, uint64_t *) {
  auto size = static_cast<uint32_t>(in[2]);
  issue(thread, {in[0], in[1], size, std::min(static_cast<uint32_t>(in[3]), size), site});
}

void commit(Thread &thread, int32_t, const uint64_t *, uint64_t *) {
  uint32_t grouped = 0;
  for (uint32_t copies : thread.copyGroups) {
    grouped += copies;
  }
  thread.copyGroups.push_back(static_cast<uint32_t>(thread.copies.size()) - grouped);
}

/// Completes the first `copies` copies.
void arrive(Thread &thread, size_t copies) {
  Block &block = *thread.block;
  for (size_t i = 0; i < copies; ++i) {
    const AsyncCopy &copy = thread.copies[i];
    if (block.launch.settings.copies == CopyTime::Late) {
      perform(copy);
    }
    block.checker->arrive(thread, copy);
  }
  thread.copies.erase(thread.copies.begin(), thread.copies.begin() + copies);
}

void waitForGroups(Thread &thread, int32_t, const uint64_t *in, uint64_t *) {
  size_t left = in[0];
  while (thread.copyGroups.size() > left) {
    arrive(thread, thread.copyGroups.front());
    thread.copyGroups.erase(thread.copyGroups.begin());
  }
}

void waitForAll(Thread &thread, int32_t, const uint64_t *, uint64_t *) {
  arrive(thread, thread.copies.size());
  thread.copyGroups.clear();
}

/// The cache policy does not affect results.
void createPolicy(Thread &, int32_t, const uint64_t *, uint64_t *out) { out[0] = 0; }

constexpr const char *kSource = "9.7.9.25.3.1 cp.async";
constexpr const char *kMeaning = "copies bytes from global to shared memory, asynchronously";
constexpr const char *kPartMeaning =
    "copies some of the bytes from global to shared memory and fills the rest with zeros, asynchronously";

} // namespace

static constexpr Instruction kAsyncCopyRows[] = {
    {"cp.async.ca.shared.global.4", "llvm.nvvm.cp.async.ca.shared.global.4", copyWhole<4>, InstructionClass::AsyncCopy,
     kMeaning, kSource},
    {"cp.async.ca.shared.global.8", "llvm.nvvm.cp.async.ca.shared.global.8", copyWhole<8>, InstructionClass::AsyncCopy,
     kMeaning, kSource},
    {"cp.async.ca.shared.global.16", "llvm.nvvm.cp.async.ca.shared.global.16", copyWhole<16>,
     InstructionClass::AsyncCopy, kMeaning, kSource},
    {"cp.async.cg.shared.global.16", "llvm.nvvm.cp.async.cg.shared.global.16", copyWhole<16>,
     InstructionClass::AsyncCopy, kMeaning, kSource},
    {"cp.async.ca.shared.global.4.s", "llvm.nvvm.cp.async.ca.shared.global.4.s", copyPart<4>,
     InstructionClass::AsyncCopy, kPartMeaning, kSource},
    {"cp.async.ca.shared.global.8.s", "llvm.nvvm.cp.async.ca.shared.global.8.s", copyPart<8>,
     InstructionClass::AsyncCopy, kPartMeaning, kSource},
    {"cp.async.ca.shared.global.16.s", "llvm.nvvm.cp.async.ca.shared.global.16.s", copyPart<16>,
     InstructionClass::AsyncCopy, kPartMeaning, kSource},
    {"cp.async.cg.shared.global.16.s", "llvm.nvvm.cp.async.cg.shared.global.16.s", copyPart<16>,
     InstructionClass::AsyncCopy, kPartMeaning, kSource},
    {"cp.async.shared.global", nullptr, copyOfSize, InstructionClass::AsyncCopy, kPartMeaning, kSource},
    {"cp.async.commit_group", "llvm.nvvm.cp.async.commit.group", commit, InstructionClass::AsyncCopy,
     "makes a group of the copies that are not in a group yet", "9.7.9.25.3.2 cp.async.commit_group"},
    {"cp.async.wait_group", "llvm.nvvm.cp.async.wait.group", waitForGroups, InstructionClass::AsyncCopy,
     "waits until at most the given number of groups are in flight", "9.7.9.25.3.3 cp.async.wait_group"},
    {"cp.async.wait_all", "llvm.nvvm.cp.async.wait.all", waitForAll, InstructionClass::AsyncCopy,
     "waits for all copies", "9.7.9.25.3.3 cp.async.wait_all"},
    {"createpolicy.fractional.b64", nullptr, createPolicy, InstructionClass::Other,
     "creates an L2 cache policy, which does not affect results", "9.7.9.17 createpolicy"},
};
const Family kAsyncCopyInstructions = kAsyncCopyRows;

} // namespace tilewright::emulator
