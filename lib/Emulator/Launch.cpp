#include "tilewright/Emulator/Launch.h"

#include "Stacks.h"
#include "tilewright/Emulator/Block.h"

namespace tilewright::emulator {

std::string Site::describe() const {
  if (line == 0) {
    return "an unknown line";
  }
  return file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(line);
}

const char *nameOf(Report::Kind kind) {
  static const char *const names[] = {"bounds", "uninitialized", "race",  "copy",      "alignment",  "deadlock",
                                      "mask",   "endless",       "fault", "assertion", "unsupported"};
  return names[kind];
}

void Launch::report(Report report) {
  std::lock_guard lock(mutex);
  for (const Report &known : reports) {
    if (known.kind == report.kind && known.site == report.site && known.otherSite == report.otherSite) {
      ++suppressed;
      return;
    }
  }
  if (reports.size() < kMostReports) {
    reports.push_back(std::move(report));
  } else {
    ++suppressed;
  }
}

bool runBlocks(Launch &launch, int64_t begin, int64_t end) {
  if (!threadSharedMemory() || launch.kernel.sharedBytes > static_cast<int64_t>(kMostSharedBytes)) {
    launch.report({Report::Fault, "there is no memory for a block's shared memory"});
    launch.stop();
    return false;
  }
  Block block(launch);
  for (int64_t linear = begin; linear < end; ++linear) {
    int64_t row = linear / launch.grid[0];
    std::array<int32_t, 3> program = {static_cast<int32_t>(linear % launch.grid[0]),
                                      static_cast<int32_t>(row % launch.grid[1]),
                                      static_cast<int32_t>(row / launch.grid[1])};
    if (launch.isStopped() || !block.run(program)) {
      return false;
    }
  }
  return true;
}

} // namespace tilewright::emulator
