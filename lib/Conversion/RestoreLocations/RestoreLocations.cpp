// restore-locations: every operation has a position that debug information can be made of. See Passes.td.

#include "tilewright/Conversion/Locations.h"
#include "tilewright/Conversion/Passes.h"

using namespace mlir;

namespace tilewright {
#define GEN_PASS_DEF_RESTORELOCATIONS
#include "tilewright/Conversion/Passes.h.inc"
} // namespace tilewright

using namespace tilewright;

namespace {

/// A stack of calls, innermost first, as callsite(a at callsite(b at c)).
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
