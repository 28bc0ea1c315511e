// raise-loads: starts loads before an iteration's first dot of warp groups, or before it waits for dots. See
// Passes.td.
//
//     %s = group_mma async ...                       %x = tile.load %p
//     %w = group_mma_wait %s              =          %s = group_mma async ...
//     %x = tile.load %p                              %w = group_mma_wait %s

#include "ExpandPipeline/Speculation.h"

#include "tilewright/Analysis/ReadOnlyMemory.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_RAISELOADS
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

/// The most registers of a thread, of 255, with accumulators of dots and with loaded values that wait for them.
/// Gradients of attention with a head dimension of 128 have 192 with accumulators alone: loads before the dots spill,
/// while loads before the wait, when addresses of the dots' operands are no longer needed, do not.
static constexpr int64_t kMostRegistersBeforeDots = 192;
static constexpr int64_t kMostRegistersBeforeWait = 224;

namespace {
/// The loads of one loop.
class LoopLoads {
public:
  LoopLoads(scf::ForOp loop, GroupMmaOp first, const ReadOnlyMemory &readOnly)
      : loop(loop), first(first), readOnly(readOnly) {
    auto waits = loop.getBody()->getOps<GroupMmaWaitOp>();
    wait = waits.empty() || !comesLater(*waits.begin(), first) ? nullptr : *waits.begin();
  }

  void raise() {
    int64_t registers = accumulatorRegisters();
    for (auto load : llvm::make_early_inc_range(loop.getBody()->getOps<tile::LoadOp>())) {
      registers += comesLater(load, first) ? registersOf(load.getResult()) : 0;
      if (registers <= kMostRegistersBeforeDots) {
        raise(load, first);
      } else if (wait && registers <= kMostRegistersBeforeWait) {
        raise(load, wait);
      }
    }
  }

private:
  /// Of all dots, which may be in flight together.
  int64_t accumulatorRegisters() {
    int64_t registers = 0;
    for (auto dot : loop.getBody()->getOps<GroupMmaOp>()) {
      bool continuesOther = dot.getAcc().getDefiningOp<GroupMmaOp>();
      registers += continuesOther ? 0 : registersOf(dot.getResult());
    }
    return registers;
  }

  bool comesLater(Operation *op, Operation *place) {
    return op->getBlock() == loop.getBody() && place->isBeforeInBlock(op);
  }

  void raise(tile::LoadOp load, Operation *place) {
    llvm::SetVector<Operation *> addresses;
    if (!comesLater(load, place) || load.getIsVolatile() || hasHoistingHazard(load.getPtr(), loop, readOnly) ||
        !llvm::all_of(load->getOperands(), [&](Value operand) { return collect(operand, place, addresses); })) {
      return;
    }
    for (Operation *op : addresses) {
      op->moveBefore(place);
    }
    load->moveBefore(place);
  }

  /// Adds the operations after the place from which the value is computed, each after its operands. Returns false if
  /// one of them depends on more than its operands.
  bool collect(Value value, Operation *place, llvm::SetVector<Operation *> &addresses) {
    Operation *op = value.getDefiningOp();
    if (!op || !comesLater(op, place) || addresses.contains(op)) {
      return true;
    }
    bool isComputed = isMemoryEffectFree(op) && op->getNumRegions() == 0;
    if (!isComputed ||
        !llvm::all_of(op->getOperands(), [&](Value operand) { return collect(operand, place, addresses); })) {
      return false;
    }
    addresses.insert(op);
    return true;
  }

  scf::ForOp loop;
  GroupMmaOp first;
  GroupMmaWaitOp wait; ///< the first one after `first`, if there is one
  const ReadOnlyMemory &readOnly;
};
} // namespace

static void raiseLoads(func::FuncOp function) {
  ReadOnlyMemory readOnly(function);
  function.walk([&](scf::ForOp loop) {
    auto dots = loop.getBody()->getOps<GroupMmaOp>();
    if (!dots.empty()) {
      LoopLoads(loop, *dots.begin(), readOnly).raise();
    }
  });
}

namespace {
class RaiseLoads : public tilegpu::impl::RaiseLoadsBase<RaiseLoads> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      raiseLoads(function);
    }
  }
};
} // namespace
