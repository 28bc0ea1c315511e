// A kernel of one warp whose code is one instruction.

#include "tilewright/Emulator/Execute.h"

#include "tilewright/Emulator/Block.h"

#include <algorithm>

namespace tilewright::emulator {

namespace {

/// The kernel's only parameter points to this.
struct Run {
  const Execution &execution;
  std::vector<uint64_t> operands;
  Outcome &outcome;
};

/// The kernel's code. Thread 0 initializes shared memory before any other thread reads it, because threads start in the
/// order of their indices.
void executeLane(Thread *thread, const uint64_t *slots) {
  Run &run = *reinterpret_cast<Run *>(slots[0]);
  Outcome &outcome = run.outcome;
  if (thread->index == 0) {
    std::copy(outcome.shared.begin(), outcome.shared.end(), thread->shared);
  }
  uint64_t *in = run.operands.data() + thread->index * (run.operands.size() / run.execution.lanes);
  if (!outcome.shared.empty()) {
    in[0] += reinterpret_cast<uint64_t>(thread->shared);
  }
  uint64_t *out = outcome.results.data() + thread->index * run.execution.results;
  run.execution.instruction.function(*thread, 0, in, out);
  std::copy_n(thread->shared, outcome.shared.size(), outcome.shared.begin());
}

} // namespace

Outcome executeInstruction(const Execution &execution) {
  Outcome outcome;
  outcome.results.resize(execution.results * execution.lanes);
  outcome.shared = execution.shared;

  Kernel kernel;
  kernel.code = executeLane;
  kernel.threads = execution.lanes;
  kernel.lanes = execution.lanes;
  kernel.sharedBytes = static_cast<int64_t>(execution.shared.size());
  kernel.checked = true;
  kernel.architecture = execution.architecture;
  kernel.sites.resize(1);

  Run run = {execution, execution.operands, outcome};
  uint64_t slot = reinterpret_cast<uint64_t>(&run);
  Launch launch(kernel, execution.settings);
  launch.slots = &slot;
  runBlocks(launch, 0, 1);
  launch.settle();
  outcome.reports = std::move(launch.reports);
  return outcome;
}

} // namespace tilewright::emulator
