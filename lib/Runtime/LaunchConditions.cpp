#include "tilewright/Runtime/LaunchConditions.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tilewright::runtime {

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

namespace {

using Wide = __int128;

/// A range before it is reduced to a width.
struct WideRange {
  Wide lo, hi;
};

/// The range of a step, and whether the operation may wrap.
struct Evaluated {
  Range range;
  bool wraps = false;
};

Wide pow2(unsigned bits) { return Wide(1) << bits; }

/// Reduces a range to signed integers of `bits` bits. A range that does not fit may wrap to any value.
Evaluated fit(WideRange range, unsigned bits) {
  Range all = Range::all(bits);
  if (range.lo < all.lo || range.hi > all.hi) {
    return {all, true};
  }
  return {{static_cast<int64_t>(range.lo), static_cast<int64_t>(range.hi)}, false};
}

/// The range of the same bits as unsigned integers.
WideRange asUnsigned(Range range, unsigned bits) {
  if (range.lo >= 0) {
    return {range.lo, range.hi};
  }
  if (range.hi < 0) {
    return {range.lo + pow2(bits), range.hi + pow2(bits)};
  }
  return {0, pow2(bits) - 1};
}

/// The range of the bits of unsigned integers as signed integers of the same width.
Range asSigned(WideRange range, unsigned bits) {
  Wide half = pow2(bits - 1);
  if (range.lo >= half) {
    return {static_cast<int64_t>(range.lo - 2 * half), static_cast<int64_t>(range.hi - 2 * half)};
  }
  return fit(range, bits).range;
}

/// The range of `f`, which must be monotonic in each operand: the hull of its values at the corners.
template <typename F> WideRange corners(WideRange l, WideRange r, F f) {
  Wide values[] = {f(l.lo, r.lo), f(l.lo, r.hi), f(l.hi, r.lo), f(l.hi, r.hi)};
  auto [lo, hi] = std::minmax_element(std::begin(values), std::end(values));
  return {*lo, *hi};
}

WideRange wide(Range range) { return {range.lo, range.hi}; }

Wide floorDivide(Wide l, Wide r) { return l / r - (l % r != 0 && (l < 0) != (r < 0)); }
Wide ceilDivide(Wide l, Wide r) { return l / r + (l % r != 0 && (l < 0) == (r < 0)); }

/// Division by zero is undefined. The quotient is not monotonic if divisors have both signs, but its magnitude is at
/// most that of the dividend.
template <typename F> Range divide(Range l, Range r, unsigned bits, F f) {
  if (r.lo > 0 || r.hi < 0) {
    return fit(corners(wide(l), wide(r), f), bits).range;
  }
  Wide most = std::max(l.lo < 0 ? -Wide(l.lo) : Wide(l.lo), l.hi < 0 ? -Wide(l.hi) : Wide(l.hi));
  return fit({-most, most}, bits).range;
}

Range divideUnsigned(Range l, Range r, unsigned bits) {
  WideRange dividend = asUnsigned(l, bits), divisor = asUnsigned(r, bits);
  if (divisor.lo == 0) {
    return Range::all(bits);
  }
  return asSigned({dividend.lo / divisor.hi, dividend.hi / divisor.lo}, bits);
}

/// The remainder has the sign of the dividend. Its magnitude is below the divisor's, and at most the dividend's.
Range remainderSigned(Range l, Range r) {
  if (l.lo == l.hi && r.lo == r.hi && r.lo > 0) {
    return Range::of(l.lo % r.lo);
  }
  Wide most = std::max(r.lo < 0 ? -Wide(r.lo) : Wide(r.lo), r.hi < 0 ? -Wide(r.hi) : Wide(r.hi)) - 1;
  most = std::max<Wide>(most, 0);
  Wide lo = l.lo < 0 ? std::max<Wide>(l.lo, -most) : 0;
  Wide hi = l.hi > 0 ? std::min<Wide>(l.hi, most) : 0;
  return {static_cast<int64_t>(lo), static_cast<int64_t>(hi)};
}

Range remainderUnsigned(Range l, Range r, unsigned bits) {
  WideRange dividend = asUnsigned(l, bits), divisor = asUnsigned(r, bits);
  if (divisor.hi == 0) {
    return Range::all(bits);
  }
  return asSigned({0, std::min(dividend.hi, divisor.hi - 1)}, bits);
}

/// The span of a loop may exceed the largest signed integer.
Range loopTrips(Range span, Range step, unsigned bits) {
  if (step.lo <= 0) {
    return Range::all(bits);
  }
  WideRange distance = asUnsigned(span, bits);
  return asSigned({ceilDivide(distance.lo, step.hi), ceilDivide(distance.hi, step.lo)}, bits);
}

/// An `and` with an operand that is not negative is between zero and that operand.
Range bitwiseAnd(Range l, Range r, unsigned bits) {
  if (l.lo < 0 && r.lo < 0) {
    return Range::all(bits);
  }
  int64_t hi = l.lo < 0 ? r.hi : r.lo < 0 ? l.hi : std::min(l.hi, r.hi);
  return {0, hi};
}

Range shiftRight(Range l, Range r, unsigned bits) {
  if (r.lo < 0 || r.hi >= bits) {
    return Range::all(bits);
  }
  return fit(corners(wide(l), wide(r), [](Wide value, Wide by) { return value >> int(by); }), bits).range;
}

Evaluated apply(const RangeStep &step, Range l, Range r, unsigned lhsBits) {
  unsigned bits = step.bits;
  switch (step.op) {
  case RangeOp::Add:
    return fit({Wide(l.lo) + r.lo, Wide(l.hi) + r.hi}, bits);
  case RangeOp::Subtract:
    return fit({Wide(l.lo) - r.hi, Wide(l.hi) - r.lo}, bits);
  case RangeOp::Multiply:
    return fit(corners(wide(l), wide(r), [](Wide a, Wide b) { return a * b; }), bits);
  case RangeOp::DivideSigned:
    return {divide(l, r, bits, [](Wide a, Wide b) { return a / b; })};
  case RangeOp::FloorDivideSigned:
    return {divide(l, r, bits, floorDivide)};
  case RangeOp::CeilDivideSigned:
    return {divide(l, r, bits, ceilDivide)};
  case RangeOp::DivideUnsigned:
    return {divideUnsigned(l, r, bits)};
  case RangeOp::RemainderSigned:
    return {remainderSigned(l, r)};
  case RangeOp::RemainderUnsigned:
    return {remainderUnsigned(l, r, bits)};
  case RangeOp::MinSigned:
    return {{std::min(l.lo, r.lo), std::min(l.hi, r.hi)}};
  case RangeOp::MaxSigned:
    return {{std::max(l.lo, r.lo), std::max(l.hi, r.hi)}};
  case RangeOp::And:
    return {bitwiseAnd(l, r, bits)};
  case RangeOp::ShiftRightSigned:
    return {shiftRight(l, r, bits)};
  case RangeOp::ExtendSigned:
    return {l};
  case RangeOp::ExtendUnsigned:
    return fit(asUnsigned(l, lhsBits), bits);
  case RangeOp::Truncate:
    return fit(wide(l), bits);
  case RangeOp::Join:
    return {{std::min(l.lo, r.lo), std::max(l.hi, r.hi)}};
  case RangeOp::LoopIndex: // A loop without iterations has no index, so that any range is correct.
    return fit({l.lo, std::max(Wide(r.hi) - 1, Wide(l.lo))}, bits);
  case RangeOp::LoopSpan:
    return {asSigned({std::max<Wide>(Wide(r.lo) - l.hi, 0), std::max<Wide>(Wide(r.hi) - l.lo, 0)}, bits)};
  case RangeOp::LoopTrips:
    return {loopTrips(l, r, bits)};
  default:
    return {Range::all(bits), true};
  }
}

bool isInput(RangeOp op) { return op <= RangeOp::NumPrograms; }
bool isCheck(RangeOp op) { return op >= RangeOp::CheckNoWrap; }
bool isUnary(RangeOp op) {
  return isCheck(op) || op == RangeOp::ExtendSigned || op == RangeOp::ExtendUnsigned || op == RangeOp::Truncate;
}

/// The sums, differences and products of at most 32 bits, which are most of the steps: 64-bit arithmetic is enough.
bool isNarrowArithmetic(RangeOp op, unsigned bits, unsigned operandBits) {
  return op >= RangeOp::Add && op <= RangeOp::Multiply && bits <= 32 && operandBits == bits;
}

Evaluated applyNarrow(const RangeStep &step, Range l, Range r) {
  Range range;
  if (step.op == RangeOp::Multiply) {
    auto [lo, hi] = std::minmax({l.lo * r.lo, l.lo * r.hi, l.hi * r.lo, l.hi * r.hi});
    range = {lo, hi};
  } else {
    range = step.op == RangeOp::Add ? Range{l.lo + r.lo, l.hi + r.hi} : Range{l.lo - r.hi, l.hi - r.lo};
  }
  int64_t most = (int64_t(1) << (step.bits - 1)) - 1;
  bool wraps = range.lo < -most - 1 || range.hi > most;
  return {wraps ? Range{-most - 1, most} : range, wraps};
}

/// The ranges of the inputs in one launch.
struct OneLaunch {
  const uint64_t *slots;
  const Grid &grid;
  bool hasLargeArray;

  Range argument(int64_t slot, unsigned bits) const {
    unsigned unused = 64 - bits;
    return Range::of(static_cast<int64_t>(slots[slot] << unused) >> unused);
  }
  Range programId(int64_t axis) const { return {0, std::max(grid.axes[axis] - 1, 0)}; }
  Range numPrograms(int64_t axis) const { return Range::of(grid.axes[axis]); }
};

/// The ranges of the inputs over all launches.
struct AnyLaunch {
  static constexpr int64_t kMostPrograms = INT32_MAX;
  static constexpr bool hasLargeArray = true;

  Range argument(int64_t, unsigned bits) const { return Range::all(bits); }
  Range programId(int64_t) const { return {0, kMostPrograms - 1}; }
  Range numPrograms(int64_t) const { return {0, kMostPrograms}; }
};

/// The inputs of a launch of one program, with equal arguments.
struct UniformLaunch {
  int64_t value;
  static constexpr bool hasLargeArray = false;

  Range argument(int64_t, unsigned bits) const { return Range::of(std::min(value, Range::all(bits).hi)); }
  Range programId(int64_t) const { return Range::of(0); }
  Range numPrograms(int64_t) const { return Range::of(1); }
};

} // namespace

Range Range::all(unsigned bits) {
  Wide half = pow2(bits - 1);
  return {static_cast<int64_t>(-half), static_cast<int64_t>(half - 1)};
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

std::optional<LaunchConditions> LaunchConditions::decode(const int64_t *words, size_t count) {
  std::vector<RangeStep> steps;
  for (size_t at = 0; at + RangeStep::kWords <= count; at += RangeStep::kWords) {
    RangeStep step;
    step.op = static_cast<RangeOp>(words[at] & 0xff);
    step.bits = static_cast<uint8_t>(words[at] >> 8);
    step.lhs = words[at + 1];
    step.rhs = words[at + 2];
    auto isEarlier = [&](int64_t operand) { return operand >= 0 && operand < static_cast<int64_t>(steps.size()); };
    bool operandsFit = isEarlier(step.lhs) && (isUnary(step.op) || isEarlier(step.rhs));
    if (step.op == RangeOp::ProgramId || step.op == RangeOp::NumPrograms) {
      operandsFit = step.lhs >= 0 && step.lhs < 3;
    } else if (isInput(step.op)) {
      operandsFit = step.op == RangeOp::Constant ? step.lhs <= step.rhs : step.lhs >= 0;
    }
    if (step.op > RangeOp::CheckSmallArrays || step.bits < 1 || step.bits > 64 || !operandsFit) {
      return std::nullopt;
    }
    steps.push_back(step);
  }
  return count % RangeStep::kWords == 0 ? std::optional(LaunchConditions(std::move(steps))) : std::nullopt;
}

std::vector<int64_t> LaunchConditions::encode() const {
  std::vector<int64_t> words;
  for (const RangeStep &step : steps) {
    words.push_back(static_cast<int64_t>(step.op) | int64_t(step.bits) << 8);
    words.push_back(step.lhs);
    words.push_back(step.rhs);
  }
  return words;
}

bool LaunchConditions::hasValue(int64_t step) const {
  return step >= 0 && step < static_cast<int64_t>(steps.size()) && !isCheck(steps[step].op);
}

size_t LaunchConditions::slotCount() const {
  int64_t count = 0;
  for (const RangeStep &step : steps) {
    count = std::max(count, step.op == RangeOp::Argument ? step.lhs + 1 : 0);
  }
  return static_cast<size_t>(count);
}

template <typename Inputs> bool LaunchConditions::evaluate(const Inputs &inputs, Range *ranges) const {
  constexpr size_t kOnStack = 128;
  alignas(Evaluated) std::byte onStack[kOnStack * sizeof(Evaluated)]; // uninitialized: most kernels have few steps
  std::vector<Evaluated> onHeap(steps.size() > kOnStack ? steps.size() : 0);
  Evaluated *values = onHeap.empty() ? reinterpret_cast<Evaluated *>(onStack) : onHeap.data();
  for (size_t i = 0; i < steps.size(); ++i) {
    const RangeStep &step = steps[i];
    values[i] = {};
    switch (step.op) {
    case RangeOp::Constant:
      values[i] = {{step.lhs, step.rhs}};
      break;
    case RangeOp::Argument:
      values[i] = {inputs.argument(step.lhs, step.bits)};
      break;
    case RangeOp::ProgramId:
      values[i] = {inputs.programId(step.lhs)};
      break;
    case RangeOp::NumPrograms:
      values[i] = {inputs.numPrograms(step.lhs)};
      break;
    case RangeOp::CheckNoWrap:
      if (values[step.lhs].wraps) {
        return false;
      }
      break;
    case RangeOp::CheckNonNegative:
      if (values[step.lhs].range.lo < 0) {
        return false;
      }
      break;
    case RangeOp::CheckSmallArrays:
      if (inputs.hasLargeArray) {
        return false;
      }
      break;
    default:
      Range rhs = isUnary(step.op) ? Range() : values[step.rhs].range;
      if (isNarrowArithmetic(step.op, step.bits, steps[step.lhs].bits)) {
        values[i] = applyNarrow(step, values[step.lhs].range, rhs);
      } else {
        values[i] = apply(step, values[step.lhs].range, rhs, steps[step.lhs].bits);
      }
    }
  }
  if (ranges) {
    std::transform(values, values + steps.size(), ranges, [](const Evaluated &value) { return value.range; });
  }
  return true;
}

bool LaunchConditions::hold(const uint64_t *slots, const Grid &grid, Range *ranges, bool hasLargeArray) const {
  return evaluate(OneLaunch{slots, grid, hasLargeArray}, ranges);
}

bool LaunchConditions::holdAlways() const { return evaluate(AnyLaunch(), nullptr); }

bool LaunchConditions::holdForAll(int64_t value) const { return evaluate(UniformLaunch{value}, nullptr); }

void LaunchConditions::append(const LaunchConditions &other) {
  using Key = std::tuple<RangeOp, uint8_t, int64_t, int64_t>;
  auto keyOf = [](const RangeStep &step) { return Key(step.op, step.bits, step.lhs, isUnary(step.op) ? 0 : step.rhs); };
  std::map<Key, int64_t> numbers;
  for (size_t i = 0; i < steps.size(); ++i) {
    numbers.try_emplace(keyOf(steps[i]), static_cast<int64_t>(i));
  }
  std::vector<int64_t> places; // of the steps of `other`
  for (RangeStep step : other.steps) {
    if (!isInput(step.op)) {
      step.lhs = places[step.lhs];
      step.rhs = isUnary(step.op) ? 0 : places[step.rhs];
    }
    auto [known, isNew] = numbers.try_emplace(keyOf(step), static_cast<int64_t>(steps.size()));
    if (isNew) {
      steps.push_back(step);
    }
    places.push_back(known->second);
  }
}

} // namespace tilewright::runtime
