// How many registers the values of a block need at the same time.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_SHORTENLIFETIMES_LIVEWORDS_H
#define TILEWRIGHT_LIB_TRANSFORMS_SHORTENLIFETIMES_LIVEWORDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright {

/// The registers of 32 bits that a thread needs for the results of the operation. None for predicates, which have
/// registers of their own, for constants, and for vectors of indices and addresses whose elements are one scalar plus
/// constants.
int64_t wordsOf(mlir::Operation *op);

/// The most registers of 32 bits that values of `order` need at the same time, if the operations are executed in this
/// order. They are all operations of a block, or its first ones. Values from outside of the block are not counted.
int64_t mostLiveWords(llvm::ArrayRef<mlir::Operation *> order);
int64_t mostLiveWords(mlir::Block &block);

/// The registers that a thread may have if all threads of a block fit on a multiprocessor. Nothing in a kernel with
/// matrix products, which is pipelined, and scheduled by other passes, nor where the target is unknown.
std::optional<int64_t> registersPerThread(mlir::func::FuncOp function);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TRANSFORMS_SHORTENLIFETIMES_LIVEWORDS_H
