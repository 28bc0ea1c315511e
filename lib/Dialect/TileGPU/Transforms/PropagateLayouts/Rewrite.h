// Sets the chosen layouts, and creates the remaining conversions and rematerializations.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_REWRITE_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_REWRITE_H

#include "Labels.h"

namespace tilewright::tilegpu {

void applyLabels(mlir::Operation *root, LayoutGraph &graph, Labels &labels);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_REWRITE_H
