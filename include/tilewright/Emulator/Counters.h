// Counts what the hardware would have had to do, by line of the kernel.

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
  int64_t bytes = 0;     ///< that the lanes ask for
  int64_t transfers = 0; ///< of global memory: sectors of 32 bytes; of shared memory: wavefronts of 32 banks
  int64_t ideal = 0;     ///< the fewest transfers for as many different bytes, at the access's width
  void add(const MemoryCounts &other);
};

/// Atomic operations are stores.
struct SiteCounts {
  MemoryCounts globalLoads, globalStores, sharedLoads, sharedStores;
  int64_t barriers = 0; ///< a warp's
  /// Instructions of warps, by class.
  std::array<int64_t, kInstructionClasses> instructions = {};
  void add(const SiteCounts &other);
};

/// The sum over all blocks of a launch; one entry for each of the kernel's sites.
class Profile {
public:
  explicit Profile(size_t sites) : sites(sites) {}
  void add(const std::vector<SiteCounts> &counts);
  std::vector<SiteCounts> sites;

private:
  std::mutex mutex;
};

/// One for each Block that runs.
class Counters {
public:
  explicit Counters(Launch &launch);
  ~Counters();

  /// Another block is about to run.
  void begin();

  /// One thread's part in a warp's access, which lanes need not make at the same time: the n-th times that the lanes of
  /// a warp come to a site, with the same kind, space and number of bytes, are one request. `active` is false for a
  /// lane whose predicate is false.
  void access(const Access &access, bool active);

  /// A warp's access of shared memory by rows of 16 bytes, eight of which are one wavefront if their banks differ:
  /// ldmatrix and stmatrix.
  void rows(int32_t site, AccessKind kind, const uint64_t *addresses, int count);

  /// So many instructions of one thread; a warp executes as many as that lane of it which executes most.
  void count(Thread &thread, int32_t site, InstructionClass kind, int64_t instructions);

  /// Ends what has begun, and adds everything to the launch's profile.
  void end();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_COUNTERS_H
