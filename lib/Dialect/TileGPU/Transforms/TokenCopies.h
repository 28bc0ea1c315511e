// The asynchronous copies that tokens stand for.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_TOKENCOPIES_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_TOKENCOPIES_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "llvm/ADT/MapVector.h"

namespace tilewright::tilegpu {

/// Traces tokens to the copies that they stand for, through commits, loops and branches.
///
///     %t0 = async_commit of %a                     %t: copies a, and b of an earlier iteration
///     scf.for iter_args(%t = %t0) {
///       async_wait %t
///       %t1 = async_commit of %b
///       yield %t1
///     }
class TokenCopies {
public:
  /// The copies, and whether control flow forwards their tokens, so that values at a copy may have others at the token.
  using Copies = llvm::MapVector<AsyncCopyOp, bool>;

  /// Empty for the token of a wait.
  const Copies &find(mlir::Value token);

private:
  llvm::DenseMap<mlir::Value, std::unique_ptr<Copies>> known;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_TOKENCOPIES_H
