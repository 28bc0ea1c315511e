// Locations while passes run: what MLIR's folder erases is restored, and in tests each operation is verified.

#ifndef TILEWRIGHT_PIPELINE_LOCATIONS_H
#define TILEWRIGHT_PIPELINE_LOCATIONS_H

#include "mlir/Pass/PassManager.h"

namespace tilewright {

/// Has constants keep positions while `passes` run. With TILEWRIGHT_VERIFY_LOCATIONS set, an operation that has lost
/// its position in the file of its function is an error, which names the pass, and sets `isLost`.
void keepLocations(mlir::PassManager &passes, bool &isLost);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_LOCATIONS_H
