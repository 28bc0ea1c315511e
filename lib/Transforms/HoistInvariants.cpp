// hoist-invariants: moves what does not depend on the iteration out of loops, except out of those with the attribute
// `tile.disable_licm`.
//
//     scf.for %i = ... {                    %x = arith.muli %a, %b
//       %x = arith.muli %a, %b       ->     scf.for %i = ... {
//       ...                                   ...

#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace tilewright {
#define GEN_PASS_DEF_HOISTINVARIANTS
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace {
struct HoistInvariants : tilewright::impl::HoistInvariantsBase<HoistInvariants> {
  void runOnOperation() override {
    getOperation()->walk([](LoopLikeOpInterface loop) {
      if (!loop->hasAttr(tilewright::tile::TileDialect::kDisableLICMAttr)) {
        moveLoopInvariantCode(loop);
      }
    });
  }
};
} // namespace
