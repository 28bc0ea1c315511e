// plan-boxes: finds loops whose copies can be copies of boxes. See Passes.td.
//
//     %p = addptr ..., %m = cmpi ...                     %y = muli %pid, 128 ...
//     %x = tile.load %p mask %m other 0         =        %p = tilegpu.box_pointers 0[%k, %y]
//     local_store %x, %b                                 %x = tile.load %p
//                                                        local_store %x, %b

#include "../Buffers.h"
#include "../ExpandPipeline/LoopParts.h"
#include "MapBuilder.h"

#include "tilewright/Analysis/ReadOnlyMemory.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"
#include "tilewright/Hardware/Gpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_PLANBOXES
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

//===----------------------------------------------------------------------===//
// Order with writes to global memory
//===----------------------------------------------------------------------===//

/// Whether the program may execute `op` before an iteration of the loop.
static bool mayPrecede(Operation *op, scf::ForOp loop) {
  Operation *around = loop, *ancestor = nullptr;
  while (!(ancestor = around->getBlock()->findAncestorOpInBlock(*op))) {
    around = around->getParentOp();
  }
  return around == ancestor || ancestor->isBeforeInBlock(around) || around->getParentOfType<LoopLikeOpInterface>();
}

/// Whether the operation writes global memory, or may wait for another program that does.
static bool mayNeedOrder(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op); load && load.getIsVolatile()) {
    return true;
  }
  if (isa<tile::AtomicOpInterface>(op)) {
    return true;
  }
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface) {
    return false;
  }
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) && effect.getResource() == tile::Memory::get();
  });
}

/// Copies of boxes read memory by another path than other accesses: writes by this program, and by others for which it
/// has waited, need not be visible to them.
static bool mayReadEarlierWrites(tile::LoadOp load, scf::ForOp loop, const ReadOnlyMemory &readOnly) {
  if (readOnly.contains(load.getPtr())) {
    return false;
  }
  WalkResult result = loop->getParentOfType<func::FuncOp>().walk([&](Operation *op) {
    return mayNeedOrder(op) && mayPrecede(op, loop) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

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
  std::optional<Box> box = Box::of(load, buffer);
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

/// The value of a sum without indices.
static Value emit(OpBuilder &builder, Location loc, const IndexSum &sum) {
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIntOp::create(builder, loc, value, 32); };
  Value total;
  for (const IndexProduct &product : sum.products()) {
    Value term = product.scalars.empty() || product.factor != 1 ? constant(product.factor) : Value();
    for (Value scalar : product.scalars) {
      term = term ? arith::MulIOp::create(builder, loc, term, scalar).getResult() : scalar;
    }
    total = total ? arith::AddIOp::create(builder, loc, total, term).getResult() : term;
  }
  return total ? total : constant(0);
}

/// Erases operations without uses, and those that only they used.
static void eraseUnused(SmallVector<Operation *> todo, Block *body) {
  while (!todo.empty()) {
    Operation *op = todo.pop_back_val();
    if (!isOpTriviallyDead(op)) {
      continue;
    }
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (source && source->getBlock() == body && !llvm::is_contained(todo, source)) {
        todo.push_back(source);
      }
    }
    llvm::erase(todo, op);
    op->erase();
  }
}

void LoopBoxes::rewrite() {
  for (BoxLoad &found : loads) {
    OpBuilder builder(found.load);
    Location loc = found.load.getLoc();
    Operation *before = found.load->getPrevNode();
    SmallVector<Value> coordinates;
    for (const BoxDimension &dimension : found.box.dimensions) {
      coordinates.push_back(emit(builder, loc, dimension.start));
    }
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
  SmallVector<scf::ForOp> loops = scheduledLoopsOf(function);
  if (loops.empty()) {
    return;
  }
  ReadOnlyMemory readOnly(function);
  MapBuilder maps(function);
  std::vector<LoopBoxes> found;
  for (scf::ForOp loop : loops) {
    if (LoopBoxes boxes(loop, readOnly, maps); boxes.find()) {
      found.push_back(std::move(boxes));
    }
  }
  for (LoopBoxes &boxes : found) {
    boxes.rewrite();
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
