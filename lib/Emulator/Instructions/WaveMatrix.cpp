// Matrix instructions of AMD's GPUs: MFMA of CDNA and WMMA of RDNA.
//
// Which lane holds which elements is documented (AMD matrix instruction calculator; ISA guides of CDNA 3 and 4, RDNA 3
// and 4). With `side` rows of A (columns of B) and the lanes in `groups` of `side`, lane l holds of row l % side
//
//     k = g P + e          for its element e, where P = K / groups and g = l / side     (MFMA, WMMA of RDNA 4)
//     k = e                in the lower and upper lanes alike                           (WMMA of RDNA 3)
//     k = 8 g + e % 8 + 16 (e / 8)                                                      (WMMA of gfx1250)
//
// and of column l % N of C and D, with G = lanes / N and g = l / N, in its element r
//
//     row = (r / Q) Q G + g Q + r % Q       Q = 4: MFMA; 1: MFMA of doubles, WMMA of RDNA 3; 8: WMMA of RDNA 4 and
//     later
//
// Which of the lanes that have to hold the same elements an instruction reads is not documented. Here the results of
// the upper lanes are those of what the upper lanes hold, so that a difference shows.
//
// How sums are rounded is not documented. Here products and sums of floats of up to 32 bits are those of double
// precision, rounded once, and sums of doubles are fused multiply-adds in the order of K. gfx90a's flushes of denormal
// halves are left out.

#include "Families.h"
#include "Formats.h"
#include "Slots.h"

#include "tilewright/Emulator/Block.h"
#include "tilewright/Runtime/Host/HalfConversion.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilewright::emulator {
namespace {

enum class Element { F16, BF16, F32, F64, I8, I32, E4M3, E5M2, E4M3Fnuz, E5M2Fnuz };

constexpr int bitsOf(Element element) {
  switch (element) {
  case Element::I8:
  case Element::E4M3:
  case Element::E5M2:
  case Element::E4M3Fnuz:
  case Element::E5M2Fnuz:
    return 8;
  case Element::F16:
  case Element::BF16:
    return 16;
  case Element::F32:
  case Element::I32:
    return 32;
  case Element::F64:
    return 64;
  }
  return 0;
}

/// What distinguishes the fragments.
struct Fragments {
  int lanes;
  int rowsC;      ///< Q
  bool repeats;   ///< whether the upper lanes hold the elements of the lower ones
  int mostAlongK; ///< elements along K next to each other
};
constexpr Fragments kMfma = {64, 4, false, 64}, kMfmaOfDoubles = {64, 1, false, 64}, kWmma11 = {32, 1, true, 64},
                    kWmma12 = {32, 8, false, 64}, kWmma1250 = {32, 8, false, 8};

/// The slots before A, between A and B, and between B and C.
struct Form {
  int beforeA, beforeB, beforeC;
};
constexpr Form kPlain = {0, 0, 0}, kInteger = {1, 1, 0}, kModified = {1, 1, 1};

struct Matrix {
  const char *name, *intrinsic;
  int m, n, k;
  Element a, b, c;
  Fragments fragments;
  Form form = kPlain;

  /// The elements of A (B) that a lane holds, if it has `side` rows (columns).
  constexpr int held(int side) const { return fragments.repeats ? k : k * side / fragments.lanes; }
  constexpr int slotsOfA() const { return slotsFor(held(m), a); }
  constexpr int slotsOfB() const { return slotsFor(held(n), b); }

private:
  static constexpr int slotsFor(int elements, Element element) { return std::max(1, elements * bitsOf(element) / 64); }
};

using E = Element;
#define TILEWRIGHT_AMD(name) "llvm.amdgcn." name
constexpr Matrix kMatrices[] = {
    {"v_mfma_f32_32x32x8_f16", TILEWRIGHT_AMD("mfma.f32.32x32x8f16"), 32, 32, 8, E::F16, E::F16, E::F32, kMfma},
    {"v_mfma_f32_16x16x16_f16", TILEWRIGHT_AMD("mfma.f32.16x16x16f16"), 16, 16, 16, E::F16, E::F16, E::F32, kMfma},
    {"v_mfma_f32_32x32x16_f16", TILEWRIGHT_AMD("mfma.f32.32x32x16.f16"), 32, 32, 16, E::F16, E::F16, E::F32, kMfma},
    {"v_mfma_f32_16x16x32_f16", TILEWRIGHT_AMD("mfma.f32.16x16x32.f16"), 16, 16, 32, E::F16, E::F16, E::F32, kMfma},
    {"v_mfma_f32_32x32x8_bf16", TILEWRIGHT_AMD("mfma.f32.32x32x8bf16.1k"), 32, 32, 8, E::BF16, E::BF16, E::F32, kMfma},
    {"v_mfma_f32_16x16x16_bf16", TILEWRIGHT_AMD("mfma.f32.16x16x16bf16.1k"), 16, 16, 16, E::BF16, E::BF16, E::F32,
     kMfma},
    {"v_mfma_f32_32x32x16_bf16", TILEWRIGHT_AMD("mfma.f32.32x32x16.bf16"), 32, 32, 16, E::BF16, E::BF16, E::F32, kMfma},
    {"v_mfma_f32_16x16x32_bf16", TILEWRIGHT_AMD("mfma.f32.16x16x32.bf16"), 16, 16, 32, E::BF16, E::BF16, E::F32, kMfma},
    {"v_mfma_f32_32x32x2_f32", TILEWRIGHT_AMD("mfma.f32.32x32x2f32"), 32, 32, 2, E::F32, E::F32, E::F32, kMfma},
    {"v_mfma_f32_16x16x4_f32", TILEWRIGHT_AMD("mfma.f32.16x16x4f32"), 16, 16, 4, E::F32, E::F32, E::F32, kMfma},
    {"v_mfma_f64_16x16x4_f64", TILEWRIGHT_AMD("mfma.f64.16x16x4f64"), 16, 16, 4, E::F64, E::F64, E::F64,
     kMfmaOfDoubles},
    {"v_mfma_i32_32x32x8_i8", TILEWRIGHT_AMD("mfma.i32.32x32x8i8"), 32, 32, 8, E::I8, E::I8, E::I32, kMfma},
    {"v_mfma_i32_16x16x16_i8", TILEWRIGHT_AMD("mfma.i32.16x16x16i8"), 16, 16, 16, E::I8, E::I8, E::I32, kMfma},
    {"v_mfma_i32_32x32x16_i8", TILEWRIGHT_AMD("mfma.i32.32x32x16.i8"), 32, 32, 16, E::I8, E::I8, E::I32, kMfma},
    {"v_mfma_i32_16x16x32_i8", TILEWRIGHT_AMD("mfma.i32.16x16x32.i8"), 16, 16, 32, E::I8, E::I8, E::I32, kMfma},
    {"v_mfma_i32_32x32x32_i8", TILEWRIGHT_AMD("mfma.i32.32x32x32.i8"), 32, 32, 32, E::I8, E::I8, E::I32, kMfma},
    {"v_mfma_i32_16x16x64_i8", TILEWRIGHT_AMD("mfma.i32.16x16x64.i8"), 16, 16, 64, E::I8, E::I8, E::I32, kMfma},
    {"v_mfma_f32_32x32x16_fp8_fp8", TILEWRIGHT_AMD("mfma.f32.32x32x16.fp8.fp8"), 32, 32, 16, E::E4M3, E::E4M3, E::F32,
     kMfma},
    {"v_mfma_f32_32x32x16_fp8_bf8", TILEWRIGHT_AMD("mfma.f32.32x32x16.fp8.bf8"), 32, 32, 16, E::E4M3, E::E5M2, E::F32,
     kMfma},
    {"v_mfma_f32_32x32x16_bf8_fp8", TILEWRIGHT_AMD("mfma.f32.32x32x16.bf8.fp8"), 32, 32, 16, E::E5M2, E::E4M3, E::F32,
     kMfma},
    {"v_mfma_f32_32x32x16_bf8_bf8", TILEWRIGHT_AMD("mfma.f32.32x32x16.bf8.bf8"), 32, 32, 16, E::E5M2, E::E5M2, E::F32,
     kMfma},
    {"v_mfma_f32_16x16x32_fp8_fp8", TILEWRIGHT_AMD("mfma.f32.16x16x32.fp8.fp8"), 16, 16, 32, E::E4M3, E::E4M3, E::F32,
     kMfma},
    {"v_mfma_f32_16x16x32_fp8_bf8", TILEWRIGHT_AMD("mfma.f32.16x16x32.fp8.bf8"), 16, 16, 32, E::E4M3, E::E5M2, E::F32,
     kMfma},
    {"v_mfma_f32_16x16x32_bf8_fp8", TILEWRIGHT_AMD("mfma.f32.16x16x32.bf8.fp8"), 16, 16, 32, E::E5M2, E::E4M3, E::F32,
     kMfma},
    {"v_mfma_f32_16x16x32_bf8_bf8", TILEWRIGHT_AMD("mfma.f32.16x16x32.bf8.bf8"), 16, 16, 32, E::E5M2, E::E5M2, E::F32,
     kMfma},

    // On gfx942.
    {"v_mfma_f32_32x32x16_fp8_fp8.fnuz", TILEWRIGHT_AMD("mfma.f32.32x32x16.fp8.fp8.fnuz"), 32, 32, 16, E::E4M3Fnuz,
     E::E4M3Fnuz, E::F32, kMfma},
    {"v_mfma_f32_32x32x16_fp8_bf8.fnuz", TILEWRIGHT_AMD("mfma.f32.32x32x16.fp8.bf8.fnuz"), 32, 32, 16, E::E4M3Fnuz,
     E::E5M2Fnuz, E::F32, kMfma},
    {"v_mfma_f32_32x32x16_bf8_fp8.fnuz", TILEWRIGHT_AMD("mfma.f32.32x32x16.bf8.fp8.fnuz"), 32, 32, 16, E::E5M2Fnuz,
     E::E4M3Fnuz, E::F32, kMfma},
    {"v_mfma_f32_32x32x16_bf8_bf8.fnuz", TILEWRIGHT_AMD("mfma.f32.32x32x16.bf8.bf8.fnuz"), 32, 32, 16, E::E5M2Fnuz,
     E::E5M2Fnuz, E::F32, kMfma},
    {"v_mfma_f32_16x16x32_fp8_fp8.fnuz", TILEWRIGHT_AMD("mfma.f32.16x16x32.fp8.fp8.fnuz"), 16, 16, 32, E::E4M3Fnuz,
     E::E4M3Fnuz, E::F32, kMfma},
    {"v_mfma_f32_16x16x32_fp8_bf8.fnuz", TILEWRIGHT_AMD("mfma.f32.16x16x32.fp8.bf8.fnuz"), 16, 16, 32, E::E4M3Fnuz,
     E::E5M2Fnuz, E::F32, kMfma},
    {"v_mfma_f32_16x16x32_bf8_fp8.fnuz", TILEWRIGHT_AMD("mfma.f32.16x16x32.bf8.fp8.fnuz"), 16, 16, 32, E::E5M2Fnuz,
     E::E4M3Fnuz, E::F32, kMfma},
    {"v_mfma_f32_16x16x32_bf8_bf8.fnuz", TILEWRIGHT_AMD("mfma.f32.16x16x32.bf8.bf8.fnuz"), 16, 16, 32, E::E5M2Fnuz,
     E::E5M2Fnuz, E::F32, kMfma},

    // The types in the intrinsic's name tell RDNA 3 from RDNA 4.
    {"v_wmma_f32_16x16x16_f16.gfx11", TILEWRIGHT_AMD("wmma.f32.16x16x16.f16.v8f32.v16f16"), 16, 16, 16, E::F16, E::F16,
     E::F32, kWmma11},
    {"v_wmma_f32_16x16x16_bf16.gfx11", TILEWRIGHT_AMD("wmma.f32.16x16x16.bf16.v8f32.v16i16"), 16, 16, 16, E::BF16,
     E::BF16, E::F32, kWmma11},
    {"v_wmma_i32_16x16x16_iu8.gfx11", TILEWRIGHT_AMD("wmma.i32.16x16x16.iu8.v8i32.v4i32"), 16, 16, 16, E::I8, E::I8,
     E::I32, kWmma11, kInteger},
    {"v_wmma_f32_16x16x16_f16.gfx12", TILEWRIGHT_AMD("wmma.f32.16x16x16.f16.v8f32.v8f16"), 16, 16, 16, E::F16, E::F16,
     E::F32, kWmma12},
    {"v_wmma_f32_16x16x16_bf16.gfx12", TILEWRIGHT_AMD("wmma.f32.16x16x16.bf16.v8f32.v8i16"), 16, 16, 16, E::BF16,
     E::BF16, E::F32, kWmma12},
    {"v_wmma_i32_16x16x16_iu8.gfx12", TILEWRIGHT_AMD("wmma.i32.16x16x16.iu8.v8i32.v2i32"), 16, 16, 16, E::I8, E::I8,
     E::I32, kWmma12, kInteger},
    {"v_wmma_f32_16x16x16_fp8_fp8", TILEWRIGHT_AMD("wmma.f32.16x16x16.fp8.fp8"), 16, 16, 16, E::E4M3, E::E4M3, E::F32,
     kWmma12},
    {"v_wmma_f32_16x16x16_fp8_bf8", TILEWRIGHT_AMD("wmma.f32.16x16x16.fp8.bf8"), 16, 16, 16, E::E4M3, E::E5M2, E::F32,
     kWmma12},
    {"v_wmma_f32_16x16x16_bf8_fp8", TILEWRIGHT_AMD("wmma.f32.16x16x16.bf8.fp8"), 16, 16, 16, E::E5M2, E::E4M3, E::F32,
     kWmma12},
    {"v_wmma_f32_16x16x16_bf8_bf8", TILEWRIGHT_AMD("wmma.f32.16x16x16.bf8.bf8"), 16, 16, 16, E::E5M2, E::E5M2, E::F32,
     kWmma12},

    {"v_wmma_f32_16x16x32_f16", TILEWRIGHT_AMD("wmma.f32.16x16x32.f16"), 16, 16, 32, E::F16, E::F16, E::F32, kWmma1250,
     kModified},
    {"v_wmma_f32_16x16x32_bf16", TILEWRIGHT_AMD("wmma.f32.16x16x32.bf16"), 16, 16, 32, E::BF16, E::BF16, E::F32,
     kWmma1250, kModified},
    {"v_wmma_f32_16x16x4_f32", TILEWRIGHT_AMD("wmma.f32.16x16x4.f32"), 16, 16, 4, E::F32, E::F32, E::F32, kWmma1250,
     kModified},
};
#undef TILEWRIGHT_AMD

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

uint64_t bitsAt(const uint64_t *slots, int index, Element element) {
  int bits = bitsOf(element), at = index * bits;
  uint64_t slot = slots[at / 64] >> (at % 64);
  return bits == 64 ? slot : slot & ((uint64_t(1) << bits) - 1);
}

double valueOf(uint64_t bits, Element element) {
  switch (element) {
  case Element::F16:
    return runtime::fromHalf(static_cast<uint16_t>(bits));
  case Element::BF16:
    return toFloat(bits << 16);
  case Element::F32:
    return toFloat(bits);
  case Element::F64:
    return toDouble(bits);
  case Element::I8:
    return static_cast<int8_t>(bits);
  case Element::I32:
    return static_cast<int32_t>(bits);
  case Element::E4M3:
    return decode(static_cast<uint32_t>(bits), kE4M3);
  case Element::E5M2:
    return decode(static_cast<uint32_t>(bits), kE5M2);
  case Element::E4M3Fnuz:
    return decode(static_cast<uint32_t>(bits), kE4M3Fnuz);
  case Element::E5M2Fnuz:
    return decode(static_cast<uint32_t>(bits), kE5M2Fnuz);
  }
  return 0;
}

void writeAt(uint64_t *slots, int index, Element element, uint64_t bits) {
  int at = index * bitsOf(element);
  slots[at / 64] = (at % 64 ? slots[at / 64] : 0) | bits << (at % 64);
}

uint64_t encodeSum(double sum, Element element) {
  switch (element) {
  case Element::F32:
    return bitCast<uint32_t>(static_cast<float>(sum));
  case Element::I32: // exact: at most 64 products of bytes and 32 bits; wraps
    return static_cast<uint32_t>(static_cast<int64_t>(sum));
  default:
    return bitCast<uint64_t>(sum);
  }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

constexpr int kMostSide = 32, kMostK = 64;

/// A, or B with rows and columns exchanged.
struct Operand {
  double at[kMostSide][kMostK];

  /// Reads what the lanes from `first` on hold.
  void read(const WarpCall &call, int slot, const Matrix &matrix, int side, Element element, int first) {
    const Fragments &fragments = matrix.fragments;
    int held = matrix.held(side), groups = matrix.k / held;
    int block = std::min(held, fragments.mostAlongK);
    for (int lane = 0; lane < side * groups; ++lane) {
      for (int index = 0; index < held; ++index) {
        int k = index / block * block * groups + lane / side * block + index % block, from = first + lane;
        at[lane % side][k] = call.has(from) ? valueOf(bitsAt(call.in[from] + slot, index, element), element) : 0;
      }
    }
  }
};

/// An instruction ignores which lanes are active, but what inactive ones hold is not known here.
void reportInactive(const WarpCall &call, int lanes) {
  for (int lane = 0; lane < lanes; ++lane) {
    if (!call.has(lane)) {
      int first = __builtin_ctzll(call.mask);
      return call.thread(first).report(Report::Mask, call.site,
                                       "needs all lanes, and lane " + std::to_string(lane) + " does not execute it");
    }
  }
}

void multiplyAdd(const WarpCall &call, const Matrix &matrix) {
  const Fragments &fragments = matrix.fragments;
  int slotA = matrix.form.beforeA, slotB = slotA + matrix.slotsOfA() + matrix.form.beforeB;
  int slotC = slotB + matrix.slotsOfB() + matrix.form.beforeC;
  reportInactive(call, fragments.lanes);
  Operand a, b;
  int groups = fragments.lanes / matrix.n, q = fragments.rowsC, held = matrix.m / groups;
  for (int lane = 0; lane < fragments.lanes; ++lane) {
    if (lane == 0 || (fragments.repeats && lane % matrix.n == 0)) {
      a.read(call, slotA, matrix, matrix.m, matrix.a, lane);
      b.read(call, slotB, matrix, matrix.n, matrix.b, lane);
    }
    for (int index = 0; index < held && call.has(lane); ++index) {
      int row = index / q * q * groups + lane / matrix.n * q + index % q;
      double sum = valueOf(bitsAt(call.in[lane] + slotC, index, matrix.c), matrix.c);
      for (int k = 0; k < matrix.k; ++k) {
        sum = std::fma(a.at[row][k], b.at[lane % matrix.n][k], sum);
      }
      writeAt(call.out[lane], index, matrix.c, encodeSum(sum, matrix.c));
    }
  }
}

template <size_t index> void multiply(const WarpCall &call) { multiplyAdd(call, kMatrices[index]); }

constexpr size_t kRowCount = sizeof(kMatrices) / sizeof(Matrix);

template <size_t... index> constexpr auto makeRows(std::index_sequence<index...>) {
  struct Rows {
    Instruction all[kRowCount];
  };
  return Rows{{{kMatrices[index].name, kMatrices[index].intrinsic, waveWide<multiply<index>>, InstructionClass::Matrix,
                "multiplies matrices, and adds the result to one",
                "AMD matrix instruction calculator; CDNA 3 ISA, 12.10 VOP3P-MAI; RDNA 3 ISA, 7.9 WMMA",
                /*needsPlace=*/true}...}};
}
constexpr auto kRows = makeRows(std::make_index_sequence<kRowCount>());

} // namespace

const Family kWaveMatrixInstructions = kRows.all;

} // namespace tilewright::emulator
