// Source locations of operations.
//
// The front end gives every operation a position in a file, and the inliner adds the call stack:
//
//   loc(callsite("helpers.py":8:13 at "kernel.py":46:44))
//
// Positions get lost in two ways. MLIR's folder gives a constant that it merges or hoists an unknown location, which
// inlining turns into callsite(unknown at "kernel.py":46:44). And a pass may create an operation without a location.

#ifndef TILEWRIGHT_TRANSFORMS_LOCATIONS_H
#define TILEWRIGHT_TRANSFORMS_LOCATIONS_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

namespace tilewright {

/// The positions in the call stack of a location, innermost first. Frames without a position are omitted.
llvm::SmallVector<mlir::FileLineColLoc> getFrames(mlir::Location loc);

/// Whether each frame of the call stack has a position.
bool isKnown(mlir::Location loc);

/// The known location of the innermost operation around `op` that has one.
std::optional<mlir::Location> getEnclosingLocation(mlir::Operation *op);

/// Gives each constant below `root` without a known location that of the closest enclosing operation with one.
void restoreConstantLocations(mlir::Operation *root);

} // namespace tilewright

#endif // TILEWRIGHT_TRANSFORMS_LOCATIONS_H
