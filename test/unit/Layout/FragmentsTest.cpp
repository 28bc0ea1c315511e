// Fragments of AMD's matrix instructions from their documented formulas, which show that the pattern is general. Those
// of NVIDIA's are in test/unit/Hardware/NvidiaMmaTest.cpp.

#include "tilewright/Layout/Fragments.h"

#include "gtest/gtest.h"

#include <functional>

namespace tilewright::layout {
namespace {

using Point = LinearLayout::Point;

void expectFragment(const FragmentPattern &pattern, const Shape &shape, int64_t lanes,
                    const std::function<Point(int64_t lane, int64_t element)> &documented) {
  LinearLayout map = fragment(pattern, shape);
  ASSERT_EQ(map.inSize(kLane), lanes);
  ASSERT_EQ(map.inSize(kRegister), shape[0] * shape[1] / lanes);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    for (int64_t element = 0; element < map.inSize(kRegister); ++element) {
      ASSERT_EQ(map({element, lane, 0, 0}), documented(lane, element)) << lane << ":" << element;
    }
  }
}

TEST(Fragments, mfmaOf32x32x8) {
  expectFragment({1, 4, {{0, 32}, {1, 2}}}, {32, 8}, 64,
                 [](auto l, auto v) { return Point{l % 32, 4 * (l / 32) + v}; });
  expectFragment({0, 4, {{1, 32}, {0, 2}}}, {8, 32}, 64,
                 [](auto l, auto v) { return Point{4 * (l / 32) + v, l % 32}; });
  expectFragment({0, 4, {{1, 32}, {0, 2}}}, {32, 32}, 64,
                 [](auto l, auto v) { return Point{8 * (v / 4) + 4 * (l / 32) + v % 4, l % 32}; });
}

TEST(Fragments, mfmaOf16x16x16) {
  expectFragment({1, 4, {{0, 16}, {1, 4}}}, {16, 16}, 64,
                 [](auto l, auto v) { return Point{l % 16, 4 * (l / 16) + v}; });
  expectFragment({0, 4, {{1, 16}, {0, 4}}}, {16, 16}, 64,
                 [](auto l, auto v) { return Point{4 * (l / 16) + v, l % 16}; });
}

TEST(Fragments, mfmaOfDoublesHasAccumulatorsApart) {
  expectFragment({0, 1, {{1, 16}, {0, 4}}}, {16, 16}, 64, [](auto l, auto v) { return Point{4 * v + l / 16, l % 16}; });
}

TEST(Fragments, wmmaOf32Lanes) {
  expectFragment({0, 8, {{1, 16}, {0, 2}}}, {16, 16}, 32,
                 [](auto l, auto v) { return Point{8 * (l / 16) + v, l % 16}; });
  expectFragment({1, 8, {{0, 16}, {1, 2}}}, {16, 32}, 32,
                 [](auto l, auto v) { return Point{l % 16, 16 * (v / 8) + 8 * (l / 16) + v % 8}; });
}

} // namespace
} // namespace tilewright::layout
