// Computes the sums of tensor cores in doubles. Doubles represent integers below 2^53 exactly, and so the bits of the
// terms above the position at which they are truncated.

#include "MmaNumerics.h"

#include "Slots.h"

#include <algorithm>
#include <cmath>

namespace tilewright::emulator {

SumRules sumRules(int architecture, const FloatFormat &type) {
  bool tf32 = type.unused > 0;
  if (type.bits() > 8) {
    return architecture < 90 ? SumRules{tf32 ? 4 : 8, 24, 23} : SumRules{tf32 ? 8 : 16, 25, 23};
  }
  if (architecture < 90) {
    return {16, 13, 13};
  }
  // Hopper's mma.sync converts bytes to halves; only its wgmma multiplies them.
  return architecture < 100 ? SumRules{16, 25, 23, /*viaHalves=*/true} : SumRules{32, 25, 23};
}

SumRules wgmmaSumRules(const FloatFormat &type) { return type.bits() > 8 ? sumRules(90, type) : SumRules{32, 13, 13}; }

/// The exponent of zero: below that of every product and sum, but still valid for a double.
constexpr int16_t kZeroExponent = -400;

/// A subnormal number has the exponent of the smallest normal one.
static int16_t exponentOf(double value, const FloatFormat &format) {
  int field = static_cast<int>(bitCast<uint64_t>(value) >> 52 & 0x7ff);
  return value == 0 ? kZeroExponent : static_cast<int16_t>(std::max(field - 1023, format.smallestExponent()));
}

void MmaOperands::setA(int row, int k, uint32_t bits, const FloatFormat &format) {
  double value = decode(bits, format);
  finite &= std::isfinite(value);
  a[row][k] = value;
  exponentsA[row][k] = exponentOf(value, format);
}

void MmaOperands::setB(int k, int column, uint32_t bits, const FloatFormat &format) {
  double value = decode(bits, format);
  finite &= std::isfinite(value);
  b[k][column] = value;
  exponentsB[k][column] = exponentOf(value, format);
}

void MmaOperands::setC(int row, int column, uint32_t bits, const FloatFormat &format) {
  c[row][column] = decode(bits, format);
  finite &= std::isfinite(c[row][column]);
}

/// 2^exponent, which must be a normal number.
static double power(int exponent) { return bitCast<double>(static_cast<uint64_t>(1023 + exponent) << 52); }

/// Drops the fraction of a number, which must fit into 32 bits.
static double truncate(double value) { return static_cast<int32_t>(value); }

/// Rounds or truncates a sum to the accumulator's format.
static double roundSum(double sum, const FloatFormat &accumulator, int resultBits) {
  if (accumulator.fractionBits == kF16.fractionBits) {
    return decode(encode(sum, kF16, Rounding::NearestEven), kF16);
  }
  double magnitude = std::fabs(sum);
  if (magnitude >= 0x1p128) {
    return std::copysign(HUGE_VAL, sum);
  }
  if (magnitude < 0x1p-126) {
    sum = decode(encode(sum, kF32, Rounding::TowardZero), kF32);
  }
  return bitCast<double>(bitCast<uint64_t>(sum) >> (52 - resultBits) << (52 - resultBits));
}

/// Adds one group of a row's products to a row of C. The inner loops go over the columns, so that they are vectorized.
struct GroupSum {
  const MmaOperands &operands;
  const SumRules &rules;
  const FloatFormat &accumulator;

  void add(int row, int begin, int end, double *c) const {
    int16_t top[kMmaN];
    double scale[kMmaN], sum[kMmaN];
    findTop(row, begin, end, c, top);
    for (int n = 0; n < kMmaN; ++n) {
      scale[n] = power(rules.fractionBits - top[n]);
      sum[n] = std::isfinite(c[n]) ? truncate(c[n] * scale[n]) : 0;
    }
    for (int k = begin; k < end; ++k) {
      for (int n = 0; n < kMmaN; ++n) {
        sum[n] += truncate(operands.a[row][k] * operands.b[k][n] * scale[n]);
      }
    }
    for (int n = 0; n < kMmaN; ++n) {
      if (std::isfinite(c[n])) {
        c[n] = roundSum(sum[n] * power(top[n] - rules.fractionBits), accumulator, rules.resultBits);
      }
    }
  }

  /// The largest exponent of each column's terms.
  void findTop(int row, int begin, int end, const double *c, int16_t *top) const {
    for (int n = 0; n < kMmaN; ++n) {
      top[n] = std::isfinite(c[n]) ? exponentOf(c[n], accumulator) : kZeroExponent;
    }
    for (int k = begin; k < end; ++k) {
      for (int n = 0; n < kMmaN; ++n) {
        int16_t exponent = static_cast<int16_t>(operands.exponentsA[row][k] + operands.exponentsB[k][n]);
        top[n] = std::max(top[n], exponent);
      }
    }
  }
};

static void multiplyAddFinite(MmaOperands &operands, int m, int k, const SumRules &rules,
                              const FloatFormat &accumulator) {
  GroupSum group = {operands, rules, accumulator};
  for (int row = 0; row < m; ++row) {
    double added[kMmaN] = {};
    if (rules.viaHalves) {
      std::swap(added, operands.c[row]);
    }
    for (int begin = 0; begin < k; begin += rules.group) {
      group.add(row, begin, std::min(begin + rules.group, k), operands.c[row]);
    }
    for (int n = 0; rules.viaHalves && n < kMmaN; ++n) {
      operands.c[row][n] = static_cast<float>(operands.c[row][n] + added[n]);
    }
  }
}

/// Replaces infinities and NaN by zeros.
template <int rows, int columns> static void clearSpecials(double (&matrix)[rows][columns], int m, int n) {
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      matrix[row][column] = std::isfinite(matrix[row][column]) ? matrix[row][column] : 0;
    }
  }
}

void multiplyAdd(MmaOperands &operands, int m, int k, const SumRules &rules, const FloatFormat &accumulator) {
  if (operands.finite) {
    multiplyAddFinite(operands, m, k, rules, accumulator);
    return;
  }
  // In double precision sums of finite products are finite. Any other result comes from infinities and NaN in the
  // operands, and follows IEEE 754.
  double specials[kMostM][kMmaN];
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < kMmaN; ++column) {
      double sum = operands.c[row][column];
      for (int depth = 0; depth < k; ++depth) {
        sum += operands.a[row][depth] * operands.b[depth][column];
      }
      specials[row][column] = sum;
    }
  }
  clearSpecials(operands.a, m, k);
  clearSpecials(operands.b, k, kMmaN);
  clearSpecials(operands.c, m, kMmaN);
  multiplyAddFinite(operands, m, k, rules, accumulator);
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < kMmaN; ++column) {
      if (!std::isfinite(specials[row][column])) {
        operands.c[row][column] = specials[row][column];
      }
    }
  }
}

} // namespace tilewright::emulator
