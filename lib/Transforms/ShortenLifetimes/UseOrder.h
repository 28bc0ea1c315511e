// An order of a block's operations in which few values live at the same time.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_SHORTENLIFETIMES_USEORDER_H
#define TILEWRIGHT_LIB_TRANSFORMS_SHORTENLIFETIMES_USEORDER_H

#include "mlir/IR/Operation.h"

namespace tilewright {

/// The operations of the block, each one right before what needs it, but loads up to `wordsAhead` words (of 32 bits)
/// earlier, so that they are in flight meanwhile. Accesses that may alias, of which one is a write, keep their order.
/// Barriers, atomics, volatile loads and stores with a cache modifier keep theirs to all accesses, and what may fail to
/// what may end the program before. Stores to different arrays may be reordered.
std::vector<mlir::Operation *> orderByUse(mlir::Block &block, int64_t wordsAhead);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TRANSFORMS_SHORTENLIFETIMES_USEORDER_H
