// restore-locations: gives every operation a position usable for debug information. See Passes.td.

#include "tilewright/Transforms/Locations.h"
#include "tilewright/Transforms/Passes.h"

using namespace mlir;

namespace tilewright {
#define GEN_PASS_DEF_RESTORELOCATIONS
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace tilewright;

namespace {

/// Encodes a call stack, innermost frame first, as callsite(a at callsite(b at c)).
Location nest(ArrayRef<FileLineColLoc> frames) {
  Location loc = frames.back();
  for (FileLineColLoc frame : llvm::reverse(frames.drop_back())) {
    loc = CallSiteLoc::get(frame, loc);
  }
  return loc;
}

struct RestoreLocations : tilewright::impl::RestoreLocationsBase<RestoreLocations> {
  void runOnOperation() override {
    getOperation()->walk<WalkOrder::PreOrder>([](Operation *op) {
      SmallVector<FileLineColLoc> frames = getFrames(op->getLoc());
      if (!frames.empty()) {
        op->setLoc(nest(frames));
      } else if (std::optional<Location> enclosing = getEnclosingLocation(op)) {
        op->setLoc(*enclosing);
      }
    });
  }
};

} // namespace
