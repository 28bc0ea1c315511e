#include "EmulatedCalls.h"

#include "tilewright/Emulator/Block.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilewright::emulator {

/// The size of the operand and result arrays. No instruction has more slots: a wgmma.wait_group has at most the 255
/// registers of a thread.
static constexpr unsigned kSlots = 260;

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

Site siteOf(const llvm::Instruction &instruction, StringRef name) {
  const DILocation *location = instruction.getDebugLoc().get();
  Site site;
  if (location && location->getLine() != 0) {
    StringRef folder = location->getDirectory(), file = location->getFilename();
    site.file = file.starts_with("/") || folder.empty() ? file.str() : (folder + "/" + file).str();
    site.line = location->getLine();
    site.column = location->getColumn();
  }
  site.instruction = name.str();
  return site;
}

int32_t SiteTable::numberOf(const llvm::Instruction &instruction, StringRef name) {
  Site site = siteOf(instruction, name);
  auto [found, isNew] = numbers.try_emplace({site.file, site.line, site.column, site.instruction}, sites.size());
  if (isNew) {
    sites.push_back(std::move(site));
  }
  return found->second;
}

//===----------------------------------------------------------------------===//
// Values and slots
//===----------------------------------------------------------------------===//

EmulatedCalls::EmulatedCalls(llvm::Function &function, SiteTable &sites) : function(function), sites(sites) {
  IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  thread = function.getArg(0);
  Value *address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), thread, offsetof(Thread, shared));
  shared = builder.CreateLoad(builder.getPtrTy(kSharedSpace), address, "shared");
  address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), thread, offsetof(Thread, places));
  places = builder.CreateLoad(builder.getPtrTy(), address, "places");
  auto *array = ArrayType::get(builder.getInt64Ty(), kSlots);
  in = builder.CreateAlloca(array, nullptr, "in");
  out = builder.CreateAlloca(array, nullptr, "out");
}

Value *EmulatedCalls::toSlot(IRBuilder<> &builder, Value *value) {
  Type *type = value->getType();
  if (type->isPointerTy()) {
    return builder.CreatePtrToInt(value, builder.getInt64Ty());
  }
  if (!type->isIntegerTy()) {
    unsigned bits = type->getPrimitiveSizeInBits().getFixedValue();
    value = builder.CreateBitCast(value, builder.getIntNTy(bits));
  }
  return builder.CreateZExtOrTrunc(value, builder.getInt64Ty());
}

Value *EmulatedCalls::fromSlot(IRBuilder<> &builder, Value *slot, Type *type) {
  if (type->isPointerTy()) {
    return builder.CreateIntToPtr(slot, type);
  }
  unsigned bits = type->getPrimitiveSizeInBits().getFixedValue();
  return builder.CreateBitCast(builder.CreateZExtOrTrunc(slot, builder.getIntNTy(bits)), type);
}

/// The slots of a vector that does not fit into one; 0 for other types.
static unsigned slotsOfWideVector(Type *type) {
  constexpr unsigned kSlotBits = 64;
  unsigned bits = type->isVectorTy() ? type->getPrimitiveSizeInBits().getFixedValue() : 0;
  return bits > kSlotBits ? bits / kSlotBits : 0;
}

size_t EmulatedCalls::slotsOf(Type *type) {
  if (type->isVoidTy()) {
    return 0;
  }
  if (unsigned slots = slotsOfWideVector(type)) {
    return slots;
  }
  auto *structure = dyn_cast<StructType>(type);
  return structure ? structure->getNumElements() : 1;
}

SmallVector<Value *> EmulatedCalls::toSlots(IRBuilder<> &builder, Value *value) {
  unsigned count = slotsOfWideVector(value->getType());
  if (count == 0) {
    return {toSlot(builder, value)};
  }
  Value *words = builder.CreateBitCast(value, FixedVectorType::get(builder.getInt64Ty(), count));
  SmallVector<Value *> slots;
  for (unsigned i = 0; i < count; ++i) {
    slots.push_back(builder.CreateExtractElement(words, i));
  }
  return slots;
}

Value *EmulatedCalls::fromSlots(IRBuilder<> &builder, ArrayRef<Value *> slots, Type *type) {
  if (unsigned count = slotsOfWideVector(type)) {
    Value *words = PoisonValue::get(FixedVectorType::get(builder.getInt64Ty(), count));
    for (unsigned i = 0; i < count; ++i) {
      words = builder.CreateInsertElement(words, slots[i], i);
    }
    return builder.CreateBitCast(words, type);
  }
  auto *structure = dyn_cast<StructType>(type);
  if (!structure) {
    return fromSlot(builder, slots[0], type);
  }
  Value *result = PoisonValue::get(type);
  for (unsigned i = 0; i < structure->getNumElements(); ++i) {
    Value *element = fromSlot(builder, slots[i], structure->getElementType(i));
    result = builder.CreateInsertValue(result, element, i);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Value *EmulatedCalls::slotAt(IRBuilder<> &builder, Value *slots, size_t index) {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), slots, index);
}

SmallVector<Value *> EmulatedCalls::call(IRBuilder<> &builder, const llvm::Instruction &origin, const Instruction &row,
                                         ArrayRef<Value *> slots, size_t results) {
  assert(slots.size() <= kSlots && results <= kSlots && "too many operands or results");
  for (auto [index, slot] : llvm::enumerate(slots)) {
    builder.CreateStore(slot, slotAt(builder, in, index));
  }
  auto *type =
      FunctionType::get(builder.getVoidTy(), {thread->getType(), builder.getInt32Ty(), in->getType(), in->getType()},
                        /*isVarArg=*/false);
  FunctionCallee callee = function.getParent()->getOrInsertFunction(row.name, type);
  builder.CreateCall(callee, {thread, builder.getInt32(sites.numberOf(origin, row.name)), in, out});
  SmallVector<Value *> loaded;
  for (size_t i = 0; i < results; ++i) {
    loaded.push_back(builder.CreateLoad(builder.getInt64Ty(), slotAt(builder, out, i)));
  }
  return loaded;
}

} // namespace tilewright::emulator
