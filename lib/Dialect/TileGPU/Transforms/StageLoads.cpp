// stage-loads: moves loads of loops with a number of stages through shared memory. See Passes.td.
//
//     scf.for {tile.num_stages = 4}                  scf.for {tile.num_stages = 4}
//       %x = tile.load %p, %mask, %other               %copied = tile.load %p, %mask
//                                              =       local_store %copied, %b
//                                                      %loaded = local_load %b
//                                                      %x = arith.select %mask, %loaded, %other
//
// plan-pipeline lets an asynchronous copy replace the first two. Each thread reads what it has copied itself, so that
// no barrier is needed. The same is done in loops with dots, for loads from which the dots' operands are computed.

#include "Buffers.h"
#include "CopiesAhead.h"
#include "ExpandPipeline/Speculation.h"
#include "OwnAccesses.h"
#include "PlanBoxes/BoxLoads.h"
#include "tilewright/Dialect/Tile/IR/VolatileLoads.h"
#include "tilewright/Dialect/TileGPU/IR/AccessWidth.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "tilewright/Layout/Shared.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_STAGELOADS
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

//===----------------------------------------------------------------------===//
// Which loads
//===----------------------------------------------------------------------===//

static bool isDot(Operation *op) { return isa<MmaOp, GroupMmaOp, tile::DotOp>(op); }

/// The load that is stored to a buffer here, if one is: for other threads, which get it from there.
static tile::LoadOp storedLoad(Operation *op) {
  auto store = dyn_cast<LocalStoreOp>(op);
  return store ? store.getSrc().getDefiningOp<tile::LoadOp>() : tile::LoadOp();
}

/// Whether the loop's nest has dots, or loads that are stored to buffers: shared memory is for the slots of these.
static bool isInNestWithSlots(scf::ForOp loop) {
  Operation *outermost = loop;
  while (auto around = outermost->getParentOfType<LoopLikeOpInterface>()) {
    outermost = around;
  }
  auto needsSlots = [](Operation *op) { return isDot(op) || storedLoad(op); };
  return outermost
      ->walk([&](Operation *op) { return needsSlots(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

static bool hasDots(scf::ForOp loop) {
  return llvm::any_of(*loop.getBody(), [](Operation &op) { return isDot(&op); });
}

/// The stages that the user asks for; 1 if the pass leaves the loop alone.
static int64_t requestedStages(scf::ForOp loop) {
  auto stages = loop->getAttrOfType<IntegerAttr>(tile::TileDialect::kNumStagesAttr);
  return stages && !isInNestWithSlots(loop) ? stages.getInt() : 1;
}

/// Whether each thread can copy its own elements with the target's instructions, and registers hold them afterwards.
static bool canStage(tile::LoadOp load) {
  auto tile = dyn_cast<RankedTensorType>(load.getType());
  bool hasNumbers = tile && isa<IntegerType, FloatType>(tile.getElementType()) && !tile.getElementType().isInteger(1);
  bool isStored = llvm::any_of(load->getUsers(), llvm::IsaPred<LocalStoreOp>);
  return hasNumbers && !tile::readsEachTime(load) && !load->use_empty() && !isStored &&
         hasOneThreadPerElement(mapOf(load)) &&
         canCopy(targetOf(load), vectorAccessOf(load).elements() * bytesOf(tile.getElementType()));
}

/// The loads that can be executed ahead, unless the address of another one depends on them.
static SmallVector<tile::LoadOp> loadsToStage(scf::ForOp loop, const ReadOnlyMemory &readOnly) {
  SmallVector<tile::LoadOp> found;
  llvm::SetVector<Operation *> slice;
  for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
    if (canStage(load) && whyNotAhead(load, loop, readOnly, slice).empty()) {
      found.push_back(load);
    }
  }
  llvm::erase_if(found, [&](tile::LoadOp load) { return slice.contains(load); });
  return found;
}

/// Whether a dot in the block is computed from the tile.
static bool feedsDot(Value tile, Block *block) {
  llvm::SetVector<Value> reached;
  reached.insert(tile);
  for (size_t i = 0; i < reached.size(); ++i) {
    for (Operation *user : reached[i].getUsers()) {
      if (isDot(user)) {
        return true;
      }
      auto store = dyn_cast<LocalStoreOp>(user);
      LocalAllocOp alloc = store ? allocationOf(store.getBuffer()) : LocalAllocOp();
      if (alloc) {
        reached.insert(alloc);
      } else if (user->getBlock() == block) {
        reached.insert_range(user->getResults());
      }
    }
  }
  return false;
}

/// The loads that other passes have stored to buffers, where dots read them.
static SmallVector<tile::LoadOp> storedLoads(scf::ForOp loop) {
  SmallVector<tile::LoadOp> found;
  for (Operation &op : *loop.getBody()) {
    if (tile::LoadOp load = storedLoad(&op)) {
      found.push_back(load);
    }
  }
  return found;
}

/// Whether boxes will be copied instead of the loop's other loads: all copies of a loop are of boxes, or none.
static bool copiesBoxes(scf::ForOp loop, const ReadOnlyMemory &readOnly) {
  SmallVector<tile::LoadOp> loads = storedLoads(loop);
  auto function = loop->getParentOfType<func::FuncOp>();
  if (loads.empty() || !targetOf(loop).copiesBoxes || !function->hasAttr(tile::TileDialect::kKernelAttr)) {
    return false;
  }
  MapBuilder maps(function);
  BoxObstacle obstacle; // not stated: plan-boxes does that
  return findBoxLoads(loop, loads, readOnly, maps, obstacle).has_value();
}

static int64_t bytesOfAll(ArrayRef<tile::LoadOp> loads) {
  int64_t bytes = 0;
  for (tile::LoadOp load : loads) {
    auto tile = cast<RankedTensorType>(load.getType());
    bytes += tile.getNumElements() * bytesOf(tile.getElementType());
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static void stage(tile::LoadOp load) {
  auto tile = cast<RankedTensorType>(load.getType());
  OpBuilder builder(load.getContext());
  builder.setInsertionPointAfter(load);
  Location loc = load.getLoc();
  auto shared = LayoutAttr::get(load.getContext(), layout::inOrderOfThreads(mapOf(load), vectorAccessOf(load)));
  Value buffer = LocalAllocOp::create(builder, loc, BufferType::get(tile, shared), IntegerAttr());
  Operation *store = LocalStoreOp::create(builder, loc, load, buffer);
  Value value = LocalLoadOp::create(builder, loc, tile, buffer, /*start=*/DenseI64ArrayAttr(), /*own=*/true,
                                    /*after=*/Value());
  if (load.getMask() && !fillsWithZeros(load)) {
    value = arith::SelectOp::create(builder, loc, load.getMask(), value, load.getOther());
    load.getOtherMutable().clear();
  }
  load.getResult().replaceAllUsesExcept(value, store);
}

//===----------------------------------------------------------------------===//
// How many slots
//===----------------------------------------------------------------------===//

namespace {
/// The shared memory that is left for slots.
class SharedBudget {
public:
  explicit SharedBudget(func::FuncOp function) : target(targetOf(function)), used(sharedBytesOf(function)) {}

  /// Takes as many slots of `bytes` as there is room for beside a second program on the multiprocessor, at most
  /// `wanted`, and returns their number. One slot is worth more than a second program, but further ones are not.
  int64_t take(int64_t wanted, int64_t bytes) {
    int64_t besideAnother = (target.sharedPerSm / 2 - target.sharedReserved - used) / bytes;
    int64_t first = std::min<int64_t>(1, (target.sharedPerBlock - used) / bytes);
    int64_t slots = std::clamp<int64_t>(std::max(besideAnother, first), 0, wanted);
    used += slots * bytes;
    return slots;
  }

  /// Takes `bytes` if a program may have so many, and returns whether it may.
  bool takeAll(int64_t bytes) {
    bool fits = used + bytes <= target.sharedPerBlock;
    used += fits ? bytes : 0;
    return fits;
  }

private:
  const hardware::GpuInfo &target;
  int64_t used;
};

class StageLoads : public tilegpu::impl::StageLoadsBase<StageLoads> {
  using StageLoadsBase::StageLoadsBase;

  void runOnOperation() override {
    auto functions = getOperation().getOps<func::FuncOp>();
    if (!llvm::hasSingleElement(functions)) {
      return; // buffers of functions that are not inlined are beside those of their callers
    }
    ReadOnlyMemory readOnly(*functions.begin());
    SharedBudget budget(*functions.begin());
    (*functions.begin()).walk([&](scf::ForOp loop) {
      if (hasPlainYields(loop)) {
        hasDots(loop) ? stageForDots(loop, readOnly, budget) : stageLoadsOf(loop, readOnly, budget);
      }
    });
  }

  /// The pipelined loop has a slot less than stages.
  static void stageLoadsOf(scf::ForOp loop, const ReadOnlyMemory &readOnly, SharedBudget &budget) {
    int64_t stages = requestedStages(loop);
    SmallVector<tile::LoadOp> loads = stages > 1 ? loadsToStage(loop, readOnly) : SmallVector<tile::LoadOp>();
    int64_t slots = loads.empty() ? 0 : budget.take(stages - 1, bytesOfAll(loads));
    if (slots == 0) {
      return;
    }
    auto fitting = Builder(loop.getContext()).getI32IntegerAttr(static_cast<int32_t>(slots + 1));
    loop->setAttr(tile::TileDialect::kNumStagesAttr, fitting);
    llvm::for_each(loads, stage);
  }

  /// The loads from which a dot's operands are computed, if there is room for as many slots as plan-pipeline may ask
  /// for (one more than stages, as reads may come last in an iteration), beside those of the loads that are stored
  /// already.
  void stageForDots(scf::ForOp loop, const ReadOnlyMemory &readOnly, SharedBudget &budget) {
    int64_t stages = stagesOf(loop);
    if (stages < 2) {
      return;
    }
    SmallVector<tile::LoadOp> loads = loadsToStage(loop, readOnly);
    llvm::erase_if(loads, [&](tile::LoadOp load) { return !feedsDot(load, loop.getBody()); });
    if (loads.empty() || (asBoxes && copiesBoxes(loop, readOnly))) {
      return;
    }
    if (budget.takeAll((stages + 1) * bytesOfAll(loads) + (stages - 1) * bytesOfAll(storedLoads(loop)))) {
      llvm::for_each(loads, stage);
    }
  }
};
} // namespace
