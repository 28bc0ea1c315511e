// Compares minimum cuts with all assignments of a few variables.

#include "MinCut.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>

namespace tilewright::tilegpu {
namespace {

struct Pair {
  int u, v;
  int64_t e[2][2];
};

struct Problem {
  std::vector<std::pair<int64_t, int64_t>> single;
  std::vector<Pair> pairs;

  int64_t cost(const std::vector<bool> &states) const {
    int64_t sum = 0;
    for (size_t i = 0; i < single.size(); ++i) {
      sum += states[i] ? single[i].second : single[i].first;
    }
    for (const Pair &pair : pairs) {
      sum += pair.e[states[pair.u]][states[pair.v]];
    }
    return sum;
  }

  int64_t least() const {
    int64_t best = INT64_MAX;
    for (unsigned bits = 0; bits < 1U << single.size(); ++bits) {
      std::vector<bool> states;
      for (size_t i = 0; i < single.size(); ++i) {
        states.push_back(bits >> i & 1);
      }
      best = std::min(best, cost(states));
    }
    return best;
  }

  std::vector<bool> solve() const {
    MinCut cut(static_cast<int>(single.size()));
    for (size_t i = 0; i < single.size(); ++i) {
      cut.addCost(static_cast<int>(i), single[i].first, single[i].second);
    }
    for (const Pair &pair : pairs) {
      cut.addCost(pair.u, pair.v, pair.e[0][0], pair.e[0][1], pair.e[1][0], pair.e[1][1]);
    }
    return cut.solve();
  }
};

/// Generates submodular costs, as the header requires.
Problem randomProblem(std::mt19937 &random, int variables) {
  auto number = [&](int64_t most) { return std::uniform_int_distribution<int64_t>(0, most)(random); };
  Problem problem;
  for (int i = 0; i < variables; ++i) {
    problem.single.push_back({number(20), number(20)});
  }
  for (int i = 0; i < 2 * variables; ++i) {
    int u = static_cast<int>(number(variables - 1)), v = static_cast<int>(number(variables - 1));
    if (u == v) {
      continue;
    }
    int64_t e00 = number(10), e11 = number(10), e01 = number(20);
    problem.pairs.push_back({u, v, {{e00, e01}, {std::max<int64_t>(0, e00 + e11 - e01) + number(5), e11}}});
  }
  return problem;
}

TEST(MinCut, isTheBestOfAll) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    Problem problem = randomProblem(random, 1 + round % 9);
    EXPECT_EQ(problem.cost(problem.solve()), problem.least()) << "round " << round;
  }
}

TEST(MinCut, staysWhereBothAreAsGood) {
  Problem problem;
  problem.single = {{3, 3}, {0, 0}};
  problem.pairs = {{0, 1, {{0, 5}, {5, 0}}}};
  EXPECT_EQ(problem.solve(), (std::vector<bool>{false, false}));
}

TEST(MinCut, whatRewardsDifferingStillGivesAnAnswer) {
  Problem problem;
  problem.single = {{0, 1}, {0, 1}};
  problem.pairs = {{0, 1, {{9, 0}, {0, 9}}}};
  EXPECT_LE(problem.cost(problem.solve()), 10);
}

} // namespace
} // namespace tilewright::tilegpu
