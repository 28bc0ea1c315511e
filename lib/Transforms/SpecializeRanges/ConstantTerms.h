// Finds 32-bit arithmetic that wraps because of its constants alone, once a chain of operations is simplified.
//
//     %a = arith.muli %id, 65536 : i32                        canonicalization makes this id * 0:
//     %b = arith.muli %a, 65536 : i32                         the constants' product, modulo 2^32

#ifndef TILEWRIGHT_LIB_TRANSFORMS_SPECIALIZERANGES_CONSTANTTERMS_H
#define TILEWRIGHT_LIB_TRANSFORMS_SPECIALIZERANGES_CONSTANTTERMS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace tilewright {

class ConstantTerms {
public:
  /// Whether the constants of a sum or a product of signed 32-bit integers have a sum or a product of more than 32
  /// bits.
  bool exceed32Bits(mlir::Operation *op);

private:
  /// What a value is computed from. Numbers beyond 2^62 are replaced by that.
  struct Terms {
    std::optional<int64_t> value; ///< of a constant
    int64_t addend = 0;           ///< the sum of the constants that are added
    int64_t factor = 1;           ///< the product of those that are multiplied with

    int64_t asAddend() const { return value.value_or(addend); }
    int64_t asFactor() const { return value.value_or(factor); }
  };

  Terms termsOf(mlir::Value value);
  Terms compute(mlir::Value value);

  llvm::DenseMap<mlir::Value, Terms> known;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TRANSFORMS_SPECIALIZERANGES_CONSTANTTERMS_H
