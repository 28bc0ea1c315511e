// plan-pipeline: which loads of a loop are started iterations ahead. See Passes.td.
//
//     scf.for                                       stage
//       %o = addi, %p = addptr, ...                   0      the addresses of the loads, and these:
//       %x = tile.load %p                             0      become asynchronous copies
//       local_store %x, %b                            0
//       %a = local_load %b, mma %a, ...               2      what remains, num_stages - 1 iterations later
//
// Where products follow each other, the operands of the first are read an iteration ahead: those reads are of stage
// num_stages - 1, and what remains of stage num_stages.

#include "Buffers.h"
#include "ExpandPipeline/Speculation.h"
#include "OperandPath.h"
#include "tilewright/Analysis/MayAlias.h"
#include "tilewright/Analysis/ReadOnlyMemory.h"
#include "tilewright/Dialect/TileGPU/IR/AccessWidth.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"
#include "tilewright/Hardware/NvidiaInstructions.h"
#include "tilewright/Layout/Shared.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_PLANPIPELINE
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

/// What the user asks for of one loop.
static constexpr llvm::StringLiteral kAskedStages = "tile.num_stages";

//===----------------------------------------------------------------------===//
// Which loads can be copied asynchronously
//===----------------------------------------------------------------------===//

/// Bytes that one thread copies from memory to the buffer as one.
static int64_t copiedBytes(tile::LoadOp load, BufferType buffer) {
  layout::LinearLayout offsets = layout::offsetsOf(mapOf(load.getPtr()), buffer.getLayout().getMap());
  return copyAccessOf(load, offsets).elements() * buffer.getElementBytes();
}

/// Copies fill up with zeros.
static bool fillsWithZeros(tile::LoadOp load) {
  Value other = load.getOther();
  auto splat = other ? other.getDefiningOp<tile::SplatOp>() : tile::SplatOp();
  other = splat ? splat.getSrc() : other;
  return !other || matchPattern(other, m_Zero()) || matchPattern(other, m_PosZeroFloat());
}

/// The store into a buffer of its own that is one of the load's uses; null for any other use.
static LocalStoreOp stagingStore(OpOperand &use) {
  auto store = dyn_cast<LocalStoreOp>(use.getOwner());
  LocalAllocOp alloc = store ? allocationOf(store.getBuffer()) : LocalAllocOp();
  bool isOwn = alloc && store.getBuffer() == alloc.getResult() && alloc->getBlock() == store->getBlock() &&
               llvm::count_if(accessesOf(alloc), [](const BufferAccess &access) { return access.isWrite; }) == 1;
  return isOwn && store->getBlock() == use.get().getParentBlock() ? store : LocalStoreOp();
}

static bool isCopyable(tile::LoadOp load) {
  bool isPlain = !load.getIsVolatile() && load.getCache() != tile::CacheModifier::CV && fillsWithZeros(load);
  if (!isPlain || load->use_empty() || !isa<RankedTensorType>(load.getType())) {
    return false;
  }
  hardware::NvidiaTargets target = targetOf(load).target;
  return llvm::all_of(load->getUses(), [&](OpOperand &use) {
    LocalStoreOp store = stagingStore(use);
    int64_t bytes = store ? copiedBytes(load, store.getBuffer().getType()) : 0;
    return llvm::any_of(hardware::asyncCopies(), [&](const hardware::AsyncCopy &copy) {
      return copy.bytes == bytes && (copy.targets & target) != 0;
    });
  });
}

//===----------------------------------------------------------------------===//
// Which of them may go ahead
//===----------------------------------------------------------------------===//

/// Whether an effect may be one on the memory that the load reads. One that names no value is on all of its resource:
/// a barrier's, or the end of the launch where an assertion does not hold.
static bool mayChange(const MemoryEffects::EffectInstance &effect, tile::LoadOp load) {
  SideEffects::Resource *resource = effect.getResource();
  bool isElsewhere = resource == SharedMemory::get() || resource == tile::Console::get();
  if (isElsewhere || isa<MemoryEffects::Read>(effect.getEffect())) {
    return false;
  }
  return !effect.getValue() || mayAlias(effect.getValue(), load.getPtr());
}

/// Whether something in the loop may change what the load reads, or orders it. A release orders the reads before it as
/// well, and a copy under way would be a read that it passes.
static bool hasHoistingHazard(tile::LoadOp load, scf::ForOp loop, const ReadOnlyMemory &readOnly) {
  auto effects = getEffectsRecursively(loop);
  if (!effects || llvm::any_of(*effects, [&](const auto &effect) { return mayChange(effect, load); })) {
    return true;
  }
  WalkResult result = loop->walk([&](tile::AtomicOpInterface atomic) {
    bool isOrdering = (atomic.releases() || atomic.acquires()) && !readOnly.contains(load.getPtr());
    return isOrdering ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Adds what `value` is computed from inside the loop, in this iteration and those before; false where that
/// has effects, lies in regions, or must not be executed for an iteration that does not exist.
static bool addSlice(Value value, scf::ForOp loop, llvm::SetVector<Operation *> &slice) {
  SmallVector<Value> todo = {value};
  llvm::DenseSet<Value> seen;
  while (!todo.empty()) {
    Value next = todo.pop_back_val();
    if (!seen.insert(next).second) {
      continue;
    }
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() == loop.getBody() && argument != loop.getInductionVar()) {
        todo.push_back(loop.getTiedLoopYieldedValue(argument)->get());
      }
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (op->getBlock() != loop.getBody()) {
      continue;
    }
    if (!isMemoryEffectFree(op) || op->getNumRegions() != 0 || !canRunAhead(op)) {
      return false;
    }
    slice.insert(op);
    llvm::append_range(todo, op->getOperands());
  }
  return true;
}

/// The load with all that its addresses need, if they can be had ahead of time.
static bool addLoad(tile::LoadOp load, scf::ForOp loop, llvm::SetVector<Operation *> &ahead) {
  llvm::SetVector<Operation *> slice;
  if (!addSlice(load.getPtr(), loop, slice) || (load.getMask() && !addSlice(load.getMask(), loop, slice))) {
    return false;
  }
  ahead.insert_range(slice);
  ahead.insert(load);
  ahead.insert_range(load->getUsers());
  return true;
}

//===----------------------------------------------------------------------===//
// Which reads of what they copied may go ahead
//===----------------------------------------------------------------------===//

/// The loop's reads of what `ahead` copies, in order; none where such a read is not in the loop's own block.
static SmallVector<LocalLoadOp> readsOfCopies(scf::ForOp loop, const llvm::SetVector<Operation *> &ahead) {
  llvm::DenseSet<Value> buffers;
  for (Operation *op : ahead) {
    if (auto store = dyn_cast<LocalStoreOp>(op)) {
      buffers.insert(store.getBuffer());
    }
  }
  SmallVector<LocalLoadOp> reads;
  bool isPlain = true;
  loop->walk([&](Operation *op) {
    bool isRead = !ahead.contains(op) && llvm::any_of(op->getOperands(), [&](Value v) { return buffers.contains(v); });
    auto read = dyn_cast<LocalLoadOp>(op);
    if (isRead && read && op->getBlock() == loop.getBody()) {
      reads.push_back(read);
    } else {
      isPlain &= !isRead;
    }
  });
  return isPlain ? reads : SmallVector<LocalLoadOp>();
}

/// What brings the operands of the loop's first product to it, if another product is left to overlap with it after
/// the last read.
static SmallVector<Operation *> readsOfFirstProduct(scf::ForOp loop, ArrayRef<LocalLoadOp> reads) {
  auto products = loop.getBody()->getOps<MmaOp>();
  if (products.empty() || reads.empty()) {
    return {};
  }
  SmallVector<Operation *> early;
  MmaOp first = *products.begin(), last = first;
  for (MmaOp product : products) {
    last = product;
  }
  for (Value operand : {first.getA(), first.getB()}) {
    SmallVector<Operation *> path = pathFromShared(operand, loop.getBody());
    if (!path.empty() && llvm::is_contained(reads, path.front())) {
      llvm::append_range(early, path);
    }
  }
  LocalLoadOp lastRead = reads.back();
  return lastRead->isBeforeInBlock(last) && !llvm::is_contained(early, lastRead) ? early : SmallVector<Operation *>();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static int stagesOf(scf::ForOp loop) {
  auto asked = loop->getAttrOfType<IntegerAttr>(kAskedStages);
  return asked ? static_cast<int>(asked.getInt()) : numStages(loop);
}

/// Whether all that the loop hands to its next iteration is computed, and not just what another iteration had: such
/// loops are not worth a pipeline. Those that count unsigned are left alone.
static bool hasPlainYields(scf::ForOp loop) {
  return !loop.getUnsignedCmp() &&
         llvm::all_of(loop.getYieldedValues(), [](Value value) { return value.getDefiningOp(); });
}

static void plan(scf::ForOp loop, const ReadOnlyMemory &readOnly) {
  int stages = stagesOf(loop);
  if (stages < 2 || !hasPlainYields(loop)) {
    return;
  }
  llvm::SetVector<Operation *> ahead;
  bool hasLoads = false;
  for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
    hasLoads |= isCopyable(load) && !hasHoistingHazard(load, loop, readOnly) && addLoad(load, loop, ahead);
  }
  if (!hasLoads) {
    return;
  }
  Builder builder(loop.getContext());
  loop->setAttr(TileGPUDialect::kNumStagesAttr, builder.getI32IntegerAttr(stages));
  SmallVector<Operation *> early = readsOfFirstProduct(loop, readsOfCopies(loop, ahead));
  int last = early.empty() ? stages - 1 : stages;
  for (Operation &op : loop.getBody()->without_terminator()) {
    int stage = ahead.contains(&op) ? 0 : llvm::is_contained(early, &op) ? stages - 1 : last;
    op.setAttr(TileGPUDialect::kStageAttr, builder.getI32IntegerAttr(stage));
  }
}

namespace {
class PlanPipeline : public tilegpu::impl::PlanPipelineBase<PlanPipeline> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      ReadOnlyMemory readOnly(function);
      function.walk([&](scf::ForOp loop) { plan(loop, readOnly); });
    }
  }
};
} // namespace
