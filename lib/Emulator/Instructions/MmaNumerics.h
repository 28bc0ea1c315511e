// How tensor cores add: what the products of floating point matrices are, bit for bit.
//
// PTX leaves it open. Measurements of the hardware found that products are exact, and that each group of products along
// K is added to the accumulator like this:
//
//   emax      the largest exponent among the accumulator's and the products', where a product's exponent is the sum of
//             its factors' (so that its significand is below 4)
//   terms     each term is cut off, toward zero, below 2^(emax - fractionBits)
//   sum       of the terms, exact
//   result    the sum in the accumulator's format: a float is cut off, a half is rounded to nearest even
//
// M. Fasi, N. Higham, M. Mikaitis, S. Pranesh: Numerical behavior of NVIDIA tensor cores, PeerJ Computer Science 7,
// 2021. X. Li et al.: FTTN: Feature-targeted testing for numerical properties of NVIDIA and AMD matrix accelerators,
// 2024. P. Xie et al.: MMA-Sim: Bit-accurate reference model of tensor cores and matrix cores, 2025.

#ifndef TILEWRIGHT_EMULATOR_INSTRUCTIONS_MMANUMERICS_H
#define TILEWRIGHT_EMULATOR_INSTRUCTIONS_MMANUMERICS_H

#include "Formats.h"
#include "MmaFragments.h"

namespace tilewright::emulator {

/// How an architecture adds products of a type.
struct SumRules {
  int group;        ///< products that are added at a time
  int fractionBits; ///< of a term, below the largest exponent
  int resultBits;   ///< of the fraction of a float as the result
  /// Whether bytes are converted to halves first. Of each word of four bytes the lower two are multiplied before the
  /// upper ones then, and the accumulator is added to the sum of all by an addition of its own, rounded to nearest.
  bool viaHalves = false;

  /// Where an element along K comes in the order of the sums.
  int place(int depth, int k) const { return viaHalves ? depth % 4 / 2 * (k / 2) + depth / 4 * 2 + depth % 2 : depth; }
};

/// The rules of sm_`architecture`, by the type of A.
SumRules sumRules(int architecture, const FloatFormat &type);

/// Matrices of floating point numbers, with the exponents that products have.
struct MmaOperands {
  double a[kMostM][kMostK];
  double b[kMostK][kMmaN];
  double c[kMostM][kMmaN];
  int16_t exponentsA[kMostM][kMostK];
  int16_t exponentsB[kMostK][kMmaN];
  bool finite = true; ///< whether there is neither infinity nor NaN

  void setA(int row, int k, uint32_t bits, const FloatFormat &format);
  void setB(int k, int column, uint32_t bits, const FloatFormat &format);
  void setC(int row, int column, uint32_t bits, const FloatFormat &format);
};

/// c += a * b, where c has numbers of the format.
void multiplyAdd(MmaOperands &operands, int m, int k, const SumRules &rules, const FloatFormat &accumulator);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_INSTRUCTIONS_MMANUMERICS_H
