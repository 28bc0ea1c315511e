// Calls of the emulator's functions from the code of one function.

#ifndef TILEWRIGHT_LIB_EMULATOR_RETARGET_EMULATEDCALLS_H
#define TILEWRIGHT_LIB_EMULATOR_RETARGET_EMULATEDCALLS_H

#include "tilewright/Emulator/Instruction.h"
#include "tilewright/Emulator/Launch.h"

#include "llvm/IR/IRBuilder.h"

#include <map>
#include <vector>

namespace tilewright::emulator {

/// LLVM's address space of a GPU's shared memory.
constexpr unsigned kSharedSpace = 3;

/// The places of a kernel that calls name by number.
class SiteTable {
public:
  int32_t numberOf(const llvm::Instruction &instruction, llvm::StringRef name);
  std::vector<Site> take() { return std::move(sites); }

private:
  std::vector<Site> sites = {Site()};
  std::map<std::tuple<std::string, int, int, std::string>, int32_t> numbers;
};

/// Operands and results go through two arrays on the thread's stack, which all calls of a function use.
class EmulatedCalls {
public:
  EmulatedCalls(llvm::Function &function, SiteTable &sites);

  /// The values that stand where a call comes from, as slots.
  llvm::Value *toSlot(llvm::IRBuilder<> &builder, llvm::Value *value);
  llvm::Value *fromSlot(llvm::IRBuilder<> &builder, llvm::Value *slot, llvm::Type *type);

  /// A call in place of `origin`; as many slots as are asked for come back.
  llvm::SmallVector<llvm::Value *> call(llvm::IRBuilder<> &builder, const llvm::Instruction &origin,
                                        const Instruction &row, llvm::ArrayRef<llvm::Value *> slots, size_t results);

  /// A value of that type whose parts are in the slots: a scalar, a vector in one slot, or a structure.
  static size_t slotsOf(llvm::Type *type);
  llvm::Value *fromSlots(llvm::IRBuilder<> &builder, llvm::ArrayRef<llvm::Value *> slots, llvm::Type *type);

  llvm::Value *thread; ///< the running one, a pointer
  llvm::Value *shared; ///< the block's shared memory, a pointer into address space 3
  llvm::Value *places; ///< the block's KnownPlaces

private:
  llvm::Value *slotAt(llvm::IRBuilder<> &builder, llvm::Value *slots, size_t index);

  llvm::Function &function;
  SiteTable &sites;
  llvm::Value *in, *out;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_RETARGET_EMULATEDCALLS_H
