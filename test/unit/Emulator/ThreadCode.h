// Runs a block whose threads execute C++ code, for tests of instructions of several warps.

#ifndef TILEWRIGHT_TEST_EMULATOR_THREADCODE_H
#define TILEWRIGHT_TEST_EMULATOR_THREADCODE_H

#include "Lanes.h"

namespace tilewright::emulator {

using ThreadBody = std::function<void(Thread &thread)>;

/// Site n is line n, up to 99. The body must not own memory while it waits.
inline std::vector<Report> runThreads(int threads, int64_t sharedBytes, const Settings &settings,
                                      const ThreadBody &body, int lanes = kLanes) {
  Kernel kernel;
  kernel.code = [](Thread *thread, const uint64_t *slots) {
    (*reinterpret_cast<const ThreadBody *>(slots[0]))(*thread);
  };
  kernel.threads = threads;
  kernel.lanes = lanes;
  kernel.sharedBytes = sharedBytes;
  kernel.checked = true;
  kernel.sites.resize(100);
  for (int line = 1; line < 100; ++line) {
    kernel.sites[line].file = "kernel.py";
    kernel.sites[line].line = line;
  }
  uint64_t slot = reinterpret_cast<uint64_t>(&body);
  Launch launch(kernel, settings);
  launch.slots = &slot;
  runBlocks(launch, 0, 1);
  launch.settle();
  return launch.reports;
}

/// Executes an instruction of a thread.
inline void perform(Thread &thread, const char *name, int line, const uint64_t *in = nullptr, uint64_t *out = nullptr) {
  const Instruction *row = findInstruction(name);
  ASSERT_TRUE(row) << name;
  row->function(thread, line, in, out);
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_TEST_EMULATOR_THREADCODE_H
