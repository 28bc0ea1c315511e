// widen-constants: computes offsets in 64 bits if the constants in them have a sum or product of more than 32. See
// Passes.td.

#include "WidenOffsets.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tilewright {
#define GEN_PASS_DEF_WIDENCONSTANTS
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace {
struct WidenConstants : tilewright::impl::WidenConstantsBase<WidenConstants> {
  void runOnOperation() override {
    getOperation()->walk([](FunctionOpInterface function) {
      if (!function.isDeclaration()) {
        tilewright::widenOffsets(function, tilewright::Widened::ConstantsWrap);
      }
    });
  }
};
} // namespace
