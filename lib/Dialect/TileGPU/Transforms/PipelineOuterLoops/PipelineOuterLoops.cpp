// pipeline-outer-loops: starts copies of an inner loop during the outer loop's previous iteration, by RotateCopies.h or
// FlattenCopies.h. See Passes.td.

#include "../Occupancy.h"
#include "FlattenCopies.h"
#include "RotateCopies.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_PIPELINEOUTERLOOPS
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

/// Where the buffers were before they moved.
using Places = SmallVector<std::pair<Operation *, Operation *>>;

/// Moves the buffers out of the loop, as they now hold data from one iteration to the next. Returns false, and leaves
/// them, if shared memory is too small for that, or for as many programs as before unless the user has asked for
/// stages.
static bool moveBuffers(scf::ForOp outer, const FirstCopies &first) {
  auto function = outer->getParentOfType<func::FuncOp>();
  int64_t programs = first.isAsked ? 1 : std::max<int64_t>(programsThatFit(function), 1);
  Places places;
  auto move = [&](Operation *op, auto &&to) {
    places.push_back({op, op->getNextNode()});
    to(op);
  };
  auto before = [&](Operation *op) { op->moveBefore(outer); };
  auto after = [&](Operation *op) { op->moveAfter(outer); };
  for (Operation *alloc : first.buffers) {
    move(alloc, before);
  }
  if (first.ring) {
    for (Operation *user : llvm::make_early_inc_range(LocalAllocOp(first.ring)->getUsers())) {
      if (isa<RingBeginOp>(user)) {
        move(user, before);
      } else if (isa<RingEndOp>(user)) {
        move(user, after);
      }
    }
  }
  if (programsThatFit(function) >= programs) {
    return true;
  }
  for (auto [op, place] : llvm::reverse(places)) {
    op->moveBefore(place);
  }
  return false;
}

namespace {
class PipelineOuterLoops : public tilegpu::impl::PipelineOuterLoopsBase<PipelineOuterLoops> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      ReadOnlyMemory readOnly(function);
      SmallVector<scf::ForOp> loops;
      function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
      for (scf::ForOp loop : loops) {
        std::optional<FirstCopies> first = FirstCopies::in(loop, readOnly);
        if (!first || !moveBuffers(loop, *first)) {
          continue;
        }
        if (std::optional<LoopCopies> copies = LoopCopies::of(loop, *first)) {
          flattenCopies(loop, *first, *copies);
        } else {
          rotateCopies(loop, *first);
        }
      }
    }
  }
};
} // namespace
