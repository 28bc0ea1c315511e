#include "NamedBarriers.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

using namespace mlir;

namespace tilewright::tilegpu {

bool mayUseNamedBarriers(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    auto assembly = dyn_cast<tile::InlineAsmOp>(op);
    auto call = dyn_cast<tile::CallLibraryOp>(op);
    bool mayUse = (assembly && assembly.getAssembly().contains("bar")) || (call && !call.getPure());
    return mayUse ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

} // namespace tilewright::tilegpu
