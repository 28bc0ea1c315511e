// plan-boxes: finds loops whose copies can be copies of boxes, and stores by BoxStores.h. See Passes.td.
//
//     %p = addptr ..., %m = cmpi ...                     %y = muli %pid, 128 ...
//     %x = tile.load %p mask %m other 0         =        %p = tilegpu.box_pointers 0[%k, %y]
//     local_store %x, %b                                 %x = tile.load %p
//                                                        local_store %x, %b

#include "../Buffers.h"
#include "../ExpandPipeline/LoopParts.h"
#include "BoxStores.h"
#include "EraseUnused.h"
#include "MapBuilder.h"
#include "MemoryOrder.h"

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
/// A load that becomes a copy of boxes.
struct BoxLoad {
  tile::LoadOp load;
  Box box;
  int64_t map;
};

class LoopBoxes {
public:
  LoopBoxes(scf::ForOp loop, const ReadOnlyMemory &readOnly, MapBuilder &maps)
      : loop(loop), readOnly(readOnly), maps(maps) {}

  /// Finds the boxes of all loads that are copied. Either all can be copies of boxes, or none is.
  bool find();
  void rewrite();

private:
  std::optional<BoxLoad> describe(tile::LoadOp load);

  scf::ForOp loop;
  const ReadOnlyMemory &readOnly;
  MapBuilder &maps;
  std::vector<BoxLoad> loads;
};
} // namespace

/// Whether only dots of groups of warps read the buffer: they take the path on which boxes arrive, and it is known when
/// they have read it.
static bool isReadByGroups(LocalStoreOp store) {
  LocalAllocOp alloc = allocationOf(store.getBuffer());
  return alloc && llvm::all_of(accessesOf(alloc),
                               [](const BufferAccess &access) { return access.isWrite || isa<GroupMmaOp>(access.op); });
}

std::optional<BoxLoad> LoopBoxes::describe(tile::LoadOp load) {
  auto store = load->hasOneUse() ? dyn_cast<LocalStoreOp>(*load->user_begin()) : LocalStoreOp();
  if (!store || !isReadByGroups(store) || mayReadEarlierWrites(load, loop, readOnly)) {
    return std::nullopt;
  }
  BufferType buffer = store.getBuffer().getType();
  std::optional<Box> box = Box::of(load.getPtr(), load.getMask(), buffer);
  std::optional<int64_t> map = box ? maps.add(*box, buffer) : std::nullopt;
  return map ? std::optional(BoxLoad{load, std::move(*box), *map}) : std::nullopt;
}

bool LoopBoxes::find() {
  int64_t before = maps.size();
  bool areBoxes = llvm::all_of(loop.getBody()->getOps<tile::LoadOp>(), [&](tile::LoadOp load) {
    if (positionOf(load).stage != 0) {
      return true;
    }
    std::optional<BoxLoad> found = describe(load);
    if (found) {
      loads.push_back(std::move(*found));
    }
    return found.has_value();
  });
  if (!areBoxes || loads.empty() || !maps.fits()) {
    maps.truncate(before);
    return false;
  }
  return true;
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
      if (old && old.getDefiningOp() && old.getDefiningOp()->getBlock() == loop.getBody()) {
        unused.push_back(old.getDefiningOp());
      }
    }
    found.load.getPtrMutable().assign(pointers);
    found.load.getMaskMutable().clear();
    found.load.getOtherMutable().clear();
    eraseUnused(std::move(unused), loop.getBody());
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
    if (LoopBoxes boxes(loop, readOnly, maps); boxes.find()) {
      found.push_back(std::move(boxes));
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
