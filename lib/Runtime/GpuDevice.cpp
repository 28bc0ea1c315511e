#include "tilewright/Runtime/GpuDevice.h"

#include <algorithm>

namespace tilewright::runtime {

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

std::optional<Excess> excessOfMemoryOrThreads(const DeviceLimits &limits, int lanesPerWarp, int64_t sharedBytes,
                                              int threads) {
  if (sharedBytes > limits.sharedBytes) {
    return Excess{"shared memory", "bytes of shared memory per program", sharedBytes, limits.sharedBytes,
                  "smaller blocks or fewer num_stages take less"};
  }
  if (threads > limits.threads) {
    return Excess{"threads", "threads per program", threads, limits.threads,
                  "num_warps is at most " + std::to_string(limits.threads / std::max(lanesPerWarp, 1))};
  }
  return std::nullopt;
}

std::optional<Excess> excessOfCompiledThreads(const KernelResources &kernel, int threads) {
  if (threads > kernel.maxThreads) {
    return Excess{"threads", "threads per program", threads, kernel.maxThreads,
                  "it was compiled for at most that many"};
  }
  return std::nullopt;
}

std::optional<Excess> excessOfGrid(const DeviceLimits &limits, const Grid &grid) {
  return excessOfGrid(std::array<int64_t, 3>{limits.grid[0], limits.grid[1], limits.grid[2]}, grid);
}

//===----------------------------------------------------------------------===//
// Launches and losses
//===----------------------------------------------------------------------===//

void GpuDevice::noteLaunch(const char *kernel) {
  unsigned count = launchCount.load(std::memory_order_relaxed);
  if (count > 0 && launches[(count - 1) % kKeptLaunches].load(std::memory_order_relaxed) == kernel) {
    return;
  }
  launches[count % kKeptLaunches].store(kernel, std::memory_order_relaxed);
  launchCount.store(count + 1, std::memory_order_relaxed);
}

std::vector<std::string> GpuDevice::lastLaunches() const {
  std::vector<std::string> found;
  unsigned count = launchCount.load(std::memory_order_relaxed);
  for (unsigned back = 1; back <= std::min(count, kKeptLaunches); ++back) {
    const char *kernel = launches[(count - back) % kKeptLaunches].load(std::memory_order_relaxed);
    if (std::find(found.begin(), found.end(), kernel) == found.end()) {
      found.push_back(kernel);
    }
  }
  return found;
}

std::string GpuDevice::lose(const std::string &cause, const std::string &hint) {
  std::string kernels;
  for (const std::string &kernel : lastLaunches()) {
    kernels += (kernels.empty() ? "" : ", ") + kernel;
  }
  std::lock_guard<std::mutex> lock(mutex);
  if (reason.empty()) {
    reason = label() + " is lost to this process since " + cause +
             "\nkernels launched on it last, newest first: " + (kernels.empty() ? "none by Tilewright" : kernels) +
             "\nhint: only a new process can use it again; " + hint;
    lost.store(true, std::memory_order_release);
  }
  return reason;
}

bool GpuDevice::allocateMailbox(Mailbox &mailbox, KernelProblem &problem) {
  std::unique_lock<std::mutex> lock(mutex);
  if (mailboxes.isFull()) {
    // A failure may mark the device as lost, which takes the mutex. Two threads may both allocate a page; what is left
    // of the first one is not used.
    lock.unlock();
    MailboxPage page;
    if (!allocatePage(page, problem)) {
      return false;
    }
    lock.lock();
    mailboxes.replacePage(page);
  }
  mailbox = mailboxes.take();
  return true;
}

std::string GpuDevice::lostBecause() const {
  std::lock_guard<std::mutex> lock(mutex);
  return reason;
}

} // namespace tilewright::runtime
