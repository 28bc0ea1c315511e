// wgmma: matrix multiplications of a warp group, with operands in shared memory.
//
// The four warps of a group multiply 64 rows of A. Warp w % 4 = i has rows 16 i to 16 i + 15 of A and of the
// accumulators, in the fragments of mma.sync: registers 4 j to 4 j + 3 hold columns 8 j to 8 j + 7. As no result of a
// warp depends on another warp, each warp computes its part when its lanes have met. WgmmaIssue.h has the checks.

#include "Families.h"
#include "MmaNumerics.h"
#include "Slots.h"
#include "WgmmaIssue.h"
#include "WgmmaOperands.h"

namespace tilewright::emulator {
namespace {

constexpr int kPartM = 16;

template <WarpFunction compute, int elementBytes, RegisterKind kind> void issue(const WarpCall &call) {
  issueWgmma(call, {compute, elementBytes, kind});
}

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

/// The eight columns of the accumulators that start at column 8 `slice`.
template <const FloatFormat &accumulator> struct Slice {
  static constexpr int kPerWord = 32 / accumulator.bits();
  static constexpr MmaShape kShape = {kPartM, 0, 1};
  const WarpCall &call;
  int slice;

  int word(int element) const { return (slice * kShape.elementsC() + element) / kPerWord; }

  void read(MmaOperands &operands, bool accumulates) const {
    forC(kShape, [&](int lane, int element, int row, int column) {
      uint64_t slot = accumulates ? call.in[lane][wgmma::kAccumulators + word(element)] : 0;
      auto bits = static_cast<uint32_t>(slot >> element % kPerWord * accumulator.bits());
      operands.setC(row, column, bits, accumulator);
    });
  }

  void write(const MmaOperands &operands) const {
    forC(kShape, [&](int lane, int element, int row, int column) {
      int part = element % kPerWord;
      uint64_t &slot = call.out[lane][word(element)];
      double value = operands.c[row][column]; // already rounded to the accumulator's type
      uint64_t bits =
          kPerWord == 1 ? toSlot(static_cast<float>(value)) : encode(value, accumulator, Rounding::NearestEven);
      slot = (part ? slot : 0) | bits << part * accumulator.bits();
    });
  }
};

/// The bit that negates an element.
uint32_t signOf(const FloatFormat &format, bool isNegated) { return uint32_t(isNegated) << (format.bits() - 1); }

/// 9.7.15.5.2 wgmma.mma_async.
template <int k, const FloatFormat &typeA, const FloatFormat &typeB, const FloatFormat &accumulator>
void multiply(const WarpCall &call) {
  constexpr MmaShape shape = {kPartM, k, 32 / typeA.bits()};
  WgmmaPart part(call, shape);
  SumRules rules = wgmmaSumRules(typeA);
  uint32_t signA = signOf(typeA, part.is(wgmma::kNegatedA)), signB = signOf(typeB, part.is(wgmma::kNegatedB));
  MmaOperands left;
  WgmmaTile a = part.readA();
  for (int row = 0; row < kPartM; ++row) {
    for (int depth = 0; depth < k; ++depth) {
      left.setA(row, depth, a.bits[row][depth] ^ signA, typeA);
    }
  }
  for (int slice = 0; slice < part.n() / kMmaN; ++slice) {
    MmaOperands operands = left;
    WgmmaTile b = part.readB(slice * kMmaN);
    for (int column = 0; column < kMmaN; ++column) {
      for (int depth = 0; depth < k; ++depth) {
        operands.setB(depth, column, b.bits[column][depth] ^ signB, typeB);
      }
    }
    Slice<accumulator> c = {call, slice};
    c.read(operands, part.accumulates());
    multiplyAdd(operands, kPartM, k, rules, accumulator);
    c.write(operands);
  }
}

template <int k, const FloatFormat &typeA, const FloatFormat &typeB, const FloatFormat &accumulator>
constexpr Instruction product(const char *name) {
  return {name,
          nullptr,
          warpWide<issue<multiply<k, typeA, typeB, accumulator>, typeA.bits() / 8,
                         accumulator.bits() == 16 ? RegisterKind::Halves : RegisterKind::Float>>,
          InstructionClass::Matrix,
          "multiplies matrices of a warp group, and adds the result to one, rounded as tensor cores do",
          "9.7.15.5.2 wgmma.mma_async"};
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// The sums are exact modulo 2^32.
template <typename TA, typename TB> uint32_t sumOfProducts(const uint32_t *a, const uint32_t *b, int count) {
  uint32_t sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += static_cast<uint32_t>(static_cast<TA>(a[i]) * static_cast<TB>(b[i]));
  }
  return sum;
}

template <typename TA, typename TB> void multiplyIntegers(const WarpCall &call) {
  constexpr MmaShape shape = {kPartM, 32, 4};
  WgmmaPart part(call, shape);
  WgmmaTile a = part.readA();
  for (int slice = 0; slice < part.n() / kMmaN; ++slice) {
    WgmmaTile b = part.readB(slice * kMmaN);
    forC(shape, [&](int lane, int element, int row, int column) {
      int word = slice * shape.elementsC() + element;
      uint64_t before = part.accumulates() ? call.in[lane][wgmma::kAccumulators + word] : 0;
      auto sum = sumOfProducts<TA, TB>(a.bits[row], b.bits[column], shape.k);
      call.out[lane][word] = static_cast<uint32_t>(before) + sum;
    });
  }
}

template <typename TA, typename TB> constexpr Instruction integerProduct(const char *name) {
  return {name,
          nullptr,
          warpWide<issue<multiplyIntegers<TA, TB>, 1, RegisterKind::Integer>>,
          InstructionClass::Matrix,
          "multiplies matrices of bytes of a warp group, and adds the result to one of 32 bits, modulo 2^32",
          "9.7.15.5.2 wgmma.mma_async"};
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

void fence(const WarpCall &call) {
  enterGroup(call, reinterpret_cast<const void *>(fence));
  call.warp->wgmmas.isFenced = true;
}

void commit(const WarpCall &call) {
  enterGroup(call, reinterpret_cast<const void *>(commit));
  call.warp->wgmmas.commit();
}

void waitForGroups(const WarpCall &call) {
  enterGroup(call, reinterpret_cast<const void *>(waitForGroups), call.in[0][0]);
  completeWgmmas(call, call.in[0][0]);
}

/// Operands: the number of groups, the number of registers, the registers, which are also the results.
void waitWithRegisters(const WarpCall &call) {
  waitForGroups(call);
  settleRegisters(call);
}

constexpr const char *kWaitMeaning = "waits until at most the given number of groups of wgmmas are in flight";

} // namespace

static constexpr Instruction kWgmmaRows[] = {
    product<16, kF16, kF16, kF32>("wgmma.mma_async.sync.aligned.m64nNk16.f32.f16.f16"),
    product<16, kF16, kF16, kF16>("wgmma.mma_async.sync.aligned.m64nNk16.f16.f16.f16"),
    product<16, kBF16, kBF16, kF32>("wgmma.mma_async.sync.aligned.m64nNk16.f32.bf16.bf16"),
    product<8, kTF32, kTF32, kF32>("wgmma.mma_async.sync.aligned.m64nNk8.f32.tf32.tf32"),
    product<32, kE4M3, kE4M3, kF32>("wgmma.mma_async.sync.aligned.m64nNk32.f32.e4m3.e4m3"),
    product<32, kE4M3, kE5M2, kF32>("wgmma.mma_async.sync.aligned.m64nNk32.f32.e4m3.e5m2"),
    product<32, kE5M2, kE4M3, kF32>("wgmma.mma_async.sync.aligned.m64nNk32.f32.e5m2.e4m3"),
    product<32, kE5M2, kE5M2, kF32>("wgmma.mma_async.sync.aligned.m64nNk32.f32.e5m2.e5m2"),
    product<32, kE4M3, kE4M3, kF16>("wgmma.mma_async.sync.aligned.m64nNk32.f16.e4m3.e4m3"),
    product<32, kE4M3, kE5M2, kF16>("wgmma.mma_async.sync.aligned.m64nNk32.f16.e4m3.e5m2"),
    product<32, kE5M2, kE4M3, kF16>("wgmma.mma_async.sync.aligned.m64nNk32.f16.e5m2.e4m3"),
    product<32, kE5M2, kE5M2, kF16>("wgmma.mma_async.sync.aligned.m64nNk32.f16.e5m2.e5m2"),
    integerProduct<int8_t, int8_t>("wgmma.mma_async.sync.aligned.m64nNk32.s32.s8.s8"),
    integerProduct<int8_t, uint8_t>("wgmma.mma_async.sync.aligned.m64nNk32.s32.s8.u8"),
    integerProduct<uint8_t, int8_t>("wgmma.mma_async.sync.aligned.m64nNk32.s32.u8.s8"),
    integerProduct<uint8_t, uint8_t>("wgmma.mma_async.sync.aligned.m64nNk32.s32.u8.u8"),
    {"wgmma.fence.sync.aligned", "llvm.nvvm.wgmma.fence.sync.aligned", warpWide<fence>, InstructionClass::Warp,
     "orders accesses of registers before it and wgmmas after it", "9.7.15.7.1 wgmma.fence"},
    {"wgmma.commit_group.sync.aligned", "llvm.nvvm.wgmma.commit_group.sync.aligned", warpWide<commit>,
     InstructionClass::Warp, "makes a group of the wgmmas that are not in a group yet",
     "9.7.15.7.2 wgmma.commit_group"},
    {"wgmma.wait_group.sync.aligned", "llvm.nvvm.wgmma.wait_group.sync.aligned", warpWide<waitForGroups>,
     InstructionClass::Warp, kWaitMeaning, "9.7.15.7.3 wgmma.wait_group"},
    {"wgmma.wait_group.sync.aligned with registers", nullptr, warpWide<waitWithRegisters>, InstructionClass::Warp,
     kWaitMeaning, "9.7.15.7.3 wgmma.wait_group"},
    {"emulator.register", nullptr, readRegister, InstructionClass::Other,
     "checks a register that an instruction reads, which may be an accumulator of a wgmma", "none"},
};
const Family kWgmmaInstructions = kWgmmaRows;

} // namespace tilewright::emulator
