// warn-large-tiles: warns of a tile that does not fit into registers. See Passes.td.
//
//     %x = tile.load %p : ... -> tensor<512x2048xf32, #four_warps>      8192 elements per thread

#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_WARNLARGETILES
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

/// Twice what a thread can address. Above, most of a tile is in memory, and compiling takes seconds.
static constexpr int64_t kTolerableRegisters = 512;

/// Whether the operation computes data. Pointers, offsets and masks of a large tile follow from few values, and
/// repeated values need one register.
static bool holdsData(Operation *op) {
  if (matchPattern(op, m_Constant()) || isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp>(op)) {
    return false;
  }
  return isa<tile::LoadOp, LocalLoadOp>(op) ||
         llvm::any_of(op->getResultTypes(), [](Type type) { return isa<FloatType>(tile::getElementType(type)); });
}

/// The largest tile of data, the first of several; null if there is none.
static Value findLargest(func::FuncOp function) {
  Value largest;
  function.walk([&](Operation *op) {
    if (!holdsData(op)) {
      return;
    }
    for (Value result : op->getResults()) {
      bool isPointer = isa<tile::PtrType>(tile::getElementType(result.getType()));
      largest = !isPointer && (!largest || registersOf(result) > registersOf(largest)) ? result : largest;
    }
  });
  return largest;
}

namespace {
class WarnLargeTiles : public tilegpu::impl::WarnLargeTilesBase<WarnLargeTiles> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      Value largest = findLargest(function);
      if (!largest || registersOf(largest) <= kTolerableRegisters) {
        continue;
      }
      auto type = cast<RankedTensorType>(largest.getType());
      InFlightDiagnostic warning = emitWarning(largest.getLoc()) << "a tile of ";
      llvm::interleave(type.getShape(), [&](int64_t size) { warning << size; }, [&] { warning << "x"; });
      warning << " elements of type " << type.getElementType() << " needs " << registersOf(largest)
              << " registers per thread, more than a thread has; use a smaller tile or more warps";
    }
  }
};
} // namespace
