// plan-boxes: finds loops whose copies can be copies of boxes, and stores by BoxStores.h. See Passes.td.
//
//     %p = addptr ..., %m = cmpi ...                     %y = muli %pid, 128 ...
//     %x = tile.load %p mask %m other 0         =        %p = tilegpu.box_pointers 0[%k, %y]
//     local_store %x, %b                                 %x = tile.load %p
//                                                        local_store %x, %b

#include "../CopiesAhead.h"
#include "../ExpandPipeline/LoopParts.h"
#include "BoxLoads.h"
#include "BoxStores.h"
#include "EraseUnused.h"

#include "tilewright/Dialect/Tile/Transforms/Decisions.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"
#include "tilewright/Hardware/Gpu.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_PLANBOXES
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {
/// A loop all of whose copies become copies of boxes.
struct LoopBoxes {
  scf::ForOp loop;
  std::vector<BoxLoad> loads;

  void rewrite();
};
} // namespace

static SmallVector<tile::LoadOp> copiedLoadsOf(scf::ForOp loop) {
  auto isCopied = [](tile::LoadOp load) { return positionOf(load).stage == 0; };
  return llvm::to_vector(llvm::make_filter_range(loop.getBody()->getOps<tile::LoadOp>(), isCopied));
}

/// Takes the loop's schedule back if its copies can't be those of threads.
static void dropScheduleOfBoxes(scf::ForOp loop, ArrayRef<tile::LoadOp> loads) {
  if (!llvm::all_of(loads, canCopyByThreads)) {
    for (Operation &op : *loop.getBody()) {
      op.removeAttr(TileGPUDialect::kScheduleAttr);
    }
    loop->removeAttr(TileGPUDialect::kKeptSlotsAttr);
  }
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

void LoopBoxes::rewrite() {
  for (BoxLoad &found : loads) {
    OpBuilder builder(found.load);
    Location loc = found.load.getLoc();
    Operation *before = found.load->getPrevNode();
    SmallVector<Value> coordinates = found.box.emitStart(builder, loc);
    Value pointers = BoxPointersOp::create(builder, loc, found.load.getPtr().getType(),
                                           builder.getI64IntegerAttr(found.map), coordinates);
    for (Operation *op = before ? before->getNextNode() : &loop.getBody()->front(); op != found.load;
         op = op->getNextNode()) {
      op->setAttr(TileGPUDialect::kScheduleAttr, found.load->getAttr(TileGPUDialect::kScheduleAttr));
    }
    SmallVector<Operation *> unused;
    for (Value old : {Value(found.load.getPtr()), found.load.getMask(), found.load.getOther()}) {
      if (old && old.getDefiningOp()) {
        unused.push_back(old.getDefiningOp());
      }
    }
    found.load.getPtrMutable().assign(pointers);
    found.load.getMaskMutable().clear();
    found.load.getOtherMutable().clear();
    cast<LocalStoreOp>(*found.load->user_begin()).getBuffer().setType(found.buffer);
    eraseUnused(std::move(unused));
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static SmallVector<scf::ForOp> scheduledLoopsOf(func::FuncOp function) {
  SmallVector<scf::ForOp> loops;
  function.walk([&](scf::ForOp loop) {
    if (findPosition(&loop.getBody()->front())) {
      loops.push_back(loop);
    }
  });
  return loops;
}

static void plan(func::FuncOp function) {
  if (!function->hasAttr(tile::TileDialect::kKernelAttr) || !targetOf(function).copiesBoxes) {
    return;
  }
  if (!function.walk([](GroupMmaOp) { return WalkResult::interrupt(); }).wasInterrupted()) {
    return;
  }
  ReadOnlyMemory readOnly(function);
  MapBuilder maps(function);
  std::vector<LoopBoxes> found;
  for (scf::ForOp loop : scheduledLoopsOf(function)) {
    SmallVector<tile::LoadOp> loads = copiedLoadsOf(loop);
    if (loads.empty()) {
      continue;
    }
    BoxObstacle obstacle;
    if (auto boxes = findBoxLoads(loop, loads, readOnly, maps, obstacle)) {
      found.push_back({loop, std::move(*boxes)});
    } else {
      stateRejected(obstacle.load, "copies of boxes", obstacle.reason);
      dropScheduleOfBoxes(loop, loads);
    }
  }
  std::vector<BoxStore> stores = findBoxStores(function, maps);
  for (LoopBoxes &boxes : found) {
    boxes.rewrite();
  }
  storeByBoxes(stores);
  if (!found.empty() || !stores.empty()) {
    eraseUnreadBuffers(function);
  }
  maps.finish();
}

namespace {
class PlanBoxes : public tilegpu::impl::PlanBoxesBase<PlanBoxes> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      plan(function);
    }
  }
};
} // namespace
