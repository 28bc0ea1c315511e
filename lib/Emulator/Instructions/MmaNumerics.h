// The arithmetic of tensor cores, bit for bit.
//
// PTX does not specify how mma adds. Measurements of the hardware found that products are exact, and that each group of
// products along K is added to the accumulator like this:
//
//   emax      the largest exponent of the accumulator and the products, where a product's exponent is the sum of its
//             factors' exponents (so that its significand is below 4)
//   terms     each term is truncated toward zero below 2^(emax - fractionBits)
//   sum       the terms are added exactly
//   result    the sum is converted to the accumulator's format: truncated to a float, or rounded to the nearest half,
//             ties to even
//
// M. Fasi, N. Higham, M. Mikaitis, S. Pranesh: Numerical behavior of NVIDIA tensor cores, PeerJ Computer Science 7,
// 2021. X. Li et al.: FTTN: Feature-targeted testing for numerical properties of NVIDIA and AMD matrix accelerators,
// 2024. P. Xie et al.: MMA-Sim: Bit-accurate reference model of tensor cores and matrix cores, 2025.

#ifndef TILEWRIGHT_EMULATOR_INSTRUCTIONS_MMANUMERICS_H
#define TILEWRIGHT_EMULATOR_INSTRUCTIONS_MMANUMERICS_H

#include "Formats.h"
#include "MmaFragments.h"

namespace tilewright::emulator {

/// How an architecture adds the products of a type.
struct SumRules {
  int group;        ///< the number of products that are added at a time
  int fractionBits; ///< the bits of a term that are kept below the largest exponent
  int resultBits;   ///< the fraction bits of a result that is a float
  /// Whether 8-bit floats are converted to halves first. In this case the lower two of each four elements are
  /// multiplied before the upper two, and the accumulator is added to the sum of all by a separate addition, rounded to
  /// nearest.
  bool viaHalves = false;

  /// The position in the order of the sums of an element along K.
  int place(int depth, int k) const { return viaHalves ? depth % 4 / 2 * (k / 2) + depth / 4 * 2 + depth % 2 : depth; }
};

/// The rules of sm_`architecture` for the type of A.
SumRules sumRules(int architecture, const FloatFormat &type);

/// The rules of wgmma for the type of A. 8-bit floats are added with fewer bits than others.
SumRules wgmmaSumRules(const FloatFormat &type);

/// The operand matrices, with the exponents of the elements of A and B.
struct MmaOperands {
  double a[kMostM][kMostK];
  double b[kMostK][kMmaN];
  double c[kMostM][kMmaN];
  int16_t exponentsA[kMostM][kMostK];
  int16_t exponentsB[kMostK][kMmaN];
  bool finite = true; ///< whether there are no infinities or NaN

  void setA(int row, int k, uint32_t bits, const FloatFormat &format);
  void setB(int k, int column, uint32_t bits, const FloatFormat &format);
  void setC(int row, int column, uint32_t bits, const FloatFormat &format);
};

/// Computes c += a * b, where c is of the accumulator's format.
void multiplyAdd(MmaOperands &operands, int m, int k, const SumRules &rules, const FloatFormat &accumulator);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_INSTRUCTIONS_MMANUMERICS_H
