#include "tilewright/Runtime/Host/CpuCount.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <thread>

namespace tilewright::runtime {

std::optional<unsigned> processorsOfQuota(const std::string &cpuMax) {
  std::istringstream stream(cpuMax);
  long long quota = 0, period = 0;
  // "max 100000" means no limit, and fails to parse as a number.
  if (!(stream >> quota >> period) || quota <= 0 || period <= 0) {
    return std::nullopt;
  }
  return static_cast<unsigned>(std::min<long long>((quota + period - 1) / period, 1 << 16));
}

static std::string contentsOf(const std::string &path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text);
  return text;
}

/// The smallest quota of this process's group and its ancestors (cgroup version 2), or of the mounted group (version
/// 1).
static std::optional<unsigned> groupQuota() {
  std::optional<unsigned> limit;
  auto consider = [&](std::optional<unsigned> other) {
    if (other) {
      limit = std::min(limit.value_or(*other), *other);
    }
  };
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.rfind("0::", 0) != 0) {
      continue;
    }
    for (std::string group = line.substr(3);; group.resize(group.rfind('/'))) {
      consider(processorsOfQuota(contentsOf("/sys/fs/cgroup" + group + "/cpu.max")));
      if (group.find('/') == std::string::npos) {
        break;
      }
    }
  }
  const std::string version1 = "/sys/fs/cgroup/cpu/cpu.cfs_";
  consider(processorsOfQuota(contentsOf(version1 + "quota_us") + " " + contentsOf(version1 + "period_us")));
  return limit;
}

static unsigned allowedProcessors() {
  cpu_set_t set;
  // Fails on machines with more processors than the set has bits.
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    return CPU_COUNT(&set);
  }
  return std::thread::hardware_concurrency();
}

std::optional<unsigned> firstNumber(const char *text) {
  char *end = nullptr;
  long number = text ? std::strtol(text, &end, 10) : 0;
  bool isNumber = number >= 1 && number <= 4096 && (*end == '\0' || *end == ',');
  return isNumber ? std::optional(static_cast<unsigned>(number)) : std::nullopt;
}

std::optional<unsigned> requestedThreads() {
  if (const char *text = std::getenv("TILEWRIGHT_NUM_THREADS"); text && *text) {
    char *end = nullptr;
    long wanted = std::strtol(text, &end, 10);
    if (*end == '\0' && wanted >= 1 && wanted <= 4096) {
      return static_cast<unsigned>(wanted);
    }
    std::fprintf(stderr, "tilewright: TILEWRIGHT_NUM_THREADS=%s is not a number from 1 to 4096 and is ignored\n", text);
  }
  return std::nullopt;
}

unsigned threadsToUse() {
  if (std::optional<unsigned> requested = requestedThreads()) {
    return *requested;
  }
  unsigned processors = std::max(1u, allowedProcessors());
  return std::min(processors, groupQuota().value_or(processors));
}

} // namespace tilewright::runtime
