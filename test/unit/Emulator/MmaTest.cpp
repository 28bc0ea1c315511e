// Compares mma.sync with matmuls that are computed by loops. The elements are placed into registers by the formulas of
// the PTX ISA for each shape (9.7.14.5.1 to 9.7.14.5.11). They are small integers, so that every sum is exact.

#include "MmaTypes.h"

#include <random>
#include <string>

namespace tilewright::emulator {
namespace {

/// A row and a column of a matrix.
struct Place {
  int row, column;
};

/// The position of element i of a thread's fragment, from i, groupID and threadID_in_group.
using Formula = Place (*)(int i, int group, int thread);

struct Fragments {
  int m, k;
  int perWord; ///< elements of A and B in a register
  Formula a, b;
};

Place ofC(int i, int group, int thread) { return {i < 2 ? group : group + 8, thread * 2 + (i & 1)}; }

const Fragments kHalvesK8 = {
    16, 8, 2, [](int i, int group, int thread) { return Place{i < 2 ? group : group + 8, thread * 2 + (i & 1)}; },
    [](int i, int group, int thread) { return Place{thread * 2 + i, group}; }};

const Fragments kHalvesK16 = {
    16, 16, 2,
    [](int i, int group, int thread) {
      bool upper = i < 2 || (i >= 4 && i < 6);
      return Place{upper ? group : group + 8, thread * 2 + (i & 1) + (i < 4 ? 0 : 8)};
    },
    [](int i, int group, int thread) { return Place{thread * 2 + (i & 1) + (i < 2 ? 0 : 8), group}; }};

const Fragments kTf32K4 = {16, 4, 1,
                           [](int i, int group, int thread) { return Place{i == 0 ? group : group + 8, thread}; },
                           [](int, int group, int thread) { return Place{thread, group}; }};

const Fragments kTf32K8 = {16, 8, 1,
                           [](int i, int group, int thread) {
                             return Place{i == 0 || i == 2 ? group : group + 8, i < 2 ? thread : thread + 4};
                           },
                           [](int i, int group, int thread) { return Place{i == 0 ? thread : thread + 4, group}; }};

const Fragments kBytesK16 = {
    16, 16, 4, [](int i, int group, int thread) { return Place{i < 4 ? group : group + 8, thread * 4 + (i & 3)}; },
    [](int i, int group, int thread) { return Place{thread * 4 + i, group}; }};

const Fragments kBytesK32 = {
    16, 32, 4,
    [](int i, int group, int thread) {
      bool upper = i < 4 || (i >= 8 && i < 12);
      return Place{upper ? group : group + 8, thread * 4 + (i & 3) + (i < 8 ? 0 : 16)};
    },
    [](int i, int group, int thread) { return Place{thread * 4 + (i & 3) + (i < 4 ? 0 : 16), group}; }};

const Fragments kDoublesM8K4 = {8, 4, 1, [](int, int group, int thread) { return Place{group, thread}; },
                                [](int, int group, int thread) { return Place{thread, group}; }};

const Fragments kDoublesK16 = {16, 16, 1,
                               [](int i, int group, int thread) {
                                 return i % 2 == 0 ? Place{group, i * 2 + thread}
                                                   : Place{group + 8, i * 2 - 2 + thread};
                               },
                               [](int i, int group, int thread) { return Place{thread + i * 4, group}; }};

struct Product {
  const char *name;
  const Fragments &fragments;
  Type a, b, c;
};

class Mma : public testing::TestWithParam<Product> {
protected:
  const Fragments &fragments = GetParam().fragments;
  int a[16][32], b[32][8], c[16][8];

  void SetUp() override {
    std::mt19937 random(11);
    auto draw = [&](Type type) {
      int value = static_cast<int>(random() % 7) - 3;
      return type == Type::S8   ? static_cast<int8_t>(random())
             : type == Type::U8 ? static_cast<uint8_t>(random())
                                : value;
    };
    auto fill = [&](auto &matrix, Type type) {
      for (auto &row : matrix) {
        for (int &element : row) {
          element = draw(type);
        }
      }
    };
    fill(a, GetParam().a);
    fill(b, GetParam().b);
    fill(c, GetParam().c);
  }

  /// Appends a lane's registers of a matrix: `count` elements, `perWord` of them in each register.
  template <int columns>
  static void append(Slots &slots, const int (*matrix)[columns], Type type, Formula formula, int count, int perWord,
                     int lane) {
    for (int i = 0; i < count; ++i) {
      if (i % perWord == 0) {
        slots.push_back(0);
      }
      Place place = formula(i, lane >> 2, lane % 4);
      slots.back() |= bitsOf(type, matrix[place.row][place.column]) << (i % perWord * 32 / perWord);
    }
  }

  int perWordC() const { return GetParam().c == Type::F16 ? 2 : 1; }
  int elementsC() const { return fragments.m * 8 / kLanes; }

  Slots operands(int lane) const {
    Slots slots;
    append(slots, a, GetParam().a, fragments.a, fragments.m * fragments.k / kLanes, fragments.perWord, lane);
    append(slots, b, GetParam().b, fragments.b, 8 * fragments.k / kLanes, fragments.perWord, lane);
    append(slots, c, GetParam().c, ofC, elementsC(), perWordC(), lane);
    return slots;
  }
};

TEST_P(Mma, MultipliesMatrices) {
  size_t words = static_cast<size_t>(elementsC() / perWordC());
  Slots results = executeWarp(GetParam().name, [&](int lane) { return operands(lane); }, words).results;
  for (int row = 0; row < fragments.m; ++row) {
    for (int column = 0; column < 8; ++column) {
      for (int k = 0; k < fragments.k; ++k) {
        c[row][column] += a[row][k] * b[k][column];
      }
    }
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    Slots expected;
    append(expected, c, GetParam().c, ofC, elementsC(), perWordC(), lane);
    EXPECT_EQ(Slots(results.begin() + lane * words, results.begin() + (lane + 1) * words), expected) << "lane " << lane;
  }
}

const Product kProducts[] = {
    {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", kHalvesK8, Type::F16, Type::F16, Type::F16},
    {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", kHalvesK16, Type::F16, Type::F16, Type::F16},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", kHalvesK8, Type::F16, Type::F16, Type::F32},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", kHalvesK16, Type::F16, Type::F16, Type::F32},
    {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", kHalvesK8, Type::BF16, Type::BF16, Type::F32},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", kHalvesK16, Type::BF16, Type::BF16, Type::F32},
    {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", kTf32K4, Type::TF32, Type::TF32, Type::F32},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", kTf32K8, Type::TF32, Type::TF32, Type::F32},

    {"mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32", kBytesK16, Type::E4M3, Type::E4M3, Type::F32},
    {"mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32", kBytesK16, Type::E4M3, Type::E5M2, Type::F32},
    {"mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e4m3.f32", kBytesK16, Type::E5M2, Type::E4M3, Type::F32},
    {"mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e5m2.f32", kBytesK16, Type::E5M2, Type::E5M2, Type::F32},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", kBytesK32, Type::E4M3, Type::E4M3, Type::F32},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", kBytesK32, Type::E4M3, Type::E5M2, Type::F32},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32", kBytesK32, Type::E5M2, Type::E4M3, Type::F32},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32", kBytesK32, Type::E5M2, Type::E5M2, Type::F32},
    {"mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16", kBytesK32, Type::E4M3, Type::E4M3, Type::F16},
    {"mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16", kBytesK32, Type::E4M3, Type::E5M2, Type::F16},
    {"mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e4m3.f16", kBytesK32, Type::E5M2, Type::E4M3, Type::F16},
    {"mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e5m2.f16", kBytesK32, Type::E5M2, Type::E5M2, Type::F16},

    {"mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", kBytesK16, Type::S8, Type::S8, Type::S32},
    {"mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32", kBytesK16, Type::S8, Type::U8, Type::S32},
    {"mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32", kBytesK16, Type::U8, Type::S8, Type::S32},
    {"mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32", kBytesK16, Type::U8, Type::U8, Type::S32},
    {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", kBytesK32, Type::S8, Type::S8, Type::S32},
    {"mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", kBytesK32, Type::S8, Type::U8, Type::S32},
    {"mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32", kBytesK32, Type::U8, Type::S8, Type::S32},
    {"mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32", kBytesK32, Type::U8, Type::U8, Type::S32},

    {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", kDoublesM8K4, Type::F64, Type::F64, Type::F64},
    {"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", kTf32K4, Type::F64, Type::F64, Type::F64},
    {"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", kTf32K8, Type::F64, Type::F64, Type::F64},
    {"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", kDoublesK16, Type::F64, Type::F64, Type::F64},
};

INSTANTIATE_TEST_SUITE_P(AllShapes, Mma, testing::ValuesIn(kProducts));

TEST(MmaTable, HasATestOfEveryProduct) {
  for (const Instruction *row : instructions()) {
    if (std::string_view(row->name).substr(0, 9) == "mma.sync.") {
      EXPECT_TRUE(std::any_of(std::begin(kProducts), std::end(kProducts), [&](const Product &product) {
        return row->name == std::string_view(product.name);
      })) << row->name;
    }
  }
}

} // namespace
} // namespace tilewright::emulator
