// mma.sync of floating point numbers of 8 to 19 bits.

#include "Families.h"
#include "MmaNumerics.h"
#include "Slots.h"

namespace tilewright::emulator {

/// Element `part` of a register that holds elements of the format.
static uint32_t element(uint64_t slot, int part, const FloatFormat &format) {
  return static_cast<uint32_t>(slot >> part * format.bits());
}

/// The number of accumulator elements in a register.
template <const FloatFormat &accumulator> constexpr int kPerWordC = 32 / accumulator.bits();

template <const FloatFormat &accumulator>
static void readC(const WarpCall &call, const MmaShape &shape, MmaOperands &operands) {
  constexpr int perWord = kPerWordC<accumulator>;
  int first = shape.wordsA() + shape.wordsB();
  forC(shape, [&](int lane, int index, int row, int column) {
    operands.setC(row, column, element(call.in[lane][first + index / perWord], index % perWord, accumulator),
                  accumulator);
  });
}

template <const FloatFormat &accumulator>
static void writeC(const WarpCall &call, const MmaShape &shape, const MmaOperands &operands) {
  constexpr int perWord = kPerWordC<accumulator>;
  forC(shape, [&](int lane, int index, int row, int column) {
    int part = index % perWord;
    uint64_t &slot = call.out[lane][index / perWord];
    double value = operands.c[row][column]; // already rounded to the accumulator's type
    uint64_t bits =
        perWord == 1 ? toSlot(static_cast<float>(value)) : encode(value, accumulator, Rounding::NearestEven);
    slot = (part ? slot : 0) | bits << part * accumulator.bits();
  });
}

/// 9.7.14.5.14 mma, with operands A, B, C.
template <int k, const FloatFormat &typeA, const FloatFormat &typeB, const FloatFormat &accumulator>
static void multiply(const WarpCall &call) {
  constexpr MmaShape shape = {16, k, 32 / typeA.bits()};
  MmaOperands operands;
  SumRules rules = sumRules(call.warp->block->launch.kernel.architecture, typeA);
  forA(shape, [&](int lane, int word, int part, int row, int depth) {
    operands.setA(row, rules.place(depth, k), element(call.in[lane][word], part, typeA), typeA);
  });
  forB(shape, [&](int lane, int word, int part, int depth, int column) {
    operands.setB(rules.place(depth, k), column, element(call.in[lane][shape.wordsA() + word], part, typeB), typeB);
  });
  readC<accumulator>(call, shape, operands);
  multiplyAdd(operands, shape.m, k, rules, accumulator);
  writeC<accumulator>(call, shape, operands);
}

template <int k, const FloatFormat &typeA, const FloatFormat &typeB, const FloatFormat &accumulator>
static constexpr Instruction product(const char *name, const char *intrinsic) {
  return {name,
          intrinsic,
          warpWide<multiply<k, typeA, typeB, accumulator>>,
          InstructionClass::Matrix,
          "multiplies matrices, and adds the result to one, rounded as tensor cores do",
          "9.7.14.5.14 mma"};
}

static constexpr Instruction kMmaFloatRows[] = {
    product<8, kF16, kF16, kF16>("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16",
                                 "llvm.nvvm.mma.m16n8k8.row.col.f16.f16"),
    product<16, kF16, kF16, kF16>("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
                                  "llvm.nvvm.mma.m16n8k16.row.col.f16.f16"),
    product<8, kF16, kF16, kF32>("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32",
                                 "llvm.nvvm.mma.m16n8k8.row.col.f32.f32"),
    product<16, kF16, kF16, kF32>("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                                  "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"),
    product<8, kBF16, kBF16, kF32>("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32",
                                   "llvm.nvvm.mma.m16n8k8.row.col.bf16"),
    product<16, kBF16, kBF16, kF32>("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
                                    "llvm.nvvm.mma.m16n8k16.row.col.bf16"),
    product<4, kTF32, kTF32, kF32>("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32",
                                   "llvm.nvvm.mma.m16n8k4.row.col.tf32"),
    product<8, kTF32, kTF32, kF32>("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
                                   "llvm.nvvm.mma.m16n8k8.row.col.tf32"),

    product<16, kE4M3, kE4M3, kF32>("mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32",
                                    "llvm.nvvm.mma.m16n8k16.row.col.f32.e4m3.e4m3.f32"),
    product<16, kE4M3, kE5M2, kF32>("mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32",
                                    "llvm.nvvm.mma.m16n8k16.row.col.f32.e4m3.e5m2.f32"),
    product<16, kE5M2, kE4M3, kF32>("mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e4m3.f32",
                                    "llvm.nvvm.mma.m16n8k16.row.col.f32.e5m2.e4m3.f32"),
    product<16, kE5M2, kE5M2, kF32>("mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e5m2.f32",
                                    "llvm.nvvm.mma.m16n8k16.row.col.f32.e5m2.e5m2.f32"),
    product<32, kE4M3, kE4M3, kF32>("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32",
                                    "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32"),
    product<32, kE4M3, kE5M2, kF32>("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32",
                                    "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e5m2.f32"),
    product<32, kE5M2, kE4M3, kF32>("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32",
                                    "llvm.nvvm.mma.m16n8k32.row.col.f32.e5m2.e4m3.f32"),
    product<32, kE5M2, kE5M2, kF32>("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32",
                                    "llvm.nvvm.mma.m16n8k32.row.col.f32.e5m2.e5m2.f32"),
    product<32, kE4M3, kE4M3, kF16>("mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16",
                                    "llvm.nvvm.mma.m16n8k32.row.col.f16.e4m3.e4m3.f16"),
    product<32, kE4M3, kE5M2, kF16>("mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16",
                                    "llvm.nvvm.mma.m16n8k32.row.col.f16.e4m3.e5m2.f16"),
    product<32, kE5M2, kE4M3, kF16>("mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e4m3.f16",
                                    "llvm.nvvm.mma.m16n8k32.row.col.f16.e5m2.e4m3.f16"),
    product<32, kE5M2, kE5M2, kF16>("mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e5m2.f16",
                                    "llvm.nvvm.mma.m16n8k32.row.col.f16.e5m2.e5m2.f16"),
};
const Family kMmaFloatInstructions = kMmaFloatRows;

} // namespace tilewright::emulator
