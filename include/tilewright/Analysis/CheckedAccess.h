// The properties of a memory access that a bounds check needs.

#ifndef TILEWRIGHT_ANALYSIS_CHECKEDACCESS_H
#define TILEWRIGHT_ANALYSIS_CHECKEDACCESS_H

#include "tilewright/Analysis/PointerSources.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tilewright {

/// The attribute of a kernel that lists the descriptions of its checked accesses, by index.
constexpr llvm::StringLiteral kCheckedAccessesAttr = "tile.checked_accesses";

struct CheckedAccess {
  int64_t bytes = 0; ///< per element
  PointerSources sources;
  /// For reports: kind ("reads", "writes", "updates"), bytes, strict (whether the sources are complete), file, line
  /// and column.
  mlir::DictionaryAttr description;
};

/// Describes a tile.load, tile.store or atomic.
CheckedAccess describeAccess(mlir::Operation *op);

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_CHECKEDACCESS_H
