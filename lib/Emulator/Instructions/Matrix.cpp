// ldmatrix and stmatrix: transfers of 8 x 8 matrices of 16-bit elements between shared memory and the registers of a
// warp.
//
// Each row of a matrix is 16 bytes in shared memory, and lanes 8 i to 8 i + 7 hold the addresses of the rows of matrix
// i. Register i of lane l holds the elements 2 (l % 4) and 2 (l % 4) + 1 of row l / 4 of matrix i, or of column l / 4
// if it is transposed.

#include "Families.h"
#include "MatrixRows.h"

#include <utility>

namespace tilewright::emulator {

constexpr int kRows = 8;

struct Matrix {
  uint16_t elements[kRows][kRows];
};

/// The row and column of the element that a lane holds in the lower or upper half of its register.
struct Place {
  int row, column;
  Place(int lane, int half, bool transposed) : row(lane / 4), column(lane % 4 * 2 + half) {
    if (transposed) {
      std::swap(row, column);
    }
  }
};

/// 9.7.14.5.15 ldmatrix. Rows that must not be read are replaced by zeros.
template <int count, bool transposed> static void loadMatrices(const WarpCall &call) {
  uint32_t allowed = announceRows(call, count * kRows, AccessKind::Read);
  for (int index = 0; index < count; ++index) {
    Matrix matrix = {};
    for (int row = 0; row < kRows; ++row) {
      loadRow(call, allowed, index * kRows + row, matrix.elements[row]);
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      Place lower(lane, 0, transposed), upper(lane, 1, transposed);
      call.out[lane][index] = matrix.elements[lower.row][lower.column] |
                              static_cast<uint32_t>(matrix.elements[upper.row][upper.column]) << 16;
    }
  }
}

/// 9.7.14.5.16 stmatrix.
template <int count, bool transposed> static void storeMatrices(const WarpCall &call) {
  uint32_t allowed = announceRows(call, count * kRows, AccessKind::Write);
  for (int index = 0; index < count; ++index) {
    Matrix matrix;
    for (int lane = 0; lane < kLanes; ++lane) {
      uint32_t word = static_cast<uint32_t>(call.in[lane][1 + index]);
      for (int half = 0; half < 2; ++half) {
        Place place(lane, half, transposed);
        matrix.elements[place.row][place.column] = static_cast<uint16_t>(word >> 16 * half);
      }
    }
    for (int row = 0; row < kRows; ++row) {
      storeRow(call, allowed, index * kRows + row, matrix.elements[row]);
    }
  }
}

template <int count, bool transposed> static constexpr Instruction load(const char *name, const char *intrinsic) {
  return {name,
          intrinsic,
          warpWide<loadMatrices<count, transposed>>,
          InstructionClass::Matrix,
          transposed ? "loads 8 x 8 matrices of 16 bits from shared memory, and transposes them"
                     : "loads 8 x 8 matrices of 16 bits from shared memory",
          "9.7.14.5.15 ldmatrix"};
}

template <int count, bool transposed> static constexpr Instruction store(const char *name, const char *intrinsic) {
  return {name,
          intrinsic,
          warpWide<storeMatrices<count, transposed>>,
          InstructionClass::Matrix,
          transposed ? "transposes 8 x 8 matrices of 16 bits, and stores them to shared memory"
                     : "stores 8 x 8 matrices of 16 bits to shared memory",
          "9.7.14.5.16 stmatrix"};
}

static constexpr Instruction kMatrixRows[] = {
    load<1, false>("ldmatrix.sync.aligned.m8n8.x1.shared.b16", "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16"),
    load<2, false>("ldmatrix.sync.aligned.m8n8.x2.shared.b16", "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.b16"),
    load<4, false>("ldmatrix.sync.aligned.m8n8.x4.shared.b16", "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16"),
    load<1, true>("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16",
                  "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.trans.b16"),
    load<2, true>("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16",
                  "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16"),
    load<4, true>("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
                  "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16"),
    store<1, false>("stmatrix.sync.aligned.m8n8.x1.shared.b16", "llvm.nvvm.stmatrix.sync.aligned.m8n8.x1.b16"),
    store<2, false>("stmatrix.sync.aligned.m8n8.x2.shared.b16", "llvm.nvvm.stmatrix.sync.aligned.m8n8.x2.b16"),
    store<4, false>("stmatrix.sync.aligned.m8n8.x4.shared.b16", "llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.b16"),
    store<1, true>("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16",
                   "llvm.nvvm.stmatrix.sync.aligned.m8n8.x1.trans.b16"),
    store<2, true>("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16",
                   "llvm.nvvm.stmatrix.sync.aligned.m8n8.x2.trans.b16"),
    store<4, true>("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
                   "llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.trans.b16"),
};
const Family kMatrixInstructions = kMatrixRows;

} // namespace tilewright::emulator
