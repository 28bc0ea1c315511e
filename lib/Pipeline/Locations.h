// Restores locations that MLIR's folder erases while passes run, and verifies all locations in tests.

#ifndef TILEWRIGHT_PIPELINE_LOCATIONS_H
#define TILEWRIGHT_PIPELINE_LOCATIONS_H

#include "mlir/Pass/PassManager.h"

namespace tilewright {

/// Restores the positions of constants after each of the `passes`. With TILEWRIGHT_VERIFY_LOCATIONS set, it is an error
/// if a pass leaves an operation without a position in the file of its function; the error names the pass and sets
/// `isLost`.
void keepLocations(mlir::PassManager &passes, bool &isLost);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_LOCATIONS_H
