// Integers of a kernel as sums of products:
//
//     %row = splat(%pid * 64) + make_range 0 to 64             64 * %pid + i0
//     expand_dims(%row, 1) * splat(%stride) + ...              64 * %pid * %stride + %stride * i0
//
// i0, i1, ... are an element's indices in its tile. The sum is that of the integers, which the operations compute only
// where none of them wraps. Programs often take remainders of tiles, so that rows beyond the last one are read from the
// beginning; they are sums where there are no such rows.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_INDEXSUMS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_INDEXSUMS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace tilewright::tilegpu {

/// A product of a constant, scalars, and at most one index.
struct IndexProduct {
  int64_t factor = 1;
  llvm::SmallVector<mlir::Value, 2> scalars; ///< i32; sorted by address, so that equal products are equal
  int dim = -1;                              ///< that of the index; -1 for none

  /// Whether they differ at most in the factor.
  bool isLike(const IndexProduct &other) const { return scalars == other.scalars && dim == other.dim; }
};

/// Products that are not alike.
class IndexSum {
public:
  IndexSum() = default;
  explicit IndexSum(IndexProduct product) { add(std::move(product)); }
  static IndexSum constant(int64_t value) { return IndexSum({value, {}, -1}); }

  void add(IndexProduct product);
  IndexSum plus(const IndexSum &other) const;
  IndexSum times(int64_t factor) const;
  /// None if a product would have two indices, or if a factor overflows.
  std::optional<IndexSum> times(const IndexSum &other) const;
  /// None if the divisor does not divide all factors.
  std::optional<IndexSum> dividedBy(int64_t divisor) const;

  llvm::ArrayRef<IndexProduct> products() const { return terms; }
  llvm::SmallVector<IndexProduct> &products() { return terms; }

private:
  llvm::SmallVector<IndexProduct> terms;
};

/// The pointers of a tile: elements of an array, counted from the address in an argument of the kernel.
struct AddressSum {
  mlir::BlockArgument base;
  IndexSum offset;
};

/// The dimension along which adjacent elements have adjacent addresses, as far as these are such sums.
std::optional<int> contiguousDimOf(mlir::Value pointers);

/// A remainder that is taken for its dividend, as where that is from 0 to the divisor, exclusive.
struct IndexRemainder {
  mlir::Value result, dividend, divisor;
};

/// The product of two factors; none unless it is far from overflow, so that products can be added without a check.
std::optional<int64_t> multiplyFactors(int64_t left, int64_t right);

/// Finds the sums of values.
class IndexSums {
public:
  /// None for what is no sum of a few products.
  std::optional<IndexSum> of(mlir::Value integers);
  std::optional<AddressSum> ofPointers(mlir::Value pointers);

  /// Sums that are all negative where a mask is true, and only there.
  std::optional<llvm::SmallVector<IndexSum>> ofMask(mlir::Value mask);

  /// The results of all operations that have been looked at and could wrap.
  const llvm::SetVector<mlir::Value> &arithmetic() const { return results; }
  llvm::ArrayRef<IndexRemainder> remainders() const { return reduced; }

private:
  std::optional<IndexSum> compute(mlir::Value integers);
  std::optional<IndexSum> ofArithmetic(mlir::Operation *op);
  std::optional<IndexSum> ofOrder(mlir::Value left, mlir::Value right, bool orEqual);
  std::optional<IndexSum> ofCarried(mlir::BlockArgument carried);

  llvm::DenseMap<mlir::Value, std::optional<IndexSum>> known;
  llvm::SetVector<mlir::Value> results;
  llvm::SmallVector<IndexRemainder> reduced;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_INDEXSUMS_H
