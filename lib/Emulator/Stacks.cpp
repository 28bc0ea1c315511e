#include "Stacks.h"

#include <sys/mman.h>
#include <unistd.h>

namespace tilewright::emulator {

static size_t pageBytes() {
  static const size_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

StackPool &StackPool::instance() {
  thread_local StackPool pool;
  return pool;
}

StackPool::~StackPool() {
  for (void *stack : all) {
    munmap(static_cast<char *>(stack) - kBytes, kBytes);
  }
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
  mprotect(memory, pageBytes(), PROT_NONE);
  all.push_back(static_cast<char *>(memory) + kBytes);
  return all.back();
}

bool StackPool::isGuard(const void *address) const {
  for (void *stack : all) {
    const char *low = static_cast<char *>(stack) - kBytes;
    if (address >= low && address < low + pageBytes()) {
      return true;
    }
  }
  return false;
}

namespace {

class SharedMemory {
public:
  SharedMemory() {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_32BIT
    flags |= MAP_32BIT;
#endif
    void *mapped = mmap(nullptr, kMostSharedBytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    memory = mapped == MAP_FAILED ? nullptr : static_cast<unsigned char *>(mapped);
  }
  ~SharedMemory() {
    if (memory) {
      munmap(memory, kMostSharedBytes);
    }
  }
  unsigned char *memory;
};

} // namespace

unsigned char *threadSharedMemory() {
  thread_local SharedMemory shared;
  return shared.memory;
}

} // namespace tilewright::emulator
