// What a kernel's code assumes of a launch: that some of its index arithmetic does not wrap, and that some of its
// operands are not negative. The compiler writes down how the numbers in question follow from the kernel's integer
// arguments and the grid, and each launch evaluates that over ranges, before the code runs. Where the conditions do not
// hold, the launch runs a variant of the kernel that was compiled without them.
//
//     offset = program_id(0) * stride + [0, 127]       stride: the argument in slot 3
//
//     0  ProgramId 0        [0, grid - 1]
//     1  Argument 3         [4096, 4096]
//     2  Multiply 0 1       [0, (grid - 1) * 4096]
//     3  Constant           [0, 127]
//     4  Add 2 3
//     5  CheckNoWrap 4      false where the sum leaves the signed integers of its width
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

/// The integers from lo to hi, both included, read as signed.
struct Range {
  int64_t lo = 0, hi = 0;

  static Range of(int64_t value) { return {value, value}; }
  /// Every integer of so many bits, 1 to 64.
  static Range all(unsigned bits);
};

/// The operations are those of two's complement integers of the step's width.
enum class RangeOp : uint8_t {
  Constant,    ///< lhs to rhs
  Argument,    ///< in slot lhs
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
  LoopIndex,        ///< from lhs up to, not including, rhs
  LoopSpan,         ///< how far it is from lhs to rhs, as an unsigned integer; 0 where rhs comes first
  LoopTrips,        ///< how often a step of rhs fits into the span lhs, rounded up
  CheckNoWrap,      ///< step lhs, an Add, Subtract, Multiply or Truncate, gives what unbounded integers give
  CheckNonNegative, ///< step lhs is not negative
};

struct RangeStep {
  RangeOp op = RangeOp::Constant;
  uint8_t bits = 32;
  int64_t lhs = 0, rhs = 0; ///< earlier steps, but for the first four operations

  static constexpr size_t kWords = 3; ///< of an encoded step
};

/// A list of steps, in which operands come before their users.
class LaunchConditions {
public:
  LaunchConditions() = default;
  explicit LaunchConditions(std::vector<RangeStep> steps) : steps(std::move(steps)) {}

  /// Nothing where the words are not an encoding.
  static std::optional<LaunchConditions> decode(const int64_t *words, size_t count);
  std::vector<int64_t> encode() const;

  bool empty() const { return steps.empty(); }
  size_t slotCount() const; ///< how many slots a launch must have

  /// Whether all checks succeed for a launch with these arguments and this grid.
  bool hold(const uint64_t *slots, const Grid &grid) const;
  /// Whether they succeed for every launch.
  bool holdAlways() const;

private:
  template <typename Inputs> bool evaluate(const Inputs &inputs) const;

  std::vector<RangeStep> steps;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_LAUNCHCONDITIONS_H
