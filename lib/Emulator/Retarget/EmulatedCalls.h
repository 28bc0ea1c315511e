// Creates calls of the emulator's functions in the code of a kernel.

#ifndef TILEWRIGHT_LIB_EMULATOR_RETARGET_EMULATEDCALLS_H
#define TILEWRIGHT_LIB_EMULATOR_RETARGET_EMULATEDCALLS_H

#include "tilewright/Emulator/Instruction.h"
#include "tilewright/Emulator/Launch.h"

#include "llvm/IR/IRBuilder.h"

#include <map>
#include <vector>

namespace tilewright::emulator {

/// NVPTX's address space of shared memory.
constexpr unsigned kSharedSpace = 3;

/// The position of an instruction, and a name for it.
Site siteOf(const llvm::Instruction &instruction, llvm::StringRef name);

/// The sites of a kernel. Calls refer to them by number.
class SiteTable {
public:
  int32_t numberOf(const llvm::Instruction &instruction, llvm::StringRef name);
  std::vector<Site> take() { return std::move(sites); }

private:
  std::vector<Site> sites = {Site()};
  std::map<std::tuple<std::string, int, int, std::string>, int32_t> numbers;
};

/// Operands and results are passed in two arrays on the thread's stack, which all calls share.
class EmulatedCalls {
public:
  EmulatedCalls(llvm::Function &function, SiteTable &sites);

  /// Converts a value to a slot, and back.
  llvm::Value *toSlot(llvm::IRBuilder<> &builder, llvm::Value *value);
  llvm::Value *fromSlot(llvm::IRBuilder<> &builder, llvm::Value *slot, llvm::Type *type);

  /// Calls the function of `row` with the location of `origin`, and returns `results` result slots.
  llvm::SmallVector<llvm::Value *> call(llvm::IRBuilder<> &builder, const llvm::Instruction &origin,
                                        const Instruction &row, llvm::ArrayRef<llvm::Value *> slots, size_t results);

  /// slotsOf() is the number of slots of a type: one for a scalar or vector of up to 64 bits, as many as it fills for a
  /// longer vector, and one for each element of a structure. toSlots() splits a value, and fromSlots() creates it.
  static size_t slotsOf(llvm::Type *type);
  llvm::SmallVector<llvm::Value *> toSlots(llvm::IRBuilder<> &builder, llvm::Value *value);
  llvm::Value *fromSlots(llvm::IRBuilder<> &builder, llvm::ArrayRef<llvm::Value *> slots, llvm::Type *type);

  llvm::Value *thread; ///< pointer to the running Thread
  llvm::Value *shared; ///< pointer to the block's shared memory, in address space 3
  llvm::Value *places; ///< pointer to the block's KnownPlaces

private:
  llvm::Value *slotAt(llvm::IRBuilder<> &builder, llvm::Value *slots, size_t index);

  llvm::Function &function;
  SiteTable &sites;
  llvm::Value *in, *out;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_RETARGET_EMULATEDCALLS_H
