// Launch conditions, compared with a computation on integers: if they hold, no operation wraps and no operand is
// negative.

#include "tilewright/Runtime/LaunchConditions.h"

#include <gtest/gtest.h>

#include <random>

using namespace tilewright::runtime;

namespace {

Grid gridOf(int32_t x) { return *Grid::make({x, 1, 1}); }

bool holds(std::vector<RangeStep> steps, std::vector<uint64_t> slots, int32_t grid = 1) {
  std::vector<int64_t> words = LaunchConditions(std::move(steps)).encode();
  std::optional<LaunchConditions> decoded = LaunchConditions::decode(words.data(), words.size());
  EXPECT_TRUE(decoded.has_value());
  return decoded && decoded->hold(slots.data(), gridOf(grid), /*ranges=*/nullptr, /*hasLargeArray=*/false);
}

/// program_id * slot 0 + [0, 127] in 32 bits.
std::vector<RangeStep> rowOfMatrix() {
  return {{RangeOp::ProgramId, 32, 0},     {RangeOp::Argument, 32, 0}, {RangeOp::Multiply, 32, 0, 1},
          {RangeOp::Constant, 32, 0, 127}, {RangeOp::Add, 32, 2, 3},   {RangeOp::CheckNoWrap, 32, 4}};
}

TEST(LaunchConditions, AProductThatFitsAndOneThatDoesNot) {
  EXPECT_TRUE(holds(rowOfMatrix(), {1000}, 1000));
  EXPECT_TRUE(holds(rowOfMatrix(), {uint64_t(-5)}, 1000));
  EXPECT_FALSE(holds(rowOfMatrix(), {3000000}, 1000));
  // 2^31 - 128 is the largest number to which 127 can be added.
  EXPECT_TRUE(holds(rowOfMatrix(), {(uint64_t(1) << 31) - 128}, 2));
  EXPECT_FALSE(holds(rowOfMatrix(), {(uint64_t(1) << 31) - 127}, 2));
}

TEST(LaunchConditions, OnlyTheArgumentsOwnBitsCount) {
  std::vector<RangeStep> steps = {{RangeOp::Argument, 8, 0}, {RangeOp::CheckNonNegative, 8, 0}};
  EXPECT_TRUE(holds(steps, {0xff7f}));
  EXPECT_FALSE(holds(steps, {0x80}));
}

TEST(LaunchConditions, MultiplesOfEight) {
  std::vector<RangeStep> steps = {{RangeOp::Argument, 64, 0},           {RangeOp::Constant, 64, 8, 8},
                                  {RangeOp::RemainderSigned, 64, 0, 1}, {RangeOp::Constant, 64, -1, -1},
                                  {RangeOp::Multiply, 64, 2, 3},        {RangeOp::CheckNonNegative, 64, 2},
                                  {RangeOp::CheckNonNegative, 64, 4}};
  for (int64_t value : {-16, -8, 0, 8, 1000}) {
    EXPECT_TRUE(holds(steps, {static_cast<uint64_t>(value)})) << value;
  }
  for (int64_t value : {-9, -1, 1, 7, 1004, 1001}) {
    EXPECT_FALSE(holds(steps, {static_cast<uint64_t>(value)})) << value;
  }
}

TEST(LaunchConditions, WhatHoldsForEveryLaunch) {
  std::vector<RangeStep> steps = {{RangeOp::ProgramId, 32, 0}, {RangeOp::CheckNonNegative, 32, 0}};
  EXPECT_TRUE(LaunchConditions(steps).holdAlways());
  steps[0] = {RangeOp::Argument, 32, 0};
  EXPECT_FALSE(LaunchConditions(steps).holdAlways());
  EXPECT_FALSE(LaunchConditions(rowOfMatrix()).holdAlways());
}

TEST(LaunchConditions, WhatHoldsForEqualArgumentsAndOneProgram) {
  EXPECT_TRUE(LaunchConditions(rowOfMatrix()).holdForAll(INT64_MAX)); // the only program is 0
  std::vector<RangeStep> steps = {{RangeOp::Argument, 32, 0},
                                  {RangeOp::Constant, 32, 0, 127},
                                  {RangeOp::Subtract, 32, 0, 1},
                                  {RangeOp::CheckNonNegative, 32, 2}};
  EXPECT_TRUE(LaunchConditions(steps).holdForAll(127));
  EXPECT_FALSE(LaunchConditions(steps).holdForAll(126));
  std::vector<RangeStep> narrow = {{RangeOp::Argument, 8, 0}, {RangeOp::CheckNonNegative, 8, 0}};
  EXPECT_TRUE(LaunchConditions(narrow).holdForAll(1024)); // at most 127
}

/// Both conditions hold where each of them does, and steps that both have are there once.
TEST(LaunchConditions, Appended) {
  std::vector<RangeStep> further = {
      {RangeOp::ProgramId, 32, 0},   {RangeOp::Argument, 32, 0},         {RangeOp::Argument, 32, 1},
      {RangeOp::Multiply, 32, 0, 1}, {RangeOp::ExtendSigned, 64, 3},     {RangeOp::ExtendSigned, 64, 2},
      {RangeOp::Subtract, 64, 4, 5}, {RangeOp::CheckNonNegative, 64, 6}, {RangeOp::CheckNonNegative, 32, 1}};
  LaunchConditions both(rowOfMatrix());
  both.append(LaunchConditions(further));
  EXPECT_EQ(both.size(), rowOfMatrix().size() + further.size() - 3);
  LaunchConditions again = both;
  again.append(LaunchConditions(further));
  again.append(LaunchConditions(rowOfMatrix()));
  EXPECT_EQ(again.encode(), both.encode());
  LaunchConditions none;
  none.append(LaunchConditions(further));
  EXPECT_EQ(none.encode(), LaunchConditions(further).encode());
  std::vector<int64_t> words = both.encode();
  ASSERT_TRUE(LaunchConditions::decode(words.data(), words.size()).has_value());
  for (uint64_t stride : {uint64_t(0), uint64_t(1000), uint64_t(-1), uint64_t(3000000)}) {
    for (uint64_t before : {uint64_t(0), uint64_t(1), uint64_t(-1)}) {
      uint64_t slots[] = {stride, before};
      auto hold = [&](const LaunchConditions &conditions) { return conditions.hold(slots, gridOf(1000)); };
      EXPECT_EQ(hold(both), hold(LaunchConditions(rowOfMatrix())) && hold(LaunchConditions(further)));
    }
  }
}

/// From the least integer in steps of 2^25: 64 trips would be half of them.
TEST(LaunchConditions, LoopsOverMoreThanHalfOfTheIntegers) {
  auto advancesBy = [](int64_t amount) {
    return std::vector<RangeStep>{
        {RangeOp::Argument, 32, 0},     {RangeOp::Constant, 32, INT32_MAX - (1 << 25), INT32_MAX - (1 << 25)},
        {RangeOp::LoopSpan, 32, 0, 1},  {RangeOp::Constant, 32, 1 << 25, 1 << 25},
        {RangeOp::LoopTrips, 32, 2, 3}, {RangeOp::Constant, 32, amount, amount},
        {RangeOp::Multiply, 32, 4, 5},  {RangeOp::CheckNoWrap, 32, 6},
    };
  };
  EXPECT_TRUE(holds(advancesBy(1 << 24), {uint64_t(INT32_MIN)}));
  EXPECT_FALSE(holds(advancesBy((1 << 24) + (1 << 18)), {uint64_t(INT32_MIN)}));
  EXPECT_TRUE(holds(advancesBy((1 << 24) + (1 << 18)), {0}));
}

TEST(LaunchConditions, LargeArrays) {
  LaunchConditions conditions({{RangeOp::Constant, 32, 0, 0}, {RangeOp::CheckSmallArrays, 32, 0}});
  std::vector<int64_t> words = conditions.encode();
  std::optional<LaunchConditions> decoded = LaunchConditions::decode(words.data(), words.size());
  ASSERT_TRUE(decoded.has_value());
  EXPECT_TRUE(decoded->hold(nullptr, gridOf(1), /*ranges=*/nullptr, /*hasLargeArray=*/false));
  EXPECT_FALSE(decoded->hold(nullptr, gridOf(1), /*ranges=*/nullptr, /*hasLargeArray=*/true));
  EXPECT_FALSE(decoded->holdAlways());
}

TEST(LaunchConditions, DivisorsOfBothSigns) {
  auto quotientFits = [](Range dividend, int64_t addend) {
    return holds({{RangeOp::Constant, 32, dividend.lo, dividend.hi},
                  {RangeOp::Constant, 32, -3, 8},
                  {RangeOp::DivideSigned, 32, 0, 1},
                  {RangeOp::Constant, 32, addend, addend},
                  {RangeOp::Add, 32, 2, 3},
                  {RangeOp::CheckNoWrap, 32, 4}},
                 {});
  };
  EXPECT_TRUE(quotientFits({0, 100}, INT32_MAX - 100));
  EXPECT_FALSE(quotientFits({0, 100}, INT32_MAX - 99));
  EXPECT_TRUE(quotientFits({-100, 7}, INT32_MIN + 100));
  EXPECT_FALSE(quotientFits({-100, 7}, INT32_MIN + 99));
  EXPECT_FALSE(quotientFits({INT32_MIN, 7}, 1));
}

TEST(LaunchConditions, DamagedEncodingsAreRefused) {
  std::vector<int64_t> words = LaunchConditions(rowOfMatrix()).encode();
  EXPECT_FALSE(LaunchConditions::decode(words.data(), words.size() - 1).has_value());
  std::vector<int64_t> later = words;
  later[2 * RangeStep::kWords + 1] = 2; // a step that uses itself
  EXPECT_FALSE(LaunchConditions::decode(later.data(), later.size()).has_value());
  later = words;
  later[0] = 200 | 32 << 8;
  EXPECT_FALSE(LaunchConditions::decode(later.data(), later.size()).has_value());
  later = words;
  later[0] = 77 << 8;
  EXPECT_FALSE(LaunchConditions::decode(later.data(), later.size()).has_value());
}

//===----------------------------------------------------------------------===//
// Random programs on integers of few bits
//===----------------------------------------------------------------------===//

constexpr unsigned kBits = 6;

int64_t wrap(int64_t value, unsigned bits) {
  return static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - bits)) >> (64 - bits);
}
int64_t asUnsigned(int64_t value, unsigned bits) { return value & ((int64_t(1) << bits) - 1); }

/// Computes one value of each step, as a program does. Returns false if the program is undefined.
class Concrete {
public:
  Concrete(const std::vector<RangeStep> &steps, int64_t argument, int32_t grid, std::mt19937 &random)
      : steps(steps), argument(argument), grid(grid), random(random) {}

  bool run() {
    for (const RangeStep &step : steps) {
      values.push_back(0);
      wrapped.push_back(false);
      if (!evaluate(step)) {
        return false;
      }
    }
    return true;
  }

  /// Whether all checks succeed.
  bool succeeds() const {
    for (const RangeStep &step : steps) {
      if ((step.op == RangeOp::CheckNoWrap && wrapped[step.lhs]) ||
          (step.op == RangeOp::CheckNonNegative && values[step.lhs] < 0)) {
        return false;
      }
    }
    return true;
  }

private:
  int64_t between(int64_t lo, int64_t hi) { return std::uniform_int_distribution<int64_t>(lo, hi)(random); }

  bool set(int64_t exact) {
    values.back() = wrap(exact, kBits);
    wrapped.back() = values.back() != exact;
    return true;
  }

  bool divide(const RangeStep &step, int64_t l, int64_t r) {
    if (r == 0) {
      return false;
    }
    int64_t ul = asUnsigned(l, kBits), ur = asUnsigned(r, kBits);
    switch (step.op) {
    case RangeOp::DivideSigned:
      return set(l / r);
    case RangeOp::RemainderSigned:
      return set(l % r);
    case RangeOp::FloorDivideSigned:
      return set(l / r - (l % r != 0 && (l < 0) != (r < 0)));
    case RangeOp::CeilDivideSigned:
      return set(l / r + (l % r != 0 && (l < 0) == (r < 0)));
    case RangeOp::DivideUnsigned:
      return set(ul / ur);
    default:
      return set(ul % ur);
    }
  }

  bool evaluate(const RangeStep &step) {
    if (step.op == RangeOp::Constant) {
      return set(between(step.lhs, step.rhs));
    }
    if (step.op == RangeOp::Argument) {
      return set(wrap(argument, kBits));
    }
    if (step.op == RangeOp::ProgramId) {
      return set(between(0, grid - 1));
    }
    if (step.op == RangeOp::NumPrograms) {
      return set(grid);
    }
    if (step.op >= RangeOp::CheckNoWrap) {
      return true;
    }
    int64_t l = values[step.lhs], r = values[step.rhs];
    switch (step.op) {
    case RangeOp::Add:
      return set(l + r);
    case RangeOp::Subtract:
      return set(l - r);
    case RangeOp::Multiply:
      return set(l * r);
    case RangeOp::MinSigned:
      return set(std::min(l, r));
    case RangeOp::MaxSigned:
      return set(std::max(l, r));
    case RangeOp::And:
      return set(l & r);
    case RangeOp::ShiftRightSigned:
      return r >= 0 && r < int64_t(kBits) && set(l >> r);
    case RangeOp::Join:
      return set(between(0, 1) ? l : r);
    case RangeOp::LoopIndex:
      return l < r && set(between(l, r - 1));
    case RangeOp::LoopSpan:
      return set(std::max<int64_t>(r - l, 0));
    case RangeOp::LoopTrips:
      return r > 0 && set((asUnsigned(l, kBits) + r - 1) / r);
    default:
      return divide(step, l, r);
    }
  }

  const std::vector<RangeStep> &steps;
  int64_t argument;
  int32_t grid;
  std::mt19937 &random;
  std::vector<int64_t> values;
  std::vector<bool> wrapped;
};

std::vector<RangeStep> randomSteps(std::mt19937 &random) {
  auto below = [&](int64_t n) { return std::uniform_int_distribution<int64_t>(0, n - 1)(random); };
  std::vector<RangeStep> steps = {{RangeOp::ProgramId, kBits, 0}, {RangeOp::Argument, kBits, 0}};
  int64_t lo = below(64) - 32;
  steps.push_back({RangeOp::Constant, kBits, lo, std::min<int64_t>(31, lo + below(4))});
  static constexpr RangeOp kBinary[] = {RangeOp::Add,
                                        RangeOp::Subtract,
                                        RangeOp::Multiply,
                                        RangeOp::DivideSigned,
                                        RangeOp::DivideUnsigned,
                                        RangeOp::RemainderSigned,
                                        RangeOp::RemainderUnsigned,
                                        RangeOp::FloorDivideSigned,
                                        RangeOp::CeilDivideSigned,
                                        RangeOp::MinSigned,
                                        RangeOp::MaxSigned,
                                        RangeOp::And,
                                        RangeOp::ShiftRightSigned,
                                        RangeOp::Join,
                                        RangeOp::LoopIndex,
                                        RangeOp::LoopSpan,
                                        RangeOp::LoopTrips};
  for (int64_t count = 1 + below(5); count > 0; --count) {
    int64_t known = static_cast<int64_t>(steps.size());
    steps.push_back({kBinary[below(std::size(kBinary))], kBits, below(known), below(known)});
  }
  int64_t last = static_cast<int64_t>(steps.size()) - 1;
  bool isSum =
      steps[last].op == RangeOp::Add || steps[last].op == RangeOp::Subtract || steps[last].op == RangeOp::Multiply;
  steps.push_back({isSum && below(2) ? RangeOp::CheckNoWrap : RangeOp::CheckNonNegative, kBits, last});
  return steps;
}

TEST(LaunchConditions, RandomProgramsKeepWhatWasChecked) {
  constexpr unsigned kSeed = 7;
  std::mt19937 random(kSeed);
  int held = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<RangeStep> steps = randomSteps(random);
    int64_t argument = static_cast<int64_t>(random() % 64) - 32;
    int32_t grid = 1 + static_cast<int32_t>(random() % 12);
    if (!holds(steps, {static_cast<uint64_t>(argument)}, grid)) {
      continue;
    }
    ++held;
    for (int sample = 0; sample < 30; ++sample) {
      Concrete program(steps, argument, grid, random);
      ASSERT_TRUE(!program.run() || program.succeeds()) << "seed " << kSeed << ", round " << round;
    }
  }
  EXPECT_GT(held, 2000);
}

TEST(LaunchConditions, ExtensionsAndTruncations) {
  for (int64_t value = -128; value < 128; ++value) {
    auto with = [&](RangeOp op, unsigned bits, RangeOp check) {
      return holds({{RangeOp::Argument, 8, 0}, {op, uint8_t(bits), 0}, {check, uint8_t(bits), 1}},
                   {static_cast<uint64_t>(value)});
    };
    EXPECT_EQ(with(RangeOp::ExtendSigned, 16, RangeOp::CheckNonNegative), value >= 0);
    EXPECT_TRUE(with(RangeOp::ExtendUnsigned, 16, RangeOp::CheckNonNegative));
    EXPECT_EQ(with(RangeOp::Truncate, 4, RangeOp::CheckNoWrap), value >= -8 && value < 8);
  }
}

} // namespace
