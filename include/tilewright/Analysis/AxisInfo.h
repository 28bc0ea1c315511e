// What is known of the values inside an integer or a pointer tile, dimension by
// dimension: how long the runs of consecutive values are, how long the runs of
// equal values, and what power of two the start of a run is a multiple of. It
// decides how wide a memory access may be and which part of a mask is uniform.
//
// All three are powers of two. Take a tile of 8 integers:
//
//     position      0   1   2   3 | 4   5   6   7
//     value        16  17  18  19 | 32  33  34  35
//                  '-- a group --'  '-- a group --'
//
//     contiguity   4    every aligned group of 4 positions holds consecutive values
//     divisibility 16   16 divides the first value of every such group (16 and 32)
//     constancy    1    aligned groups of 1 hold equal values: nothing is known
//
//     position      0   1 | 2   3 | 4   5 | 6   7
//     value         4   4 | 8   8 |12  12 | 4   4
//
//     contiguity   1
//     divisibility 4    groups have one element, so 4 divides every value
//     constancy    2    every aligned group of 2 positions holds one value
//
// In a tile of rank 2 the facts of a dimension hold on every line along it:
//
//     value         0   1   2   3      dimension 0: contiguity 1, divisibility 1, constancy 1
//                  64  65  66  67      dimension 1: contiguity 4, divisibility 64, constancy 1
//
// Integers count in units, so "consecutive" means +1. Pointers count in bytes:
// consecutive pointers are one pointee apart, and divisibility is the alignment
// of the first address in bytes. A scalar has one dimension of size 1.
//
// Integers wrap. After the largest one of its type a run of consecutive values goes
// on with the smallest one, unless the operation says that it does not (`nsw`):
//
//     i8 value    126 127 -128 -127      contiguity 4, divisibility 2, wraps
//
// Such a run is consecutive to what computes modulo the same power of two, and to
// an address where the integer has an address's width. For all else, a comparison,
// a division, an extension, it counts only as far as it starts at multiples of its
// length: there is no wrap inside of such groups, read as signed or as unsigned.

#ifndef TILEWRIGHT_ANALYSIS_AXISINFO_H
#define TILEWRIGHT_ANALYSIS_AXISINFO_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace tilewright {

/// The facts of one dimension; see the top of this file.
struct AxisFacts {
  int64_t contiguity = 1;
  int64_t divisibility = 1;
  int64_t constancy = 1;
  /// The distance between consecutive values: 1, or the pointee's size in bytes.
  int64_t unit = 1;

  /// The power of two that divides every value at a position that is a multiple
  /// of `group`: a group shorter than `contiguity` starts inside of a longer one.
  int64_t divisibilityAt(int64_t group) const;

  bool operator==(const AxisFacts &other) const;
};

class AxisInfo {
public:
  /// What divides zero: large, but small enough for two to be multiplied.
  static constexpr int64_t kMaxDivisibility = int64_t(1) << 30;

  /// No value seen yet: the neutral element of `join`.
  AxisInfo() = default;

  /// Nothing is known of a value of this type.
  static AxisInfo unknown(mlir::Type type);

  /// Every element is `value`.
  static AxisInfo constant(mlir::Type type, int64_t value);

  /// Facts for a value of `type`, one entry per dimension. Runs longer than the
  /// dimension, or not a divisor of it, are cut.
  AxisInfo(mlir::Type type, llvm::ArrayRef<AxisFacts> facts, bool wraps = false);

  /// What holds whichever of the two a value is.
  static AxisInfo join(const AxisInfo &lhs, const AxisInfo &rhs);

  bool isInitialized() const { return !facts.empty(); }
  unsigned getRank() const { return facts.size(); }
  int64_t getContiguity(unsigned dim) const { return facts[dim].contiguity; }
  int64_t getDivisibility(unsigned dim) const { return facts[dim].divisibility; }
  int64_t getConstancy(unsigned dim) const { return facts[dim].constancy; }
  const AxisFacts &operator[](unsigned dim) const { return facts[dim]; }
  llvm::ArrayRef<AxisFacts> getFacts() const { return facts; }

  /// The power of two that divides every element.
  int64_t getDivisibilityOfAll() const;

  /// The one value that all elements have, where it is known.
  std::optional<int64_t> getConstant() const { return knownValue; }

  /// Whether a run may go on with the type's smallest integer after the largest one.
  bool mayWrap() const { return wraps; }

  /// The facts whose runs are consecutive as signed integers.
  AxisFacts getSigned(unsigned dim) const { return wraps ? cutToAligned(facts[dim]) : facts[dim]; }
  int64_t getSignedContiguity(unsigned dim) const { return getSigned(dim).contiguity; }

  /// `fact` with runs that start at multiples of their length.
  static AxisFacts cutToAligned(AxisFacts fact);

  /// Raises the facts to what the user asserts. Empty arrays assert nothing.
  void assume(mlir::Type type, llvm::ArrayRef<int64_t> contiguity, llvm::ArrayRef<int64_t> divisibility,
              llvm::ArrayRef<int64_t> constancy);

  bool operator==(const AxisInfo &other) const;
  void print(llvm::raw_ostream &os) const;

private:
  llvm::SmallVector<AxisFacts, 2> facts;
  std::optional<int64_t> knownValue;
  bool wraps = false;
};

/// The facts of every value in `root`, a function or a module. Values made
/// after the analysis ran are unknown to it.
class AxisInfoAnalysis {
public:
  explicit AxisInfoAnalysis(mlir::Operation *root);

  const AxisInfo &get(mlir::Value value);

private:
  llvm::DenseMap<mlir::Value, AxisInfo> infos;
};

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_AXISINFO_H
