// Numbers instructions in an order in which lanes of a wave that took different branches meet again.

#ifndef TILEWRIGHT_LIB_EMULATOR_RETARGET_CODEORDER_H
#define TILEWRIGHT_LIB_EMULATOR_RETARGET_CODEORDER_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"

namespace tilewright::emulator {

/// Blocks come after those that lead to them, and the blocks of a loop before those behind it:
///
///     a ──▶ b ⟲ ──▶ c ──▶ e       a b c d e: of the lanes that wait, those in the loop b go first, then those in the
///           └──▶ d ──────▶        branches c and d, and all lanes meet in e
class CodeOrder {
public:
  explicit CodeOrder(llvm::Function &code);
  /// Of an instruction that the function had when this was created.
  uint64_t placeOf(const llvm::Instruction &instruction) const { return places.at(&instruction); }

private:
  llvm::DenseMap<const llvm::Instruction *, uint64_t> places;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_RETARGET_CODEORDER_H
