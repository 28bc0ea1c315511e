// The checks of wgmma: what is in flight from the instruction until its warp has waited for it.

#ifndef TILEWRIGHT_EMULATOR_INSTRUCTIONS_WGMMAISSUE_H
#define TILEWRIGHT_EMULATOR_INSTRUCTIONS_WGMMAISSUE_H

#include "tilewright/Emulator/Block.h"

namespace tilewright::emulator {

struct WgmmaTraits {
  WarpFunction compute; ///< computes the results of one warp
  int elementBytes;     ///< of A and B
  RegisterKind kind;
};

/// Executes a wgmma with its checks.
void issueWgmma(const WarpCall &call, const WgmmaTraits &traits);

/// Compares an instruction of a warp with what the other warps of its group execute.
void enterGroup(const WarpCall &call, const void *instruction, uint64_t operand = 0);

/// Completes all but the last `left` groups of the warp's wgmmas.
void completeWgmmas(const WarpCall &call, uint64_t left);

/// Replaces marks of completed wgmmas in a lane's registers by results. Operands: as waitWithRegisters() in Wgmma.cpp.
void settleRegisters(const WarpCall &call);

/// Operands: the bits of a register that an ordinary instruction reads. Returns its value.
void readRegister(Thread &thread, int32_t site, const uint64_t *in, uint64_t *out);

/// The number of the latest wgmma of a warp, among all of the block.
inline uint64_t ticketOf(const Warp &warp) { return warp.wgmmas.issued * kLanes + warp.index; }

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_INSTRUCTIONS_WGMMAISSUE_H
