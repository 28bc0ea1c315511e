// plan-pipeline: decides which loads of a loop are started in earlier iterations. See Passes.td.
//
//     scf.for                                       stage
//       %o = addi, %p = addptr, ...                   0      address computation and loads,
//       %x = tile.load %p                             0      which become asynchronous copies
//       local_store %x, %b                            0
//       %a = local_load %b, mma %a, ...               2      the rest, num_stages - 1 iterations later
//
// If the loop has several dots, the operands of the first are loaded an iteration ahead: these loads are in stage
// num_stages - 1, and the rest in stage num_stages.

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

/// The number of stages that the user requests for a loop.
static constexpr llvm::StringLiteral kAskedStages = "tile.num_stages";

//===----------------------------------------------------------------------===//
// Which loads can be copied asynchronously
//===----------------------------------------------------------------------===//

/// The number of bytes that a thread copies from global memory to the buffer with one instruction.
static int64_t copiedBytes(tile::LoadOp load, BufferType buffer) {
  layout::LinearLayout offsets = layout::offsetsOf(mapOf(load.getPtr()), buffer.getLayout().getMap());
  return copyAccessOf(load, offsets).elements() * buffer.getElementBytes();
}

/// Whether masked elements are zero or unspecified: asynchronous copies can only fill with zeros.
static bool fillsWithZeros(tile::LoadOp load) {
  Value other = load.getOther();
  auto splat = other ? other.getDefiningOp<tile::SplatOp>() : tile::SplatOp();
  other = splat ? splat.getSrc() : other;
  return !other || matchPattern(other, m_Zero()) || matchPattern(other, m_PosZeroFloat());
}

/// The store that is this use of a load, if it is the only write to its buffer; null for any other use.
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
  const hardware::GpuInfo &target = targetOf(load);
  return llvm::all_of(load->getUses(), [&](OpOperand &use) {
    LocalStoreOp store = stagingStore(use);
    int64_t bytes = store ? copiedBytes(load, store.getBuffer().getType()) : 0;
    return llvm::any_of(target.asyncCopies, [&](const hardware::AsyncCopy *copy) { return copy->bytes == bytes; });
  });
}

//===----------------------------------------------------------------------===//
// Which of them may be started ahead
//===----------------------------------------------------------------------===//

/// Whether the effect may be a write to the memory that the load reads. An effect without a value is on all of its
/// resource: that of a barrier, or of an assertion, which may end the launch.
static bool mayChange(const MemoryEffects::EffectInstance &effect, tile::LoadOp load) {
  SideEffects::Resource *resource = effect.getResource();
  bool isElsewhere = resource == SharedMemory::get() || resource == tile::Console::get();
  if (isElsewhere || isa<MemoryEffects::Read>(effect.getEffect())) {
    return false;
  }
  return !effect.getValue() || mayAlias(effect.getValue(), load.getPtr());
}

/// Whether an operation in the loop may write the memory that the load reads, or is an atomic that orders the load. A
/// release also orders the loads before it, but not the reads of a copy in flight.
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

/// Adds the operations of the loop from which `value` is computed, in this iteration and earlier ones. Returns false if
/// one has effects or regions, or must not be executed for an iteration that does not exist.
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

/// Adds the load, its users and the computation of its addresses and mask, if these can be executed ahead.
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
// Which loads of the copied data may be started ahead
//===----------------------------------------------------------------------===//

/// The loop's loads from the buffers that `ahead` writes, in order; none if any other operation, or one nested in the
/// loop, uses these buffers.
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

/// The operations that load the operands of the loop's first dot, if another dot follows the last load, so that it can
/// overlap with them.
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

/// Whether the loop does not count unsigned, and all values it yields are results of operations rather than block
/// arguments. Other loops are not pipelined.
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
