#include "tilewright/Transforms/Locations.h"

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright {

/// Appends the positions in `loc`; returns whether each frame has one.
static bool collectFrames(Location loc, SmallVector<FileLineColLoc> &frames) {
  return TypeSwitch<LocationAttr, bool>(loc)
      .Case([&](FileLineColRange range) {
        frames.push_back(FileLineColLoc::get(range.getFilename(), range.getStartLine(), range.getStartColumn()));
        return true;
      })
      .Case([&](CallSiteLoc call) {
        bool callee = collectFrames(call.getCallee(), frames);
        return collectFrames(call.getCaller(), frames) && callee;
      })
      .Case([&](NameLoc name) { return collectFrames(name.getChildLoc(), frames); })
      .Case([&](OpaqueLoc opaque) { return collectFrames(opaque.getFallbackLocation(), frames); })
      .Case([&](FusedLoc fused) {
        return llvm::any_of(fused.getLocations(), [&](Location part) { return collectFrames(part, frames); });
      })
      .Default([](LocationAttr) { return false; });
}

SmallVector<FileLineColLoc> getFrames(Location loc) {
  SmallVector<FileLineColLoc> frames;
  collectFrames(loc, frames);
  return frames;
}

bool isKnown(Location loc) {
  SmallVector<FileLineColLoc> frames;
  return collectFrames(loc, frames);
}

std::optional<Location> getEnclosingLocation(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp()) {
    if (isKnown(parent->getLoc())) {
      return parent->getLoc();
    }
  }
  return std::nullopt;
}

void restoreConstantLocations(Operation *root) {
  root->walk([](Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>() && !isKnown(op->getLoc())) {
      if (std::optional<Location> enclosing = getEnclosingLocation(op)) {
        op->setLoc(*enclosing);
      }
    }
  });
}

} // namespace tilewright
