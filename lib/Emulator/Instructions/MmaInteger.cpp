// mma.sync of 8-bit integers, which is exact modulo 2^32.

#include "Families.h"
#include "MmaFragments.h"

namespace tilewright::emulator {

/// Element `part` of a register.
template <typename T> static int32_t element(uint64_t slot, int part) { return static_cast<T>(slot >> part * 8); }

/// 9.7.14.5.14 mma, with operands A, B, C.
template <int m, int k, typename TA, typename TB> static void multiply(const WarpCall &call) {
  constexpr MmaShape shape = {m, k, 4};
  int32_t a[m][k], b[k][kMmaN];
  forA(shape, [&](int lane, int word, int part, int row, int depth) {
    a[row][depth] = element<TA>(call.in[lane][word], part);
  });
  forB(shape, [&](int lane, int word, int part, int depth, int column) {
    b[depth][column] = element<TB>(call.in[lane][shape.wordsA() + word], part);
  });
  forC(shape, [&](int lane, int index, int row, int column) {
    uint32_t sum = static_cast<uint32_t>(call.in[lane][shape.wordsA() + shape.wordsB() + index]);
    for (int depth = 0; depth < k; ++depth) {
      sum += static_cast<uint32_t>(a[row][depth] * b[depth][column]);
    }
    call.out[lane][index] = sum;
  });
}

template <int k, typename TA, typename TB>
static constexpr Instruction product(const char *name, const char *intrinsic) {
  return {name,
          intrinsic,
          warpWide<multiply<16, k, TA, TB>>,
          InstructionClass::Matrix,
          "multiplies matrices of bytes, and adds the result to one of 32 bits, modulo 2^32",
          "9.7.14.5.14 mma"};
}

static constexpr Instruction kMmaIntegerRows[] = {
    product<16, int8_t, int8_t>("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", "llvm.nvvm.mma.m16n8k16.row.col.s8"),
    product<16, int8_t, uint8_t>("mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32",
                                 "llvm.nvvm.mma.m16n8k16.row.col.s8.u8"),
    product<16, uint8_t, int8_t>("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32",
                                 "llvm.nvvm.mma.m16n8k16.row.col.u8.s8"),
    product<16, uint8_t, uint8_t>("mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32",
                                  "llvm.nvvm.mma.m16n8k16.row.col.u8"),
    product<32, int8_t, int8_t>("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", "llvm.nvvm.mma.m16n8k32.row.col.s8"),
    product<32, int8_t, uint8_t>("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32",
                                 "llvm.nvvm.mma.m16n8k32.row.col.s8.u8"),
    product<32, uint8_t, int8_t>("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32",
                                 "llvm.nvvm.mma.m16n8k32.row.col.u8.s8"),
    product<32, uint8_t, uint8_t>("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32",
                                  "llvm.nvvm.mma.m16n8k32.row.col.u8"),
};
const Family kMmaIntegerInstructions = kMmaIntegerRows;

} // namespace tilewright::emulator
