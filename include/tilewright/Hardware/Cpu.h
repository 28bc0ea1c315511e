// Tables of host processors for code generation.

#ifndef TILEWRIGHT_HARDWARE_CPU_H
#define TILEWRIGHT_HARDWARE_CPU_H

#include <cstdint>
#include <string_view>

namespace tilewright::hardware {

/// One row per generation of vector instructions.
struct CpuInfo {
  std::string_view name;
  std::string_view requiredFeature; ///< LLVM's name of the feature; empty for the baseline
  int64_t vectorBits;
  int64_t vectorRegisters;
  bool hasMasks;      ///< predicated vector memory access; without it, accesses branch on whether a mask is all true
  bool hasFma;        ///< fused multiply-adds
  bool hasByteDots;   ///< vpdpbusd of whole registers: sums of four products of bytes
  bool hasBfloatDots; ///< vdpbf16ps of whole registers: sums of two products of bfloat16
  bool exchangesWide; ///< cmpxchg16b, and loads of 16 aligned bytes at once, which AVX guarantees

  // Accumulators of the matrix micro-kernel: rows x vectors per row. They must fit into registers together with the
  // operands of one step.
  int64_t dotRows;
  int64_t dotVectors;

  /// The number of elements of `elementBits` bits in one register.
  int64_t lanes(int64_t elementBits) const { return vectorBits / elementBits; }
};

/// The best row whose feature is enabled in `features`, a list such as "+avx2,+fma".
const CpuInfo &lookupCpu(std::string_view features);

} // namespace tilewright::hardware

#endif // TILEWRIGHT_HARDWARE_CPU_H
