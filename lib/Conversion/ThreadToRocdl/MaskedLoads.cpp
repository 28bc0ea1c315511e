// Loads with a mask that are no buffer accesses become branches. Loads with the same mask share one, so that they are
// in flight together:
//
//     %a = thread.load %p mask %m                  %r:2 = scf.if %m {
//     %q = llvm.getelementptr ...            =       yield load %p, load %q
//     %b = thread.load %q mask %m                  } else { yield zero, zero }
//
// The branch is at the last of these loads. Between the first and the last, nothing writes memory, and nothing uses a
// loaded value but operations that only move its elements, which follow the branches.

#include "ThreadToRocdl.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright::amd {
namespace {

using Group = SmallVector<thread::LoadOp>;

/// Emits a group's branch at its last load.
void emitBranch(Group &group) {
  thread::LoadOp last = group.back();
  Builder builder(last.getLoc(), last);
  auto types = llvm::map_to_vector(group, [](thread::LoadOp load) { return load.getType(); });
  auto branch = scf::IfOp::create(builder, types, last.getMask(), /*withElseRegion=*/true);
  SmallVector<Value> loaded, others;
  for (thread::LoadOp load : group) {
    builder.setLoc(load.getLoc());
    builder.setInsertionPointToEnd(branch.thenBlock());
    loaded.push_back(emitLoad(builder, load));
    builder.setInsertionPointToEnd(branch.elseBlock());
    others.push_back(load.getOther() ? load.getOther() : LLVM::ZeroOp::create(builder, load.getType()).getResult());
  }
  builder.setLoc(last.getLoc());
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, loaded);
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, others);
  for (auto [load, result] : llvm::zip_equal(group, branch.getResults())) {
    load.replaceAllUsesWith(result);
    load.erase();
  }
}

/// The groups of a block, by mask, in the order of its operations.
class BlockGroups {
public:
  void visit(Operation *op) {
    auto load = dyn_cast<thread::LoadOp>(op);
    bool isMasked = load && load.getMask() && !isBufferAccess(load);
    if (usesPending(op) && movesElements(op)) {
      moved.insert(op);
      return;
    }
    if (usesPending(op)) {
      emitAll();
    }
    if (load ? load.getIsVolatile() : op->getNumRegions() != 0 || !onlyReads(op)) {
      emitAll();
    }
    if (isMasked) {
      groups[load.getMask()].push_back(load);
      last = load;
      beforeLast = moved.size();
    }
  }

  void emitAll() {
    if (groups.empty()) {
      return;
    }
    Operation *behind = last->getNextNode();
    for (auto &[mask, group] : groups) {
      emitBranch(group);
    }
    for (Operation *op : moved.getArrayRef().take_front(beforeLast)) {
      op->moveBefore(behind);
    }
    groups.clear();
    moved.clear();
    beforeLast = 0;
  }

private:
  static bool onlyReads(Operation *op) {
    return isMemoryEffectFree(op) || (isa<MemoryEffectOpInterface>(op) && hasSingleEffect<MemoryEffects::Read>(op));
  }

  static bool movesElements(Operation *op) { return isa<vector::ExtractOp, vector::FromElementsOp>(op); }

  /// Whether the operation depends on a load without a branch yet.
  bool usesPending(Operation *op) const {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *source = operand.getDefiningOp();
      auto load = dyn_cast_or_null<thread::LoadOp>(source);
      auto found = load && load.getMask() ? groups.find(load.getMask()) : groups.end();
      return (found != groups.end() && llvm::is_contained(found->second, load)) || moved.contains(source);
    });
  }

  llvm::MapVector<Value, Group> groups;
  llvm::SetVector<Operation *> moved; ///< that only move elements of loaded values, in order
  Operation *last = nullptr;          ///< the last load of all groups
  size_t beforeLast = 0;              ///< how many of `moved` precede it
};

} // namespace

void branchAroundLoads(ModuleOp module) {
  SmallVector<Block *> blocks;
  module.walk([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks) {
    BlockGroups groups;
    for (Operation &op : llvm::make_early_inc_range(*block)) {
      groups.visit(&op);
    }
    groups.emitAll();
  }
}

} // namespace tilewright::amd
