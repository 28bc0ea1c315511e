// mma.sync of doubles: a chain of fused multiply-adds along K for each element.

#include "Families.h"
#include "MmaFragments.h"
#include "Slots.h"

#include <cmath>

namespace tilewright::emulator {

/// 9.7.14.5.14 mma, with operands A, B, C.
template <int m, int k> static void multiply(const WarpCall &call) {
  constexpr MmaShape shape = {m, k, 1};
  double a[m][k], b[k][kMmaN];
  forA(shape, [&](int lane, int word, int, int row, int depth) { a[row][depth] = toDouble(call.in[lane][word]); });
  forB(shape, [&](int lane, int word, int, int depth, int column) {
    b[depth][column] = toDouble(call.in[lane][shape.wordsA() + word]);
  });
  forC(shape, [&](int lane, int index, int row, int column) {
    double sum = toDouble(call.in[lane][shape.wordsA() + shape.wordsB() + index]);
    for (int depth = 0; depth < k; ++depth) {
      sum = std::fma(a[row][depth], b[depth][column], sum);
    }
    call.out[lane][index] = toSlot(sum);
  });
}

template <int m, int k> static constexpr Instruction product(const char *name, const char *intrinsic) {
  return {name,
          intrinsic,
          warpWide<multiply<m, k>>,
          InstructionClass::Matrix,
          "multiplies matrices of doubles, and adds the result to one of doubles",
          "9.7.14.5.14 mma"};
}

static constexpr Instruction kMmaDoubleRows[] = {
    product<8, 4>("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", "llvm.nvvm.mma.m8n8k4.row.col.f64"),
    product<16, 4>("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", "llvm.nvvm.mma.m16n8k4.row.col.f64"),
    product<16, 8>("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", "llvm.nvvm.mma.m16n8k8.row.col.f64"),
    product<16, 16>("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", "llvm.nvvm.mma.m16n8k16.row.col.f64"),
};
const Family kMmaDoubleInstructions = kMmaDoubleRows;

} // namespace tilewright::emulator
