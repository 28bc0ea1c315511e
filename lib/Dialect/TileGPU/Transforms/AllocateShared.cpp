// allocate-shared: assigns every buffer an offset in shared memory. See Passes.td.
//
//     bytes
//       256 |      bbbbbbb
//           |      bbbbbbb
//       128 | aaaa         cccccc     the last read of a precedes the first write of c: they share memory
//         0 | aaaa         cccccc
//           +----------------------> operations

#include "Buffers.h"
#include "tilewright/Dialect/Tile/IR/Calls.h"
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

/// Extra bytes that may be spent to save barriers: too few to reduce the number of programs that fit on an SM.
static constexpr int64_t kSpareBytes = 4096;

static int64_t bytesOf(const Lifetime &life) { return LocalAllocOp(life.alloc).getType().getBytes(); }

namespace {
/// The offset of each buffer, in the order of the lifetimes, and the total size.
struct Placement {
  SmallVector<int64_t> offsets;
  int64_t total = 0;
};
} // namespace

/// Aligned for the widest access, and large buffers to the first bank, as swizzles assume. The swizzles that a
/// group_mma or box_store reads repeat every eight rows, and are functions of the address.
static int64_t alignmentOf(LocalAllocOp alloc) {
  constexpr int64_t kSwizzledRows = 8;
  const hardware::GpuInfo &target = targetOf(alloc);
  if (llvm::any_of(accessesOf(alloc),
                   [](const BufferAccess &access) { return isa<GroupMmaOp, BoxStoreOp>(access.op); })) {
    return kSwizzledRows * target.lineBytes;
  }
  return alloc.getType().getBytes() >= target.lineBytes ? target.lineBytes : target.vectorBytes;
}

/// The lowest offset that is free during the lifetime of the buffer.
static int64_t firstFit(ArrayRef<Lifetime> lives, ArrayRef<int64_t> offsets, const Lifetime &life) {
  SmallVector<std::pair<int64_t, int64_t>> taken;
  for (auto [other, offset] : llvm::zip_equal(lives, offsets)) {
    if (offset >= 0 && other.overlaps(life)) {
      taken.push_back({offset, offset + bytesOf(other)});
    }
  }
  llvm::sort(taken);
  int64_t alignment = alignmentOf(life.alloc), place = 0;
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

/// Reusing a buffer's memory requires a barrier after its last access. There is one anyway between the first write and
/// the first read of a later buffer; extending lifetimes up to that barrier avoids additional ones.
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

int64_t tilegpu::sharedBytesOf(Operation *root) { return decide(lifetimesOf(root)).total; }

int64_t tilegpu::sharedBytesOf(Operation *root, llvm::function_ref<bool(LocalAllocOp)> counts) {
  SmallVector<Lifetime> lives = lifetimesOf(root);
  llvm::erase_if(lives, [&](const Lifetime &life) { return !counts(life.alloc); });
  return decide(lives).total;
}

namespace {
class AllocateShared : public tilegpu::impl::AllocateSharedBase<AllocateShared> {
  void runOnOperation() override {
    Builder builder(&getContext());
    int64_t total = 0;
    // While a function is executed, the buffers of its callers keep their contents: its own follow theirs.
    llvm::DenseMap<Operation *, int64_t> starts;
    for (FunctionOpInterface function : tile::callersFirst(getOperation())) {
      SmallVector<Lifetime> lives = lifetimesOf(function);
      Placement placement = decide(lives);
      int64_t start = starts.lookup(function), end = start + placement.total;
      for (auto [life, offset] : llvm::zip_equal(lives, placement.offsets)) {
        life.alloc.setOffset(start + offset);
      }
      function->walk([&](tile::CallOp call) {
        int64_t &startOfCallee = starts[tile::calleeOf(call)];
        startOfCallee = std::max(startOfCallee, int64_t(llvm::alignTo(end, targetOf(function).lineBytes)));
      });
      total = std::max(total, end);
      // Set even if it is too much: the caller of the pipeline reports the size.
      getOperation()->setAttr(TileGPUDialect::kSharedBytesAttr, builder.getI64IntegerAttr(total));
      if (failed(checkFits(function, end))) {
        return signalPassFailure();
      }
    }
    getOperation().walk([](LocalAllocOp alloc) {
      if (alloc.use_empty()) {
        alloc.erase();
      }
    });
  }

  static LogicalResult checkFits(FunctionOpInterface function, int64_t bytes) {
    const hardware::GpuInfo &target = targetOf(function);
    if (bytes <= target.sharedPerBlock) {
      return success();
    }
    return function->emitError() << "the kernel needs " << bytes << " bytes of shared memory, and " << target.name
                                 << " has " << target.sharedPerBlock
                                 << " for each program; smaller blocks or fewer num_stages take less";
  }
};
} // namespace
