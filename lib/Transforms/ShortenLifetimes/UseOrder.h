// An order of a block's operations in which few values live at the same time.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_SHORTENLIFETIMES_USEORDER_H
#define TILEWRIGHT_LIB_TRANSFORMS_SHORTENLIFETIMES_USEORDER_H

#include "mlir/IR/Operation.h"

namespace tilewright {

/// The operations of the block, each one right before what needs it, but loads up to `wordsAhead` words (of 32 bits)
/// earlier, so that they are in flight meanwhile. Writes and what orders memory keep their order, and loads theirs to
/// writes that may change what they read.
std::vector<mlir::Operation *> orderByUse(mlir::Block &block, int64_t wordsAhead);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TRANSFORMS_SHORTENLIFETIMES_USEORDER_H
