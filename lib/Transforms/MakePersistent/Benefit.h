// Whether a kernel is expected to be faster if it is persistent: the rule by which make-persistent chooses.
//
// What a persistent kernel gains is time at both ends of its programs: copies of the next one start while the previous
// one stores its tile. It loses what its loop costs, and the balance of programs that take different times.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_MAKEPERSISTENT_BENEFIT_H
#define TILEWRIGHT_LIB_TRANSFORMS_MAKEPERSISTENT_BENEFIT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright {

/// Why not; empty if it is a product in large tiles, whose programs all take the same time and whose stores may be
/// copies of boxes.
llvm::StringRef whyNotWorthwhile(mlir::func::FuncOp kernel);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TRANSFORMS_MAKEPERSISTENT_BENEFIT_H
