// What the threads of a block do with transaction barriers and copies of boxes, for tests.

#ifndef TILEWRIGHT_TEST_UNIT_EMULATOR_BOXSTEPS_H
#define TILEWRIGHT_TEST_UNIT_EMULATOR_BOXSTEPS_H

#include "CheckerFixture.h"
#include "ThreadCode.h"

#include "tilewright/Runtime/TensorMap.h"

namespace tilewright::emulator {

/// The instructions of one thread. The first argument of each is its line; addresses are offsets in shared memory.
class BoxSteps {
public:
  explicit BoxSteps(Thread &thread) : thread(thread) {}

  uint32_t index() const { return thread.index; }
  unsigned char *shared() const { return thread.shared; }
  uint64_t address(uint64_t offset) const { return reinterpret_cast<uint64_t>(thread.shared) + offset; }

  void barrier(int line) {
    uint64_t number = 0;
    perform(thread, "barrier.cta.sync.aligned.all", line, &number);
  }
  void fence(int line) { perform(thread, "fence.mbarrier_init.release.cluster", line); }
  void fenceProxy(int line) { perform(thread, "fence.proxy.async.shared::cta", line); }

  void init(int line, uint64_t at, uint64_t arrivals = 1) { onBarrier("mbarrier.init", line, at, arrivals); }
  void end(int line, uint64_t at) { onBarrier("mbarrier.inval", line, at, 0); }
  void arrive(int line, uint64_t at, uint64_t count = 1) { onBarrier("mbarrier.arrive", line, at, count); }
  void expect(int line, uint64_t at, uint64_t bytes) { onBarrier("mbarrier.arrive.expect_tx", line, at, bytes); }
  void wait(int line, uint64_t at, uint64_t parity) {
    onBarrier("mbarrier.try_wait.parity in a loop", line, at, parity);
  }
  bool test(int line, uint64_t at, uint64_t parity) {
    return onBarrier("mbarrier.test_wait.parity", line, at, parity) != 0;
  }
  /// Waits in a loop that the emulator does not know.
  void poll(int line, uint64_t at, uint64_t parity) {
    while (!test(line, at, parity)) {
      perform(thread, "emulator.tick", line);
    }
  }

  void copy(int line, uint64_t to, const runtime::EncodedTensorMap &map, const std::vector<int32_t> &at,
            uint64_t barrier) {
    move("cp.async.bulk.tensor.shared.global", line, to, map, at, address(barrier));
  }
  void store(int line, const runtime::EncodedTensorMap &map, const std::vector<int32_t> &at, uint64_t from) {
    move("cp.async.bulk.tensor.global.shared", line, from, map, at, 0);
  }
  /// `kind` is "add", "and", "or" or "xor".
  void reduce(int line, const std::string &kind, const runtime::EncodedTensorMap &map, const std::vector<int32_t> &at,
              uint64_t from) {
    move(("cp.reduce.async.bulk.tensor.global.shared." + kind).c_str(), line, from, map, at, 0);
  }
  void commit(int line) { perform(thread, "cp.async.bulk.commit_group", line); }
  void waitRead(int line, uint64_t groups) { perform(thread, "cp.async.bulk.wait_group.read", line, &groups); }
  void waitStores(int line, uint64_t groups) { perform(thread, "cp.async.bulk.wait_group", line, &groups); }

  void read(int line, uint64_t at, uint32_t bytes = 16) { access(line, at, bytes, AccessKind::Read); }
  void write(int line, uint64_t at, uint32_t bytes = 16) { access(line, at, bytes, AccessKind::Write); }

private:
  uint64_t onBarrier(const char *name, int line, uint64_t at, uint64_t number) {
    uint64_t in[] = {1, address(at), number}, out[] = {0};
    perform(thread, name, line, in, out);
    return out[0];
  }
  void move(const char *name, int line, uint64_t shared, const runtime::EncodedTensorMap &map,
            const std::vector<int32_t> &at, uint64_t barrier) {
    uint64_t in[10] = {1, at.size(), reinterpret_cast<uint64_t>(map.bytes.data()), address(shared), barrier};
    for (size_t i = 0; i < at.size(); ++i) {
      in[5 + i] = static_cast<uint32_t>(at[i]);
    }
    perform(thread, name, line, in);
  }
  void access(int line, uint64_t at, uint32_t bytes, AccessKind kind) {
    uint64_t in[] = {address(at), bytes, 1, static_cast<uint64_t>(kind), static_cast<uint64_t>(MemorySpace::Shared)};
    perform(thread, "emulator.access", line, in);
  }

  Thread &thread;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_TEST_UNIT_EMULATOR_BOXSTEPS_H
