// ldmatrix and stmatrix of 8-bit elements, which always transpose. A row of 16 bytes in shared memory is a column of
// the fragments:
//
//     ldmatrix.m16n16, 16 rows                     stmatrix.m16n8, 8 rows
//     bytes     0  1 ..  7 | 8  9 .. 15            bytes     0  1 ..  7 | 8  9 .. 15
//     row 0    T0 T4 .. T28| T0 T4 .. T28          row 0    T0 T4 .. T28| T0 T4 .. T28
//      ..       byte 0 of word 0 | of word 1       row 1     byte 1     | byte 3 of the word
//     row 4    T1 T5 ..                            row 2    T1 T5 ..

#include "Families.h"
#include "MatrixRows.h"

#include <algorithm>

namespace tilewright::emulator {

/// The lane that holds the byte at a row and column. Each lane holds `rowsOfLane` consecutive rows of a column, which
/// repeats every eight columns.
static int laneOf(int row, int column, int rowsOfLane) { return column % 8 * 4 + row / rowsOfLane; }

/// 9.7.14.5.15 ldmatrix. Rows that must not be read are replaced by zeros.
template <int count> static void loadMatrices(const WarpCall &call) {
  constexpr int rows = 16, rowsOfLane = 4;
  uint32_t allowed = announceRows(call, count * rows, AccessKind::Read);
  for (int lane = 0; lane < kLanes; ++lane) {
    std::fill_n(call.out[lane], 2 * count, 0);
  }
  for (int row = 0; row < count * rows; ++row) {
    uint8_t bytes[kRowBytes] = {};
    loadRow(call, allowed, row, bytes);
    for (int column = 0; column < kRowBytes; ++column) {
      uint64_t &word = call.out[laneOf(row % rows, column, rowsOfLane)][row / rows * 2 + column / 8];
      word |= uint64_t(bytes[column]) << row % rowsOfLane * 8;
    }
  }
}

/// 9.7.14.5.16 stmatrix.
template <int count> static void storeMatrices(const WarpCall &call) {
  constexpr int rows = 8, rowsOfLane = 2;
  uint32_t allowed = announceRows(call, count * rows, AccessKind::Write);
  for (int row = 0; row < count * rows; ++row) {
    uint8_t bytes[kRowBytes];
    for (int column = 0; column < kRowBytes; ++column) {
      uint64_t word = call.in[laneOf(row % rows, column, rowsOfLane)][1 + row / rows];
      bytes[column] = static_cast<uint8_t>(word >> (column / 8 * 2 + row % rowsOfLane) * 8);
    }
    storeRow(call, allowed, row, bytes);
  }
}

template <WarpFunction function>
static constexpr Instruction move(const char *name, const char *intrinsic, const char *meaning, const char *source) {
  return {name, intrinsic, warpWide<function>, InstructionClass::Matrix, meaning, source};
}

static constexpr const char *kLoads = "loads 16 x 16 matrices of bytes from shared memory, and transposes them";
static constexpr const char *kStores = "transposes 16 x 8 matrices of bytes, and stores them to shared memory";
static constexpr const char *kLoad = "9.7.14.5.15 ldmatrix", *kStore = "9.7.14.5.16 stmatrix";

static constexpr Instruction kByteMatrixRows[] = {
    move<loadMatrices<1>>("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8",
                          "llvm.nvvm.ldmatrix.sync.aligned.m16n16.x1.trans.b8", kLoads, kLoad),
    move<loadMatrices<2>>("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8",
                          "llvm.nvvm.ldmatrix.sync.aligned.m16n16.x2.trans.b8", kLoads, kLoad),
    move<storeMatrices<1>>("stmatrix.sync.aligned.m16n8.x1.trans.shared.b8",
                           "llvm.nvvm.stmatrix.sync.aligned.m16n8.x1.trans.b8", kStores, kStore),
    move<storeMatrices<2>>("stmatrix.sync.aligned.m16n8.x2.trans.shared.b8",
                           "llvm.nvvm.stmatrix.sync.aligned.m16n8.x2.trans.b8", kStores, kStore),
    move<storeMatrices<4>>("stmatrix.sync.aligned.m16n8.x4.trans.shared.b8",
                           "llvm.nvvm.stmatrix.sync.aligned.m16n8.x4.trans.b8", kStores, kStore),
};
const Family kByteMatrixInstructions = kByteMatrixRows;

} // namespace tilewright::emulator
