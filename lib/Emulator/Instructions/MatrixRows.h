// Rows of matrices in shared memory, 16 bytes each, whose addresses the lanes of a warp give.

#ifndef TILEWRIGHT_EMULATOR_INSTRUCTIONS_MATRIXROWS_H
#define TILEWRIGHT_EMULATOR_INSTRUCTIONS_MATRIXROWS_H

#include "tilewright/Emulator/Block.h"
#include "tilewright/Emulator/Checker.h"

namespace tilewright::emulator {

constexpr int kRowBytes = 16;

/// Tells those who listen of the first `rows` lanes' rows. Bit i of the result says that row i may be accessed.
uint32_t announceRows(const WarpCall &call, int rows, AccessKind kind);

/// Copies the row of a lane out of shared memory, or into it; what may not be read stays as it is.
void loadRow(const WarpCall &call, uint32_t allowed, int lane, void *row);
void storeRow(const WarpCall &call, uint32_t allowed, int lane, const void *row);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_INSTRUCTIONS_MATRIXROWS_H
