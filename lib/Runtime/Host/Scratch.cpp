#include "tilewright/Runtime/Host/Scratch.h"

#include <algorithm>
#include <cstdlib>

namespace tilewright::runtime {

namespace {

struct Block {
  ~Block() { std::free(data); }
  void *data = nullptr;
  size_t size = 0;
};

thread_local Block block;

} // namespace

void *threadScratch(size_t bytes) {
  if (block.size < bytes || !block.data) {
    std::free(block.data);
    // At least a page, so that kernels with small needs share one allocation.
    block.size = (std::max<size_t>(bytes, 4096) + 63) / 64 * 64;
    block.data = std::aligned_alloc(64, block.size);
    if (!block.data) {
      block.size = 0;
    }
  }
  return block.data;
}

} // namespace tilewright::runtime
