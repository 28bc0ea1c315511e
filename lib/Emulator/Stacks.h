// Memory of a host thread that its blocks reuse one after the other: the stacks of fibers, and shared memory.

#ifndef TILEWRIGHT_LIB_EMULATOR_STACKS_H
#define TILEWRIGHT_LIB_EMULATOR_STACKS_H

#include <cstddef>
#include <vector>

namespace tilewright::emulator {

/// The stacks of fibers. The system commits their memory page by page as it is used. A stack has a guard page below it,
/// unless the process already has too many guard pages.
class StackPool {
public:
  static constexpr size_t kBytes = 256 << 10;

  /// The calling thread's pool.
  static StackPool &instance();
  ~StackPool();

  /// Returns the upper end of a stack, or nullptr if the allocation fails.
  void *take();
  void give(void *stack) { free.push_back(stack); }
  /// Whether the address lies in the lowest page of one of the stacks, which is its guard page if it has one.
  bool isGuard(const void *address) const;

private:
  std::vector<void *> free;
  std::vector<void *> all;
  size_t guarded = 0; ///< the number of stacks with a guard page
};

/// The shared memory for the blocks that run on the calling thread, as large as any GPU's, at an address below 4 GiB;
/// nullptr if the allocation failed.
unsigned char *threadSharedMemory();
constexpr size_t kMostSharedBytes = 256 << 10;

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_STACKS_H
