// shorten-lifetimes: orders operations by their uses where registers would not suffice. See Passes.td.
//
//     %x0 = thread.load %p0                           %x0 = thread.load %p0
//     %x1 = thread.load %p1                           %x1 = thread.load %p1
//     %y0 = math.exp %x0                      =       %y0 = math.exp %x0
//     %y1 = math.exp %x1                              thread.store %q0, %y0
//     thread.store %q0, %y0                           %y1 = math.exp %x1
//     thread.store %q1, %y1                           thread.store %q1, %y1

#include "tilewright/Transforms/Passes.h"

#include "LiveWords.h"
#include "UseOrder.h"

#include "tilewright/Dialect/Thread/IR/Thread.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

using namespace mlir;

namespace tilewright {
#define GEN_PASS_DEF_SHORTENLIFETIMES
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace tilewright;

/// What a thread loads ahead. With 256 threads on a multiprocessor these are 32 KB, which hide the latency of memory.
static constexpr int64_t kWordsAhead = 32;

/// The new order must need at most this share of the registers that the old one needs, since both are estimates.
static constexpr double kMostShare = 0.75;

/// Returns whether the block has another order now.
static bool reorder(Block &block, int64_t registers) {
  int64_t words = mostLiveWords(block);
  if (words <= registers) {
    return false;
  }
  std::vector<Operation *> order = orderByUse(block, kWordsAhead);
  if (mostLiveWords(order) > kMostShare * words) {
    return false;
  }
  for (Operation *op : order) {
    op->moveBefore(&block, block.end());
  }
  return true;
}

namespace {
class ShortenLifetimes : public tilewright::impl::ShortenLifetimesBase<ShortenLifetimes> {
  void runOnOperation() override {
    bool isReordered = false;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (std::optional<int64_t> registers = registersPerThread(function)) {
        function.walk([&](Block *block) { isReordered |= reorder(*block, *registers); });
      }
      for (unsigned index = 0; index < function.getNumArguments(); ++index) {
        function.removeArgAttr(index, thread::ThreadDialect::kNoAliasAttr); // LLVM has no such attribute
      }
    }
    if (isReordered) {
      getOperation()->setAttr(tilegpu::TileGPUDialect::kShortLifetimesAttr, UnitAttr::get(&getContext()));
    }
  }
};
} // namespace
