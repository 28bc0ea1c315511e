// A block whose threads make the accesses that a test lists, and the reports of the Checker.

#ifndef TILEWRIGHT_TEST_UNIT_EMULATOR_CHECKERFIXTURE_H
#define TILEWRIGHT_TEST_UNIT_EMULATOR_CHECKERFIXTURE_H

#include "tilewright/Emulator/Checker.h"
#include "tilewright/Emulator/Counters.h"

#include "gtest/gtest.h"

namespace tilewright::emulator {

/// Checks everything, except what a test turns off.
inline Settings everything() {
  Settings settings;
  settings.checkInitialized = settings.checkRaces = settings.checkCopies = true;
  return settings;
}

constexpr uint64_t kX = 0x7f0000001000, kY = 0x7f0000003000; // of 64 and 32 bytes

/// Two warps with 128 bytes of shared memory, a kernel of ten lines, and the tensors x and y. Site n is line n.
class CheckerTest : public testing::Test {
protected:
  explicit CheckerTest(const Settings &settings = everything(), int threads = 64)
      : settings(settings), kernel(makeKernel(threads)), launch(kernel, this->settings) {
    launch.tensors = {{"x", kX, kX + 64}, {"y", kY, kY + 32}};
    launch.tensorsKnown = true;
    block = std::make_unique<Block>(launch);
    for (int i = 0; i < threads; ++i) {
      block->threads[i].block = block.get();
      block->threads[i].index = i;
      block->threads[i].warp = &block->warps[i / kLanes];
    }
    for (size_t i = 0; i < block->warps.size(); ++i) {
      block->warps[i].block = block.get();
      block->warps[i].index = static_cast<uint32_t>(i);
    }
    checker = std::make_unique<Checker>(launch);
    checker->begin(*block);
  }

  static Kernel makeKernel(int threads) {
    Kernel kernel;
    kernel.threads = threads;
    kernel.sharedBytes = 128;
    kernel.checked = true;
    kernel.sites.resize(11);
    for (int line = 1; line <= 10; ++line) {
      kernel.sites[line].file = "kernel.py";
      kernel.sites[line].line = line;
    }
    return kernel;
  }

  uint64_t shared(int64_t offset) const { return reinterpret_cast<uint64_t>(block->shared) + offset; }

  bool access(int thread, int line, AccessKind kind, uint64_t address, uint32_t bytes) {
    MemorySpace space = address < uint64_t(1) << 32 ? MemorySpace::Shared : MemorySpace::Global;
    return checker->access({block->threads[thread], line, kind, space, address, bytes, bytes});
  }
  bool read(int thread, int line, uint64_t address, uint32_t bytes = 4) {
    return access(thread, line, AccessKind::Read, address, bytes);
  }
  bool write(int thread, int line, uint64_t address, uint32_t bytes = 4) {
    return access(thread, line, AccessKind::Write, address, bytes);
  }
  bool update(int thread, int line, uint64_t address, uint32_t bytes = 4) {
    return access(thread, line, AccessKind::Atomic, address, bytes);
  }

  /// An atomic of the program, which all `threads` reach and one executes.
  void atomic(int line, int executing, AtomicOrder order, std::initializer_list<int> threads) {
    for (int thread : threads) {
      Access access = {block->threads[thread], line, AccessKind::Atomic, MemorySpace::Global, kY, 4, 4, order};
      if (thread == executing) {
        checker->access(access);
      }
      checker->pass(access, thread == executing);
    }
  }

  void barrier() { barrier(0, static_cast<int>(block->threads.size())); }
  void barrier(int begin, int end) {
    std::vector<Thread *> threads;
    for (int i = begin; i < end; ++i) {
      threads.push_back(&block->threads[i]);
    }
    checker->synchronize(threads);
  }
  void warpBarrier(int warp, uint32_t mask = kAllLanes) {
    WarpCall call;
    call.warp = &block->warps[warp];
    call.mask = mask;
    checker->synchronize(call);
  }

  static AsyncCopy copyOf(uint64_t to, uint64_t from, int line, uint32_t size = 16) {
    AsyncCopy copy;
    copy.to = to;
    copy.from = from;
    copy.size = copy.read = size;
    copy.site = line;
    return copy;
  }

  /// The messages of the reports since the last call.
  std::vector<std::string> messages(std::initializer_list<Report::Kind> kinds) {
    std::vector<std::string> texts;
    std::vector<Report::Kind> found;
    for (; seen < launch.reports.size(); ++seen) {
      texts.push_back(launch.reports[seen].message);
      found.push_back(launch.reports[seen].kind);
    }
    EXPECT_EQ(found, std::vector<Report::Kind>(kinds));
    return texts;
  }
  std::string message(Report::Kind kind) {
    std::vector<std::string> texts = messages({kind});
    return texts.empty() ? "" : texts.front();
  }
  void expectNothing() { messages({}); }

  Settings settings;
  Kernel kernel;
  Launch launch;
  std::unique_ptr<Block> block;
  std::unique_ptr<Checker> checker;
  size_t seen = 0;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_TEST_UNIT_EMULATOR_CHECKERFIXTURE_H
