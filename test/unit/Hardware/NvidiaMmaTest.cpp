// Every row against the fragments of the PTX ISA ("Matrix Fragments for mma...", "Register Fragments for wgmma..."), in
// the form of the formulas given there: with g = lane / 4 and t = lane % 4, the row and column of a thread's i-th
// element.

#include "tilewright/Hardware/NvidiaInstructions.h"

#include "gtest/gtest.h"

#include <functional>
#include <map>

namespace tilewright::hardware {
namespace {

using layout::kLane;
using layout::kRegister;
using layout::kWarp;
using layout::LinearLayout;
using layout::Operand;
using Point = LinearLayout::Point;

/// (g, t, i) -> (row, column), and the number of elements per thread.
struct Fragment {
  int64_t elements;
  std::function<Point(int64_t g, int64_t t, int64_t i)> at;
};

/// By bit width of the elements, m and k.
using Key = std::tuple<int, int64_t, int64_t>;

const std::map<Key, Fragment> &fragmentsOfA() {
  static const std::map<Key, Fragment> table = {
      {{16, 16, 8}, {4, [](auto g, auto t, auto i) { return Point{i < 2 ? g : g + 8, t * 2 + (i & 1)}; }}},
      {{16, 16, 16},
       {8, [](auto g, auto t,
              auto i) { return Point{i < 2 || (4 <= i && i < 6) ? g : g + 8, t * 2 + (i & 1) + (i < 4 ? 0 : 8)}; }}},
      {{32, 16, 4}, {2, [](auto g, auto t, auto i) { return Point{i == 0 ? g : g + 8, t}; }}},
      {{32, 16, 8}, {4, [](auto g, auto t, auto i) { return Point{i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4}; }}},
      {{64, 8, 4}, {1, [](auto g, auto t, auto) { return Point{g, t}; }}},
      {{64, 16, 4}, {2, [](auto g, auto t, auto i) { return Point{i == 0 ? g : g + 8, t}; }}},
      {{64, 16, 8}, {4, [](auto g, auto t, auto i) { return Point{i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4}; }}},
      {{64, 16, 16},
       {8, [](auto g, auto t, auto i) { return Point{i % 2 == 0 ? g : g + 8, (i % 2 == 0 ? i * 2 : i * 2 - 2) + t}; }}},
      {{8, 16, 16}, {8, [](auto g, auto t, auto i) { return Point{i < 4 ? g : g + 8, t * 4 + (i & 3)}; }}},
      {{8, 16, 32},
       {16, [](auto g, auto t,
               auto i) { return Point{i < 4 || (8 <= i && i < 12) ? g : g + 8, t * 4 + (i & 3) + (i < 8 ? 0 : 16)}; }}},
  };
  return table;
}

const std::map<Key, Fragment> &fragmentsOfB() {
  static const std::map<Key, Fragment> table = {
      {{16, 16, 8}, {2, [](auto g, auto t, auto i) { return Point{t * 2 + i, g}; }}},
      {{16, 16, 16}, {4, [](auto g, auto t, auto i) { return Point{t * 2 + (i & 1) + (i < 2 ? 0 : 8), g}; }}},
      {{32, 16, 4}, {1, [](auto g, auto t, auto) { return Point{t, g}; }}},
      {{32, 16, 8}, {2, [](auto g, auto t, auto i) { return Point{i == 0 ? t : t + 4, g}; }}},
      {{64, 8, 4}, {1, [](auto g, auto t, auto) { return Point{t, g}; }}},
      {{64, 16, 4}, {1, [](auto g, auto t, auto) { return Point{t, g}; }}},
      {{64, 16, 8}, {2, [](auto g, auto t, auto i) { return Point{t + i * 4, g}; }}},
      {{64, 16, 16}, {4, [](auto g, auto t, auto i) { return Point{t + i * 4, g}; }}},
      {{8, 16, 16}, {4, [](auto g, auto t, auto i) { return Point{t * 4 + i, g}; }}},
      {{8, 16, 32}, {8, [](auto g, auto t, auto i) { return Point{t * 4 + (i & 3) + (i < 4 ? 0 : 16), g}; }}},
  };
  return table;
}

Fragment fragmentOfC(int64_t m) {
  return {m / 4, [](auto g, auto t, auto i) { return Point{i < 2 ? g : g + 8, t * 2 + (i & 1)}; }};
}

void expectFragment(const LinearLayout &layout, const Fragment &fragment, int64_t rows, int64_t columns) {
  ASSERT_EQ(layout::shapeOf(layout), (layout::Shape{rows, columns}));
  ASSERT_EQ(layout.inSize(kRegister), fragment.elements);
  ASSERT_EQ(layout.inSize(kLane), 32);
  for (int64_t warp = 0; warp < layout.inSize(kWarp); ++warp) {
    for (int64_t lane = 0; lane < 32; ++lane) {
      for (int64_t i = 0; i < fragment.elements; ++i) {
        Point point = fragment.at(lane / 4, lane % 4, i);
        point[0] += 16 * warp;
        ASSERT_EQ(layout({i, lane, warp, 0}), point);
      }
    }
  }
}

TEST(NvidiaMma, everyRowAgainstTheDocumentation) {
  for (const auto &mma : mmaInstructions()) {
    auto [m, n, k] = mma.shape;
    SCOPED_TRACE(std::string(nameOf(mma.a().element)) + " m" + std::to_string(m) + " k" + std::to_string(k));
    ASSERT_EQ(bitsOf(mma.a().element), bitsOf(mma.b().element));
    Key key = {bitsOf(mma.a().element), m, k};
    ASSERT_EQ(fragmentsOfA().count(key), 1U) << "not in the documentation";
    expectFragment(mma.a().fragment, fragmentsOfA().at(key), m, k);
    expectFragment(mma.b().fragment, fragmentsOfB().at(key), k, n);
    expectFragment(mma.c().fragment, fragmentOfC(m), m, n);
  }
}

TEST(NvidiaMma, everyRowIsFoundByItsName) {
  for (const auto &mma : mmaInstructions()) {
    EXPECT_EQ(lookupMma(mma.name), &mma) << "another row is called " << mma.name;
  }
  ASSERT_NE(lookupMma("m16n8k16.f16.f16.f32"), nullptr);
  EXPECT_EQ(lookupMma("m16n8k16.f16.f16.f32")->c().element, ElementType::F32);
  EXPECT_EQ(lookupMma("m16n8k16.f16.f32.f32"), nullptr);
}

TEST(NvidiaMma, operandsFillRegisters) {
  for (const auto &mma : mmaInstructions()) {
    EXPECT_EQ(mma.a().fragment.inSize(kRegister) * bitsOf(mma.a().element) % 32, 0);
    EXPECT_EQ(mma.b().fragment.inSize(kRegister) * bitsOf(mma.b().element) % 32, 0);
    EXPECT_EQ(mma.c().fragment.inSize(kRegister) * bitsOf(mma.c().element) % 32, 0);
  }
}

/// The number of multiplications of a target's largest instruction; 0 if there is none.
int64_t fastest(std::string_view target, ElementType a, ElementType accumulator) {
  int64_t most = 0;
  for (const auto &mma : mmaInstructions()) {
    if ((mma.targets & lookupNvidia(target)->target) && mma.a().element == a && mma.c().element == accumulator) {
      most = std::max(most, mma.shape.m * mma.shape.n * mma.shape.k);
    }
  }
  return most;
}

TEST(NvidiaMma, whichTargetsHaveWhat) {
  for (const NvidiaInfo &info : nvidiaTargets()) {
    bool isAmpere = info.name == "sm_80" || info.name == "sm_86";
    bool hasLargeDoubles = !isAmpere && info.name != "sm_89";
    EXPECT_EQ(fastest(info.name, ElementType::F16, ElementType::F32), 16 * 8 * 16);
    EXPECT_EQ(fastest(info.name, ElementType::BF16, ElementType::F32), 16 * 8 * 16);
    EXPECT_EQ(fastest(info.name, ElementType::TF32, ElementType::F32), 16 * 8 * 8);
    EXPECT_EQ(fastest(info.name, ElementType::S8, ElementType::S32), 16 * 8 * 32);
    EXPECT_EQ(fastest(info.name, ElementType::E4M3, ElementType::F32), isAmpere ? 0 : 16 * 8 * 32);
    EXPECT_EQ(fastest(info.name, ElementType::F64, ElementType::F64), hasLargeDoubles ? 16 * 8 * 16 : 8 * 8 * 4);
  }
}

TEST(NvidiaWgmma, everyRowAgainstTheDocumentation) {
  for (const WgmmaInstruction &wgmma : wgmmaInstructions()) {
    EXPECT_EQ(wgmma.k * bitsOf(wgmma.a), 256);
    Fragment a = fragmentsOfA().at({bitsOf(wgmma.a), 16, wgmma.k});
    expectFragment(wgmma.operand(Operand::A, 8), a, 64, wgmma.k);
    for (int64_t n = 8; n <= 256; n *= 2) {
      Fragment accumulators = {
          n / 2, [](auto g, auto t, auto i) { return Point{i % 4 < 2 ? g : g + 8, i / 4 * 8 + t * 2 + (i & 1)}; }};
      expectFragment(wgmma.operand(Operand::C, n), accumulators, 64, n);
    }
  }
}

TEST(NvidiaWgmma, widthsOnHopperOnly) {
  for (const WgmmaInstruction &wgmma : wgmmaInstructions()) {
    EXPECT_EQ(wgmma.targets, lookupNvidia("90a")->target);
    bool isInteger = wgmma.accumulator == ElementType::S32;
    for (int64_t n : {8, 16, 24, 32, 48, 64, 96, 256}) {
      EXPECT_TRUE(wgmma.takes(n));
    }
    EXPECT_EQ(wgmma.takes(40), !isInteger);
    EXPECT_EQ(wgmma.takes(248), !isInteger);
    EXPECT_FALSE(wgmma.takes(0) || wgmma.takes(4) || wgmma.takes(264));
  }
}

} // namespace
} // namespace tilewright::hardware
