// Counts the work of the hardware by line of the kernel.

#ifndef TILEWRIGHT_EMULATOR_COUNTERS_H
#define TILEWRIGHT_EMULATOR_COUNTERS_H

#include "tilewright/Emulator/Block.h"
#include "tilewright/Emulator/Checker.h"

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace tilewright::emulator {

/// A request is one instruction of a warp that accesses memory with at least one lane.
struct MemoryCounts {
  int64_t requests = 0;
  int64_t bytes = 0;     ///< that the lanes access
  int64_t transfers = 0; ///< of global memory: sectors or lines; of shared memory: wavefronts, or AMD's phases
  int64_t ideal = 0;     ///< the fewest transfers for the same number of distinct bytes, at the access's width
  void add(const MemoryCounts &other);
};

/// Atomics count as stores.
struct SiteCounts {
  MemoryCounts globalLoads, globalStores, sharedLoads, sharedStores;
  int64_t barriers = 0; ///< warp-level: each warp of the block counts one
  /// Warp-level instructions, by class.
  std::array<int64_t, kInstructionClasses> instructions = {};
  void add(const SiteCounts &other);
};

/// The sum over all blocks of a launch, with one entry for each of the kernel's sites.
class Profile {
public:
  explicit Profile(size_t sites) : sites(sites) {}
  void add(const std::vector<SiteCounts> &counts);
  std::vector<SiteCounts> sites;

private:
  std::mutex mutex;
};

/// Each Block has its own Counters.
class Counters {
public:
  explicit Counters(Launch &launch);
  ~Counters();

  /// Called before a program runs.
  void begin();

  /// Counts one lane's part of a request. Lanes need not execute it at the same time: the n-th accesses of the lanes of
  /// a warp at a site, with the same kind, space and number of bytes, form one request. `active` is false for a lane
  /// whose predicate is false.
  void access(const Access &access, bool active);

  /// Counts an ldmatrix or stmatrix: a warp's access to rows of 16 bytes in shared memory. Eight rows take one
  /// wavefront if their banks differ.
  void rows(int32_t site, AccessKind kind, const uint64_t *addresses, int count);

  /// Counts instructions of one thread. A warp is charged with the largest count among its lanes.
  void count(Thread &thread, int32_t site, InstructionClass kind, int64_t instructions);

  /// Called after a program has run: closes all open requests, and adds the counts to the launch's profile.
  void end();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_COUNTERS_H
