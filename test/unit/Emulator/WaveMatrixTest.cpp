// The matrix instructions of AMD's GPUs: each row of the compiler's table multiplies small integers, whose sums are
// exact.

#include "Waves.h"

#include "Instructions/Formats.h"
#include "tilewright/Emulator/Instruction.h"
#include "tilewright/Hardware/AmdInstructions.h"
#include "tilewright/Runtime/Host/HalfConversion.h"

#include <map>
#include <random>
#include <string>

namespace tilewright::emulator {
namespace {

using hardware::AmdMma;
using hardware::AmdMmaForm;
using hardware::ElementType;
using hardware::MmaOperand;
using Matrix = std::map<std::pair<int64_t, int64_t>, int>;

uint64_t encoded(int value, ElementType type) {
  switch (type) {
  case ElementType::F16:
    return runtime::toHalf(double(value));
  case ElementType::BF16:
    return slotOf(float(value)) >> 16;
  case ElementType::F32:
    return slotOf(float(value));
  case ElementType::F64:
    return slotOf(double(value));
  case ElementType::S8:
    return static_cast<uint8_t>(value);
  case ElementType::E4M3:
    return encode(value, kE4M3, Rounding::NearestEven);
  case ElementType::E5M2:
    return encode(value, kE5M2, Rounding::NearestEven);
  case ElementType::E4M3FNUZ:
    return encode(value, kE4M3Fnuz, Rounding::NearestEven);
  case ElementType::E5M2FNUZ:
    return encode(value, kE5M2Fnuz, Rounding::NearestEven);
  default:
    return static_cast<uint32_t>(value);
  }
}

/// ".v8f32.v16f16": the part of the intrinsic's name that tells architectures apart.
std::string typesOf(const AmdMma &row) {
  std::string text;
  for (const MmaOperand *operand : {&row.c(), &row.a()}) {
    std::string name(hardware::nameOf(operand->value.type));
    name = name[0] == 's' ? "i" + name.substr(1) : name;
    text += ".v" + std::to_string(operand->value.count) + name;
  }
  return text;
}

const Instruction *rowOf(const AmdMma &row) {
  if (row.name.find("fnuz") != std::string::npos) {
    return findIntrinsic(row.intrinsic + ".fnuz");
  }
  const Instruction *plain = findIntrinsic(row.intrinsic);
  return plain ? plain : findIntrinsic(row.intrinsic + typesOf(row));
}

Matrix randomMatrix(std::mt19937 &random, const MmaOperand &operand) {
  Matrix matrix;
  for (int64_t i = 0; i < operand.fragment.outSize("dim0"); ++i) {
    for (int64_t j = 0; j < operand.fragment.outSize("dim1"); ++j) {
      matrix[{i, j}] = static_cast<int>(random() % 5) - 2;
    }
  }
  return matrix;
}

/// Row and column of an element; a fragment of one element has no registers.
layout::LinearLayout::Point placeOf(const layout::LinearLayout &fragment, int64_t index, int64_t lane) {
  layout::LinearLayout::Point in;
  for (const layout::Dim &dim : fragment.ins()) {
    in.push_back(dim.name == layout::kRegister ? index : dim.name == layout::kLane ? lane : 0);
  }
  auto out = fragment(in);
  return fragment.outs()[0].name == "dim0" ? out : layout::LinearLayout::Point{out[1], out[0]};
}

/// What a lane passes for the operand.
Slots partOf(const Matrix &matrix, const MmaOperand &operand, int lane) {
  int64_t elements = operand.fragment.inSize("register"), bits = hardware::bitsOf(operand.element);
  Slots slots(std::max<int64_t>(1, elements * bits / 64), 0);
  for (int64_t i = 0; i < elements; ++i) {
    auto at = placeOf(operand.fragment, i, lane);
    slots[i * bits / 64] |= encoded(matrix.at({at[0], at[1]}), operand.element) << (i * bits % 64);
  }
  return slots;
}

Slots operandsOf(const AmdMma &row, const Matrix &a, const Matrix &b, const Matrix &c, int lane) {
  Slots slots;
  auto append = [&](const Slots &more) { slots.insert(slots.end(), more.begin(), more.end()); };
  bool hasModifiers = row.form == AmdMmaForm::WmmaInteger || row.form == AmdMmaForm::WmmaModified;
  append(hasModifiers ? Slots{1} : Slots{});
  Slots partOfA = partOf(a, row.a(), lane), partOfB = partOf(b, row.b(), lane);
  append(row.swapsOperands ? partOfB : partOfA);
  append(hasModifiers ? Slots{1} : Slots{});
  append(row.swapsOperands ? partOfA : partOfB);
  append(row.form == AmdMmaForm::WmmaModified ? Slots{0} : Slots{});
  append(partOf(c, row.c(), lane));
  append({0, 0, 0});
  return slots;
}

TEST(WaveMatrix, MultipliesByEachRowOfTheTable) {
  std::mt19937 random(3);
  for (const auto &row : hardware::amdMmaInstructions()) {
    const Instruction *instruction = rowOf(row);
    ASSERT_TRUE(instruction) << row.intrinsic << typesOf(row);
    Matrix a = randomMatrix(random, row.a()), b = randomMatrix(random, row.b()), c = randomMatrix(random, row.c());
    auto lanes = static_cast<int>(row.c().fragment.inSize("lane"));
    size_t slots = partOf(c, row.c(), 0).size();
    Slots results =
        executeWave(instruction->name, lanes, [&](int lane) { return operandsOf(row, a, b, c, lane); }, slots).results;
    Matrix wanted = c;
    for (auto &[at, sum] : wanted) {
      for (int64_t k = 0; k < row.shape.k; ++k) {
        sum += a.at({at.first, k}) * b.at({k, at.second});
      }
    }
    for (int lane = 0; lane < lanes; ++lane) {
      Slots found(results.begin() + lane * slots, results.begin() + (lane + 1) * slots);
      EXPECT_EQ(found, partOf(wanted, row.c(), lane)) << row.name << ", lane " << lane;
    }
  }
}

/// On RDNA 3 the upper lanes have to hold what the lower ones do. If they do not, their results are wrong.
TEST(WaveMatrix, DifferentReplicasShow) {
  constexpr int kSlots = 2 + 2 + 4;
  auto sums = [&](uint64_t upper) {
    auto operands = [&](int lane) {
      Slots slots = {1, lane < 16 ? 0x01U : upper, 0, 1, 0x01, 0};
      slots.resize(slots.size() + kSlots, 0);
      return slots;
    };
    return executeWave("v_wmma_i32_16x16x16_iu8.gfx11", 32, operands, 4).results;
  };
  Slots same = sums(0x01), other = sums(0x03);
  EXPECT_EQ(same[0], other[0]);
  EXPECT_EQ(same[0] & 0xffffffff, 1U);
  EXPECT_EQ(same[16 * 4] & 0xffffffff, 1U);
  EXPECT_EQ(other[16 * 4] & 0xffffffff, 3U);
}

TEST(WaveMatrix, IntegersWrap) {
  auto result = executeWave(
                    "v_mfma_i32_16x16x16_i8", 64,
                    [](int) { return Slots{0x01010101, 0x01010101, 0x7fffffff7fffffff, 0x7fffffff, 0, 0, 0}; }, 2)
                    .results;
  EXPECT_EQ(result[0], 0x8000000f8000000fU);
}

TEST(WaveMatrix, SumsAreRoundedOnce) {
  // 1 and 16 products of 2^-24, each of which alone would be lost.
  uint64_t small = 0x0c00; // 2^-12
  uint64_t four = small << 48 | small << 32 | small << 16 | small, one = slotOf(1.0f) << 32 | slotOf(1.0f);
  auto result =
      executeWave("v_mfma_f32_16x16x16_f16", 64, [&](int) { return Slots{four, four, one, one, 0, 0, 0}; }, 2).results;
  EXPECT_EQ(floatOf(result[0]), 1 + 16 * 0x1p-24f);
}

} // namespace
} // namespace tilewright::emulator
