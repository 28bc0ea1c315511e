// defer-store-waits: lets copies of boxes to global memory run beside the loop's next iteration. See Passes.td.
//
//     scf.for                                            %b = local_alloc
//       %b = local_alloc                                 scf.for
//       local_store %x, %b                                 box_store_wait %b        of the previous iteration
//       box_store 0[%i, %j] of %array from %b      =       local_store %x, %b
//       box_store_wait %b                                  box_store 0[%i, %j] of %array from %b
//                                                        box_store_wait %b

#include "Buffers.h"
#include "Occupancy.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_DEFERSTOREWAITS
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

namespace {
/// A wait that follows the copy for which it waits, in the body of a loop.
struct StoreWait {
  BoxStoreWaitOp wait;
  LocalAllocOp alloc;
  LocalStoreOp store; ///< the first write to the buffer in an iteration
};
} // namespace

/// A barrier separates copies to the same elements only if it follows the wait for the first one. Copies of groups that
/// write elements of their own need none.
static std::optional<StoreWait> describe(BoxStoreWaitOp wait) {
  StoreWait found = {wait, allocationOf(wait.getBuffer()), LocalStoreOp()};
  Block *body = wait->getBlock();
  for (const BufferAccess &access : accessesOf(found.alloc)) {
    if (auto copy = dyn_cast<BoxStoreOp>(access.op); copy && !copy.getApart()) {
      return std::nullopt;
    }
    if (!isa<LocalStoreOp, BoxStoreOp, BoxStoreWaitOp>(access.op) || access.op->getBlock() != body) {
      return std::nullopt;
    }
    auto store = dyn_cast<LocalStoreOp>(access.op);
    bool isFirst = store && (!found.store || store->isBeforeInBlock(found.store));
    found.store = isFirst ? store : found.store;
  }
  bool isInBody = found.store && found.alloc->getBlock() == body && found.store->isBeforeInBlock(wait);
  return isInBody ? std::optional(found) : std::nullopt;
}

/// Moves the allocations to before the loop. Returns false, and leaves them, if shared memory is too small for buffers
/// that share none with others of the loop, or for as many programs as before.
static bool moveBuffers(scf::ForOp loop, ArrayRef<StoreWait> found) {
  auto function = loop->getParentOfType<func::FuncOp>();
  int64_t programs = programsThatFit(function);
  SmallVector<Operation *> places;
  for (StoreWait one : found) {
    places.push_back(one.alloc->getNextNode());
    one.alloc->moveBefore(loop);
  }
  if (programsThatFit(function) >= std::max<int64_t>(programs, 1)) {
    return true;
  }
  for (auto [one, place] : llvm::reverse(llvm::zip_equal(found, places))) {
    LocalAllocOp(one.alloc)->moveBefore(place);
  }
  return false;
}

/// All waits move to the first of the stores: each waits for the copies of all buffers.
static void defer(scf::ForOp loop) {
  SmallVector<StoreWait> found;
  for (auto wait : loop.getBody()->getOps<BoxStoreWaitOp>()) {
    if (std::optional<StoreWait> one = describe(wait)) {
      found.push_back(*one);
    }
  }
  if (found.empty() || !moveBuffers(loop, found)) {
    return;
  }
  Operation *first = found.front().store;
  for (const StoreWait &one : found) {
    Operation *store = one.store;
    first = store->isBeforeInBlock(first) ? store : first;
  }
  OpBuilder builder(loop.getContext());
  builder.setInsertionPointAfter(loop);
  bool isLast = !loop->getParentOfType<LoopLikeOpInterface>();
  for (StoreWait &one : found) {
    one.wait->moveBefore(first);
    BoxStoreWaitOp::create(builder, one.wait.getLoc(), one.alloc, one.wait.getByGroups(), /*read=*/isLast);
  }
}

namespace {
class DeferStoreWaits : public tilegpu::impl::DeferStoreWaitsBase<DeferStoreWaits> {
  void runOnOperation() override {
    getOperation()->walk([](scf::ForOp loop) { defer(loop); });
  }
};
} // namespace
