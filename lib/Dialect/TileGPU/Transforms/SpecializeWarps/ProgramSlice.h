// The part of a program that some of its operations need.
//
//     %x = load %p                              slice of the copy:
//     scf.for %i iter_args(%t, %sum) {          scf.for %i iter_args(%t) {
//       copy %a[%t]                               copy %a[%t]
//       %next = addi %t, %step              =     %next = addi %t, %step
//       %more = addf %sum, %x                     yield %next
//       yield %next, %more                      }
//     }

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_SPECIALIZEWARPS_PROGRAMSLICE_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_SPECIALIZEWARPS_PROGRAMSLICE_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tilegpu {

/// Operations of a block, at any depth of scf.for and scf.if, with all that their operands are computed from, and the
/// loops and branches around them. These keep only the values that the slice needs. An operation with other regions is
/// in a slice as a whole.
class ProgramSlice {
public:
  /// Operations that are in no slice; what slices use of them is available everywhere.
  using IsShared = llvm::function_ref<bool(mlir::Operation *)>;

  ProgramSlice(mlir::Block &block, IsShared isShared) : block(block), isShared(isShared) {}

  void add(mlir::Operation *op);

  const llvm::SetVector<mlir::Operation *> &getOperations() const { return operations; }

  /// Inserts a copy of the slice. Operations of the block that are no part of the slice and used by it are shared ones.
  /// `copied` is called with each operation and its copy.
  void cloneTo(mlir::OpBuilder &builder, llvm::function_ref<void(mlir::Operation *, mlir::Operation *)> copied) const;

  /// Whether operations are in slices with their regions, so that an operation in them can't be added.
  static bool isWhole(mlir::Operation *op) {
    return op->getNumRegions() != 0 && !mlir::isa<mlir::scf::ForOp, mlir::scf::IfOp>(op);
  }

private:
  void insert(mlir::Operation *op);
  void visit(mlir::Value value);
  void visitResult(mlir::OpResult result);

  mlir::Block &block;
  IsShared isShared;
  llvm::SetVector<mlir::Operation *> operations;
  llvm::DenseSet<mlir::Value> results;    ///< needed ones of loops and branches
  llvm::SmallVector<mlir::Value> pending; ///< needed, and not visited yet
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_SPECIALIZEWARPS_PROGRAMSLICE_H
