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
  static const char *const names[] = {"bounds",   "uninitialized", "race",      "copy",   "alignment",
                                      "deadlock", "mask",          "endless",   "fault",  "assertion",
                                      "proxy",    "register",      "warpgroup", "barrier"};
  return names[kind];
}

void Launch::report(Report report) {
  std::lock_guard lock(mutex);
  for (Report &known : reports) {
    if (known.kind != report.kind || known.site != report.site || known.otherSite != report.otherSite ||
        known.ifWritten != report.ifWritten) {
      continue;
    }
    if (numberOf(report.program) < numberOf(known.program)) {
      std::swap(known, report);
    }
    ++repeated[numberOf(report.program)];
    return;
  }
  reports.push_back(std::move(report));
}

void Launch::stopAfter(int64_t program) {
  int64_t before = last.load(std::memory_order_relaxed);
  while (program < before && !last.compare_exchange_weak(before, program, std::memory_order_relaxed)) {
  }
}

void Launch::settle() {
  std::multimap<int64_t, Report> ordered; // reports of one program stay in the order in which they were found
  for (Report &report : reports) {
    int64_t program = numberOf(report.program);
    bool isRight = report.ifWritten < 0 || static_cast<size_t>(report.ifWritten) >= kTensorsTold ||
                   written[report.ifWritten].load(std::memory_order_relaxed);
    if (isRight && !isStopped(program)) {
      ordered.emplace(program, std::move(report));
    }
  }
  reports.clear();
  for (auto &[program, report] : ordered) {
    reports.push_back(std::move(report));
  }
  for (auto [program, count] : repeated) {
    suppressed += isStopped(program) ? 0 : count;
  }
  if (reports.size() > kMostReports) {
    suppressed += static_cast<int64_t>(reports.size() - kMostReports);
    reports.resize(kMostReports);
  }
}

bool runBlocks(Launch &launch, int64_t begin, int64_t end) {
  if (!threadSharedMemory() || launch.kernel.sharedBytes > static_cast<int64_t>(kMostSharedBytes)) {
    launch.report({Report::Fault, "could not allocate a block's shared memory"});
    launch.stopAfter(0);
    return false;
  }
  Block block(launch);
  for (int64_t linear = begin; linear < end; ++linear) {
    int64_t row = linear / launch.grid[0];
    std::array<int32_t, 3> program = {static_cast<int32_t>(linear % launch.grid[0]),
                                      static_cast<int32_t>(row % launch.grid[1]),
                                      static_cast<int32_t>(row / launch.grid[1])};
    if (launch.isStopped(linear) || !block.run(program)) {
      return false;
    }
  }
  return true;
}

} // namespace tilewright::emulator
