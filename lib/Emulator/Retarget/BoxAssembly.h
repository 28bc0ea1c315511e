// The opcodes of mbarrier and cp.async.bulk.tensor in inline assembly.
//
//     mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [$0], $1;
//     cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$2, $3}], [$4];
//
// Their modifiers say what is copied and counted where, so that none may be ignored.

#ifndef TILEWRIGHT_LIB_EMULATOR_RETARGET_BOXASSEMBLY_H
#define TILEWRIGHT_LIB_EMULATOR_RETARGET_BOXASSEMBLY_H

#include "AssemblyText.h"

namespace tilewright::emulator {

/// Whether the opcode is one of these instructions.
bool isBoxOpcode(llvm::StringRef opcode);

/// The name of the row, or the opcode itself if the emulator does not support it.
std::string boxRowName(llvm::StringRef opcode);

/// Whether a row of these has a result, which is the first operand of the statement.
bool hasBoxResult(llvm::StringRef row);

/// An operand of a row's function: a register or number of the statement, or a constant.
struct BoxSlot {
  const AssemblyOperand *operand = nullptr;
  uint64_t constant = 0;
};

/// The operands of the row behind the predicate. Fails if the statement has others than PTX says.
llvm::Expected<llvm::SmallVector<BoxSlot, 10>> boxSlots(const AssemblyStatement &statement);

/// The number of branches behind a wait with which it forms a loop that ends when the phase has completed; 0 if the
/// first statement is not such a wait. Such loops have two forms:
///
///     again: mbarrier.try_wait.parity.b64 p, [$0], $1;        again: mbarrier.try_wait.parity.b64 p, [$0], $1;
///     @!p bra again;                                          @p bra done;
///                                                             bra again;
///                                                             done:
size_t branchesOfWait(llvm::ArrayRef<AssemblyStatement> statements);

/// The row of a wait in a loop, which returns when the phase has completed.
inline constexpr llvm::StringLiteral kWaitLoopRow = "mbarrier.try_wait.parity in a loop";

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_RETARGET_BOXASSEMBLY_H
