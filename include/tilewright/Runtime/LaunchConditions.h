// The conditions under which a kernel's code is correct: some of its index arithmetic must not wrap, and some of its
// operands must not be negative. The compiler records how these values are computed from the kernel's integer arguments
// and the grid, and each launch evaluates the computation over ranges before the code runs. If a condition does not
// hold, the launch runs a variant of the kernel that was compiled without conditions.
//
//     offset = program_id(0) * stride + [0, 127]       stride: the argument in slot 3
//
//     0  ProgramId 0        [0, grid - 1]
//     1  Argument 3         [4096, 4096]
//     2  Multiply 0 1       [0, (grid - 1) * 4096]
//     3  Constant           [0, 127]
//     4  Add 2 3
//     5  CheckNoWrap 4      false if the sum may overflow a signed integer of its width
//
// A range covers all programs, all elements of a tile and all iterations of loops.

#ifndef TILEWRIGHT_RUNTIME_LAUNCHCONDITIONS_H
#define TILEWRIGHT_RUNTIME_LAUNCHCONDITIONS_H

#include "tilewright/Runtime/Grid.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright::runtime {

/// The signed integers from lo to hi, both included.
struct Range {
  int64_t lo = 0, hi = 0;

  static Range of(int64_t value) { return {value, value}; }
  /// All signed integers of 1 to 64 bits.
  static Range all(unsigned bits);
};

/// Operations on two's complement integers of the step's width.
enum class RangeOp : uint8_t {
  Constant,    ///< the range from lhs to rhs
  Argument,    ///< the argument in slot lhs
  ProgramId,   ///< along axis lhs
  NumPrograms, ///< along axis lhs
  Add,
  Subtract,
  Multiply,
  DivideSigned,
  DivideUnsigned,
  RemainderSigned,
  RemainderUnsigned,
  FloorDivideSigned,
  CeilDivideSigned,
  MinSigned,
  MaxSigned,
  And,
  ShiftRightSigned,
  ExtendSigned,
  ExtendUnsigned,
  Truncate,
  Join,             ///< either operand
  LoopIndex,        ///< from lhs up to rhs, exclusive
  LoopSpan,         ///< max(rhs - lhs, 0), as an unsigned integer
  LoopTrips,        ///< the trip count of a loop with the span lhs and the step rhs: lhs / rhs, rounded up
  CheckNoWrap,      ///< step lhs, an Add, Subtract, Multiply or Truncate, does not wrap
  CheckNonNegative, ///< step lhs is not negative
  CheckSmallArrays, ///< no array has kLargeArray bytes or more; lhs is not used
};

/// The least size, in bytes, of an array in which an offset may need more than 32 bits.
constexpr uint64_t kLargeArray = uint64_t(1) << 31;

struct RangeStep {
  RangeOp op = RangeOp::Constant;
  uint8_t bits = 32;
  int64_t lhs = 0, rhs = 0; ///< the numbers of earlier steps, except for the first four operations

  static constexpr size_t kWords = 3; ///< the size of an encoded step
};

/// A list of steps, in which operands precede their users.
class LaunchConditions {
public:
  LaunchConditions() = default;
  explicit LaunchConditions(std::vector<RangeStep> steps) : steps(std::move(steps)) {}

  /// Returns nullopt if the words are not a valid encoding.
  static std::optional<LaunchConditions> decode(const int64_t *words, size_t count);
  std::vector<int64_t> encode() const;

  bool empty() const { return steps.empty(); }
  size_t size() const { return steps.size(); }
  /// Whether there is such a step, and it computes a value: a check does not.
  bool hasValue(int64_t step) const;
  size_t slotCount() const; ///< the least number of slots of a launch

  /// Whether all checks succeed for a launch with these arguments and this grid. If they do, `ranges` gets the range of
  /// each step, unless it is null. `hasLargeArray` is whether an argument may be an array of at least kLargeArray
  /// bytes.
  bool hold(const uint64_t *slots, const Grid &grid, Range *ranges = nullptr, bool hasLargeArray = true) const;
  /// Whether all checks succeed for every launch.
  bool holdAlways() const;
  /// Whether all checks succeed for a launch of one program whose integer arguments are all `value`.
  bool holdForAll(int64_t value) const;

  /// Adds the steps of `other`, except for those that are here already.
  void append(const LaunchConditions &other);

private:
  template <typename Inputs> bool evaluate(const Inputs &inputs, Range *ranges) const;

  std::vector<RangeStep> steps;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_LAUNCHCONDITIONS_H
