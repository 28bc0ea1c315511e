// Rows of matrices in shared memory, of 16 bytes each. The lanes of a warp hold their addresses.

#ifndef TILEWRIGHT_EMULATOR_INSTRUCTIONS_MATRIXROWS_H
#define TILEWRIGHT_EMULATOR_INSTRUCTIONS_MATRIXROWS_H

#include "tilewright/Emulator/Block.h"
#include "tilewright/Emulator/Checker.h"

namespace tilewright::emulator {

constexpr int kRowBytes = 16;

/// Checks and counts the accesses of the first `rows` lanes to their rows. Bit i of the result says whether row i may
/// be accessed.
uint32_t announceRows(const WarpCall &call, int rows, AccessKind kind);

/// Copies the row of a lane from or to shared memory, if it is `allowed`.
void loadRow(const WarpCall &call, uint32_t allowed, int lane, void *row);
void storeRow(const WarpCall &call, uint32_t allowed, int lane, const void *row);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_INSTRUCTIONS_MATRIXROWS_H
