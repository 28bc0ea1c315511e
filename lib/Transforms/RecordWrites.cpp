// record-writes: lists the arguments whose memory a kernel may write, for launches with read-only arrays.
//
//     module {                                                   module attributes {tile.written_slots = array<i64: 1>}
//     {
//       func.func @copy(%x: ... {tile.slot = 0 : i32},     ->
//                       %y: ... {tile.slot = 1 : i32}) {
//         %0 = tile.load %x ...
//         tile.store %y, %0 ...

#include "tilewright/Analysis/PointerSources.h"
#include "tilewright/Dialect/Tile/IR/Calls.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <map>
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
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      for (BlockArgument argument : writtenArguments(function)) {
        auto slot = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), tile::TileDialect::kSlotAttr);
        if (slot) {
          slots.insert(slot.getInt());
        }
      }
    }
    getOperation()->setAttr(tile::TileDialect::kWrittenSlotsAttr,
                            DenseI64ArrayAttr::get(&getContext(), SmallVector<int64_t>(slots.begin(), slots.end())));
  }

private:
  using Arguments = llvm::SmallSetVector<BlockArgument, 8>;

  /// The pointer arguments to memory that the function, or one that it calls, may write.
  const Arguments &writtenArguments(FunctionOpInterface function) {
    auto [entry, isNew] = written.try_emplace(function);
    Arguments &arguments = entry->second;
    if (!isNew) {
      return arguments;
    }
    function->walk([&](MemoryEffectOpInterface op) {
      if (auto call = dyn_cast<tile::CallOp>(op.getOperation())) {
        for (BlockArgument argument : writtenArguments(tile::calleeOf(call))) {
          addSources(call.getArgs()[argument.getArgNumber()], arguments);
        }
        return;
      }
      SmallVector<MemoryEffects::EffectInstance> effects;
      op.getEffects<MemoryEffects::Write>(effects);
      for (const MemoryEffects::EffectInstance &effect : effects) {
        addSources(effect.getValue(), arguments);
      }
    });
    return arguments;
  }

  /// Adds the arguments that a written pointer may come from. A pointer computed from an integer has none.
  static void addSources(Value pointer, Arguments &arguments) {
    if (pointer && isa<tile::PtrType>(tile::getElementType(pointer.getType()))) {
      arguments.insert_range(findPointerSources(pointer).arguments);
    }
  }

  std::map<Operation *, Arguments> written; // whose elements do not move
};

} // namespace
} // namespace tilewright
