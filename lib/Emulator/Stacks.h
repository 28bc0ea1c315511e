// Memory of the calling thread that blocks use one after the other: stacks of fibers, and shared memory.

#ifndef TILEWRIGHT_LIB_EMULATOR_STACKS_H
#define TILEWRIGHT_LIB_EMULATOR_STACKS_H

#include <cstddef>
#include <vector>

namespace tilewright::emulator {

/// Stacks for fibers. The system gives each its memory page by page as it is used, and a page that faults below it, as
/// long as the process has not too many of those.
class StackPool {
public:
  static constexpr size_t kBytes = 256 << 10;

  /// The calling thread's.
  static StackPool &instance();
  ~StackPool();

  /// The upper end of a stack; nullptr where there is no memory.
  void *take();
  void give(void *stack) { free.push_back(stack); }
  /// Whether the address lies in the page below one of the stacks.
  bool isGuard(const void *address) const;

private:
  std::vector<void *> free;
  std::vector<void *> all;
  size_t guarded = 0; ///< how many have a page that faults
};

/// The calling thread's shared memory of a block, as large as any GPU's, below 4 GiB; nullptr where there is none.
unsigned char *threadSharedMemory();
constexpr size_t kMostSharedBytes = 256 << 10;

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_STACKS_H
