// What a check of bounds has to know of an access.

#ifndef TILEWRIGHT_ANALYSIS_CHECKEDACCESS_H
#define TILEWRIGHT_ANALYSIS_CHECKEDACCESS_H

#include "tilewright/Analysis/PointerSources.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tilewright {

/// The attribute of a kernel that lists descriptions of its checked accesses, by number.
constexpr llvm::StringLiteral kCheckedAccessesAttr = "tile.checked_accesses";

struct CheckedAccess {
  int64_t bytes = 0; ///< of an element
  PointerSources sources;
  /// For reports: kind ("reads", "writes", "updates"), bytes, strict (whether the sources are complete), file, line
  /// and column.
  mlir::DictionaryAttr description;
};

/// Of a tile.load, tile.store or atomic.
CheckedAccess describeAccess(mlir::Operation *op);

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_CHECKEDACCESS_H
