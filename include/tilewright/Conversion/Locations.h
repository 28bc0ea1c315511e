// Which lines of the source an operation comes from.
//
// The front end gives every operation a position in a file, and the inliner a stack of calls:
//
//   loc(callsite("helpers.py":8:13 at "kernel.py":46:44))
//
// Two things lose positions. MLIR's folder gives a constant that it merges or hoists an unknown location, so that
// inlining makes callsite(unknown at "kernel.py":46:44) of it. And a pass may create an operation without a location.

#ifndef TILEWRIGHT_CONVERSION_LOCATIONS_H
#define TILEWRIGHT_CONVERSION_LOCATIONS_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

namespace tilewright {

/// The positions on the stack of calls that a location stands for, innermost first. A frame without one is left out.
llvm::SmallVector<mlir::FileLineColLoc> getFrames(mlir::Location loc);

/// Whether each frame of the stack of calls has a position.
bool isKnown(mlir::Location loc);

/// The location of the innermost operation around `op` that is known. Nothing if there is none.
std::optional<mlir::Location> getEnclosingLocation(mlir::Operation *op);

/// Gives each constant below `root` whose location is not known the one of the operation around it.
void restoreConstantLocations(mlir::Operation *root);

} // namespace tilewright

#endif // TILEWRIGHT_CONVERSION_LOCATIONS_H
