// allocate-shared: every buffer gets its place in shared memory. See Passes.td.
//
//     bytes
//       256 |      bbbbbbb
//           |      bbbbbbb
//       128 | aaaa         cccccc     a is read for the last time before c is written: they share a place
//         0 | aaaa         cccccc
//           +----------------------> operations

#include "Buffers.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"
#include "tilewright/Hardware/Nvidia.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_ALLOCATESHARED
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

/// Bytes that may be spent on saving barriers: too few to make room for fewer programs on an SM.
static constexpr int64_t kSpareBytes = 4096;

static int64_t bytesOf(const Lifetime &life) { return LocalAllocOp(life.alloc).getType().getBytes(); }

namespace {
/// The offset of each buffer, in the order of the lifetimes, and the sum of it all.
struct Placement {
  SmallVector<int64_t> offsets;
  int64_t total = 0;
};
} // namespace

/// The lowest place that is free as long as the buffer lives.
static int64_t firstFit(ArrayRef<Lifetime> lives, ArrayRef<int64_t> offsets, const Lifetime &life) {
  SmallVector<std::pair<int64_t, int64_t>> taken;
  for (auto [other, offset] : llvm::zip_equal(lives, offsets)) {
    if (offset >= 0 && other.overlaps(life)) {
      taken.push_back({offset, offset + bytesOf(other)});
    }
  }
  llvm::sort(taken);
  // Where the widest access may go, and where swizzles and banks begin.
  int64_t alignment = bytesOf(life) >= hardware::kLineBytes ? hardware::kLineBytes : hardware::kVectorBytes, place = 0;
  for (auto [begin, end] : taken) {
    if (place + bytesOf(life) <= begin) {
      break;
    }
    place = std::max(place, static_cast<int64_t>(llvm::alignTo(end, alignment)));
  }
  return place;
}

/// Large buffers first, so that small ones fill the gaps.
static Placement place(ArrayRef<Lifetime> lives) {
  SmallVector<size_t> order = llvm::to_vector(llvm::seq<size_t>(0, lives.size()));
  llvm::stable_sort(order, [&](size_t a, size_t b) { return bytesOf(lives[a]) > bytesOf(lives[b]); });
  Placement placement;
  placement.offsets.assign(lives.size(), -1);
  for (size_t index : order) {
    int64_t offset = firstFit(lives, placement.offsets, lives[index]);
    placement.offsets[index] = offset;
    placement.total = std::max(placement.total, offset + bytesOf(lives[index]));
  }
  return placement;
}

/// A buffer's place is free for another one's data only behind a barrier. If it lives on until one stands there anyway
/// (between the first write and the first read of a later buffer), none is needed for its place.
static SmallVector<Lifetime> untilTheNextBarrier(ArrayRef<Lifetime> lives) {
  SmallVector<Lifetime> extended(lives);
  for (Lifetime &life : extended) {
    int64_t barrier = std::numeric_limits<int64_t>::max();
    for (const Lifetime &later : lives) {
      if (later.begin > life.end) {
        barrier = std::min(barrier, later.firstRead);
      }
    }
    life.end = std::max(life.end, barrier - 1);
  }
  return extended;
}

static Placement decide(ArrayRef<Lifetime> lives) {
  Placement tight = place(lives), roomy = place(untilTheNextBarrier(lives));
  return roomy.total <= tight.total + kSpareBytes ? roomy : tight;
}

namespace {
class AllocateShared : public tilegpu::impl::AllocateSharedBase<AllocateShared> {
  void runOnOperation() override {
    Builder builder(&getContext());
    int64_t total = 0;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SmallVector<Lifetime> lives = lifetimesOf(function);
      Placement placement = decide(lives);
      for (auto [life, offset] : llvm::zip_equal(lives, placement.offsets)) {
        life.alloc.setOffset(offset);
      }
      total = std::max(total, placement.total);
      // Also where that is too much: who drives the passes tells how much it would be.
      getOperation()->setAttr(TileGPUDialect::kSharedBytesAttr, builder.getI64IntegerAttr(total));
      if (failed(checkFits(function, placement.total))) {
        return signalPassFailure();
      }
    }
    getOperation().walk([](LocalAllocOp alloc) {
      if (alloc.use_empty()) {
        alloc.erase();
      }
    });
  }

  static LogicalResult checkFits(func::FuncOp function, int64_t bytes) {
    const hardware::NvidiaInfo &target = targetOf(function);
    if (bytes <= target.sharedPerBlock) {
      return success();
    }
    return function.emitError() << "the kernel needs " << bytes << " bytes of shared memory, and " << target.name
                                << " has " << target.sharedPerBlock
                                << " for each program; smaller blocks or fewer num_stages take less";
  }
};
} // namespace
