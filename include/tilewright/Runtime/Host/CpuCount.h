// The number of threads that a launch may use.

#ifndef TILEWRIGHT_RUNTIME_HOST_CPUCOUNT_H
#define TILEWRIGHT_RUNTIME_HOST_CPUCOUNT_H

#include <optional>
#include <string>

namespace tilewright::runtime {

/// TILEWRIGHT_NUM_THREADS, if it is a positive number; it takes precedence over everything that OpenMP says.
std::optional<unsigned> requestedThreads();

/// requestedThreads(), or else the number of processors that this process may run on, limited by the quota of its
/// control group. At least 1.
unsigned threadsToUse();

/// The first number of a text such as that of OMP_NUM_THREADS, a list with a number for each level of nesting; none if
/// it is not positive.
std::optional<unsigned> firstNumber(const char *text);

/// The number of processors that the text of a cgroup's cpu.max ("200000 100000") allows, rounded up; none if it sets
/// no limit or is malformed.
std::optional<unsigned> processorsOfQuota(const std::string &cpuMax);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_HOST_CPUCOUNT_H
