// Finds the 32-bit arithmetic whose mathematical result an address needs.
//
//     %o = arith.addi %start, %range : i32     an address value, from its use in the addptr
//     %p = tile.addptr %x, %o
//     %m = arith.cmpi slt, %o, %n : i32        a comparison of an address value: exact, too
//     %h = arith.remsi %o, %size : i32         wraps if %o does: a remainder is data
//
// The values of an address are those that it is computed from by additions, subtractions, multiplications, minima and
// maxima of signed integers, by sign extension, and by operations, branches and loops that only pass values on. All
// other operations, such as loads and divisions, produce a value that is taken as it is.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_SPECIALIZERANGES_ADDRESSARITHMETIC_H
#define TILEWRIGHT_LIB_TRANSFORMS_SPECIALIZERANGES_ADDRESSARITHMETIC_H

#include "tilewright/Analysis/IndexRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {

/// The values, 32-bit or 64-bit, from which the exact result of an integer is computed; none if it is taken as it is.
llvm::SmallVector<mlir::Value> exactSources(mlir::Value value);

class AddressArithmetic {
public:
  explicit AddressArithmetic(mlir::FunctionOpInterface function);

  /// The values whose mathematical result is needed, and all that they are computed from.
  const llvm::SetVector<mlir::Value> &values() const { return needed; }

  /// Comparisons of which a side is computed from address values.
  llvm::ArrayRef<mlir::arith::CmpIOp> comparisons() const { return compared; }

  /// Whether an operation is one of 32 bits that may wrap, and whose exact result is needed.
  bool needsExactResult(mlir::Operation *op) const;

private:
  void add(mlir::Value value);
  void addComparison(mlir::arith::CmpIOp compare);
  void addSides(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &sums) const;
  bool isSumOfAddressValues(mlir::Value value) const;

  llvm::SetVector<mlir::Value> needed;
  llvm::DenseSet<mlir::Value> inAddresses;
  llvm::SmallVector<mlir::arith::CmpIOp> compared;
};

/// Whether the operation computes modulo a power of two what has a mathematical result: a sum, difference or product of
/// signed integers.
bool isSignedArithmetic(mlir::Operation *op);

/// Whether the operation has a 64-bit integer that a comparison may depend on: arithmetic of 64 bits, an extension of
/// unsigned integers to them, a truncation of them, or an operation that only passes one of these on. See the masks of
/// block pointers.
bool isWideArithmetic(mlir::Operation *op);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TRANSFORMS_SPECIALIZERANGES_ADDRESSARITHMETIC_H
