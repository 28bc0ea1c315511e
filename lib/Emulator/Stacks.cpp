#include "Stacks.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

namespace tilewright::emulator {

static size_t pageBytes() {
  static const size_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

/// The number of guard pages in all pools. A guard page adds two mappings to the process, and Linux allows 65530
/// mappings by default: many host threads with a thousand fibers each would need more. Adjacent stacks without guard
/// pages share one mapping.
static std::atomic<size_t> guards{0};
static constexpr size_t kMostGuards = 16 << 10;

StackPool &StackPool::instance() {
  thread_local StackPool pool;
  return pool;
}

StackPool::~StackPool() {
  for (void *stack : all) {
    munmap(static_cast<char *>(stack) - kBytes, kBytes);
  }
  guards -= guarded;
}

void *StackPool::take() {
  if (!free.empty()) {
    void *stack = free.back();
    free.pop_back();
    return stack;
  }
  void *memory =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) {
    return nullptr;
  }
  if (guards < kMostGuards) {
    mprotect(memory, pageBytes(), PROT_NONE);
    ++guards;
    ++guarded;
  }
  all.push_back(static_cast<char *>(memory) + kBytes);
  return all.back();
}

bool StackPool::isGuard(const void *address) const {
  return std::any_of(all.begin(), all.end(), [&](void *stack) {
    const char *low = static_cast<char *>(stack) - kBytes;
    return address >= low && address < low + pageBytes();
  });
}

namespace {

class SharedMemory {
public:
  SharedMemory() {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_32BIT
    flags |= MAP_32BIT;
#endif
    void *mapped = mmap(nullptr, 2 * kMostSharedBytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (mapped == MAP_FAILED) {
      return;
    }
    // Aligned to its size, because matrix descriptors have only the low bits of an address, and offsets are added to
    // them.
    auto *begin = static_cast<unsigned char *>(mapped);
    size_t before = -reinterpret_cast<uintptr_t>(begin) % kMostSharedBytes;
    memory = begin + before;
    if (before > 0) {
      munmap(begin, before);
    }
    munmap(memory + kMostSharedBytes, kMostSharedBytes - before);
  }
  ~SharedMemory() {
    if (memory) {
      munmap(memory, kMostSharedBytes);
    }
  }
  unsigned char *memory = nullptr;
};

} // namespace

unsigned char *threadSharedMemory() {
  thread_local SharedMemory shared;
  return shared.memory;
}

} // namespace tilewright::emulator
