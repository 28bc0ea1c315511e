// record-writes: lists the arguments whose memory a kernel may write, for launches with read-only arrays.
//
//     module {                                                   module attributes {tile.written_slots = array<i64: 1>}
//     {
//       func.func @copy(%x: ... {tile.slot = 0 : i32},     ->
//                       %y: ... {tile.slot = 1 : i32}) {
//         %0 = tile.load %x ...
//         tile.store %y, %0 ...

#include "tilewright/Analysis/PointerSources.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <set>

namespace tilewright {
#define GEN_PASS_DEF_RECORDWRITES
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

struct RecordWrites : impl::RecordWritesBase<RecordWrites> {
  void runOnOperation() override {
    std::set<int64_t> slots;
    getOperation()->walk([&](MemoryEffectOpInterface op) {
      SmallVector<MemoryEffects::EffectInstance> effects;
      op.getEffects<MemoryEffects::Write>(effects);
      for (const MemoryEffects::EffectInstance &effect : effects) {
        addSlots(effect.getValue(), slots);
      }
    });
    getOperation()->setAttr(tile::TileDialect::kWrittenSlotsAttr,
                            DenseI64ArrayAttr::get(&getContext(), SmallVector<int64_t>(slots.begin(), slots.end())));
  }

private:
  /// Adds the slots of the arguments that a written pointer may come from. A pointer computed from an integer has none.
  static void addSlots(Value pointer, std::set<int64_t> &slots) {
    if (!pointer || !isa<tile::PtrType>(tile::getElementType(pointer.getType()))) {
      return;
    }
    for (BlockArgument argument : findPointerSources(pointer).arguments) {
      auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
      auto slot = function
                      ? function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), tile::TileDialect::kSlotAttr)
                      : IntegerAttr();
      if (slot) {
        slots.insert(slot.getInt());
      }
    }
  }
};

} // namespace
} // namespace tilewright
