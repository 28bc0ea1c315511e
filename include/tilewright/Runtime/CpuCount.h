// How many threads a launch may keep busy.

#ifndef TILEWRIGHT_RUNTIME_CPUCOUNT_H
#define TILEWRIGHT_RUNTIME_CPUCOUNT_H

#include <optional>
#include <string>

namespace tilewright::runtime {

/// TILEWRIGHT_NUM_THREADS where it is a positive number; else the processors that this process may
/// run on, and not more than its control group's quota pays for. At least 1.
unsigned threadsToUse();

/// The processors that the text of a cgroup's cpu.max ("200000 100000") pays for, rounded up;
/// nothing where it sets no limit or is malformed.
std::optional<unsigned> processorsOfQuota(const std::string &cpuMax);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CPUCOUNT_H
