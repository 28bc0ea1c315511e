// raise-loads: starts loads before an iteration's first dot of groups of warps. See Passes.td.
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
/// Gradients of attention with a head dimension of 128 have 192 with accumulators alone: loads before them spill.
static constexpr int64_t kMostRegisters = 192;

namespace {
/// The loads of one loop.
class LoopLoads {
public:
  LoopLoads(scf::ForOp loop, GroupMmaOp first, const ReadOnlyMemory &readOnly)
      : loop(loop), first(first), readOnly(readOnly) {}

  void raise() {
    int64_t registers = accumulatorRegisters();
    for (auto load : llvm::make_early_inc_range(loop.getBody()->getOps<tile::LoadOp>())) {
      registers += comesLater(load) ? registersOf(load.getResult()) : 0;
      if (registers > kMostRegisters) {
        return;
      }
      raise(load);
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

  bool comesLater(Operation *op) { return op->getBlock() == loop.getBody() && first->isBeforeInBlock(op); }

  void raise(tile::LoadOp load) {
    llvm::SetVector<Operation *> addresses;
    if (!comesLater(load) || load.getIsVolatile() || hasHoistingHazard(load.getPtr(), loop, readOnly) ||
        !llvm::all_of(load->getOperands(), [&](Value operand) { return collect(operand, addresses); })) {
      return;
    }
    for (Operation *op : addresses) {
      op->moveBefore(first);
    }
    load->moveBefore(first);
  }

  /// Adds the operations after the first dot from which the value is computed, each after its operands. Returns false
  /// if one of them depends on more than its operands.
  bool collect(Value value, llvm::SetVector<Operation *> &addresses) {
    Operation *op = value.getDefiningOp();
    if (!op || !comesLater(op) || addresses.contains(op)) {
      return true;
    }
    bool isComputed = isMemoryEffectFree(op) && op->getNumRegions() == 0;
    if (!isComputed || !llvm::all_of(op->getOperands(), [&](Value operand) { return collect(operand, addresses); })) {
      return false;
    }
    addresses.insert(op);
    return true;
  }

  scf::ForOp loop;
  GroupMmaOp first;
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
