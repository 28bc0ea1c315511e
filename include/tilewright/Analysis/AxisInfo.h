// Properties about the values of an integer or pointer tile, for each dimension: the length of runs of consecutive
// values, the length of runs of equal values, and the power of two that divides the start of a run. They determine how
// wide a memory access may be and which part of a mask is uniform.
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
// In a tile of rank 2, the properties of a dimension hold for every line along it:
//
//     value         0   1   2   3      dimension 0: contiguity 1, divisibility 1, constancy 1
//                  64  65  66  67      dimension 1: contiguity 4, divisibility 64, constancy 1
//
// For integers, "consecutive" means +1. Consecutive pointers are one pointee apart, and their divisibility is the
// alignment of the first address in bytes. A scalar has one dimension of size 1.
//
// Integers wrap: after the largest integer of the type, a run of consecutive values continues with the smallest one,
// unless the operation excludes that (`nsw`):
//
//     i8 value    126 127 -128 -127      contiguity 4, divisibility 2, wraps
//
// Such a run is consecutive for operations that compute modulo the same power of two, and for addresses if the integer
// has the width of an address. For all others, such as comparisons, divisions and extensions, it only counts as far as
// groups start at multiples of their length: there is no wrap within such groups, neither as signed nor as unsigned
// integers.

#ifndef TILEWRIGHT_ANALYSIS_AXISINFO_H
#define TILEWRIGHT_ANALYSIS_AXISINFO_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <optional>

namespace tilewright {

/// The properties of one dimension; see the top of this file.
struct AxisProperties {
  int64_t contiguity = 1;
  int64_t divisibility = 1;
  int64_t constancy = 1;
  /// The distance between consecutive values: 1, or the pointee's size in bytes.
  int64_t unit = 1;

  /// The power of two that divides every value at a position that is a multiple of `group`. A group shorter than
  /// `contiguity` may start in the middle of a longer one.
  int64_t divisibilityAt(int64_t group) const;

  bool operator==(const AxisProperties &other) const;
};

class AxisInfo {
public:
  /// The divisibility of zero: large, but small enough that the product of two does not overflow.
  static constexpr int64_t kMaxDivisibility = int64_t(1) << 30;

  /// No value seen yet: the neutral element of `join`.
  AxisInfo() = default;

  /// No properties of a value of this type.
  static AxisInfo unknown(mlir::Type type);

  /// Every element is `value`.
  static AxisInfo constant(mlir::Type type, int64_t value);

  /// Properties for a value of `type`, one entry per dimension. Runs are cut to the largest power of two that divides
  /// the dimension.
  AxisInfo(mlir::Type type, llvm::ArrayRef<AxisProperties> newProperties, bool mayWrap = false);

  /// The properties that hold for both.
  static AxisInfo join(const AxisInfo &lhs, const AxisInfo &rhs);

  bool isInitialized() const { return !properties.empty(); }
  unsigned getRank() const { return properties.size(); }
  int64_t getContiguity(unsigned dim) const { return properties[dim].contiguity; }
  int64_t getDivisibility(unsigned dim) const { return properties[dim].divisibility; }
  int64_t getConstancy(unsigned dim) const { return properties[dim].constancy; }
  const AxisProperties &operator[](unsigned dim) const { return properties[dim]; }
  llvm::ArrayRef<AxisProperties> getProperties() const { return properties; }

  /// The power of two that divides every element.
  int64_t getDivisibilityOfAll() const;

  /// The value of all elements, if it is known.
  std::optional<int64_t> getConstant() const { return knownValue; }

  /// Whether a run may continue with the type's smallest integer after the largest one.
  bool mayWrap() const { return wraps; }

  /// Properties with runs that are consecutive as signed integers.
  AxisProperties getSigned(unsigned dim) const { return wraps ? cutToAligned(properties[dim]) : properties[dim]; }
  int64_t getSignedContiguity(unsigned dim) const { return getSigned(dim).contiguity; }

  /// `fact` with runs that start at multiples of their length.
  static AxisProperties cutToAligned(AxisProperties fact);

  /// Strengthens the properties by the user's assertions. Empty arrays assert nothing.
  void assume(mlir::Type type, llvm::ArrayRef<int64_t> contiguity, llvm::ArrayRef<int64_t> divisibility,
              llvm::ArrayRef<int64_t> constancy);

  bool operator==(const AxisInfo &other) const;
  void print(llvm::raw_ostream &os) const;

private:
  llvm::SmallVector<AxisProperties, 2> properties;
  std::optional<int64_t> knownValue;
  bool wraps = false;
};

/// The properties of every value in `root`, a function or a module. Nothing is known about values created later.
class AxisInfoAnalysis {
public:
  explicit AxisInfoAnalysis(mlir::Operation *root);

  const AxisInfo &get(mlir::Value value);

private:
  /// By pointers, since callers hold on to what `get` returns while it adds more.
  llvm::DenseMap<mlir::Value, std::unique_ptr<AxisInfo>> infos;
};

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_AXISINFO_H
