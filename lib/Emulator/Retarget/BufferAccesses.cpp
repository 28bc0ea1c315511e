#include "BufferAccesses.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace tilewright::emulator {
namespace {

constexpr unsigned kGlobalSpace = 1;
/// Accesses of several words need the alignment of a word only.
constexpr uint64_t kMostAlignment = 4;

struct Resource {
  Value *base = nullptr, *size = nullptr; ///< an address in global memory, and bytes as i64
};

class Resources {
public:
  /// The parts of a resource. The optimizer may have chosen between two of them.
  Expected<Resource> get(Value *value) {
    auto found = known.find(value);
    if (found != known.end()) {
      return found->second;
    }
    if (auto *call = dyn_cast<IntrinsicInst>(value);
        call && call->getIntrinsicID() == Intrinsic::amdgcn_make_buffer_rsrc) {
      return made(*call);
    }
    if (auto *phi = dyn_cast<PHINode>(value)) {
      return merged(*phi);
    }
    if (auto *select = dyn_cast<SelectInst>(value)) {
      return chosen(*select);
    }
    return createStringError("the emulator does not support buffer resources other than those of make.buffer.rsrc");
  }

  /// Erases the resources, which no access uses any more.
  void erase() {
    for (auto &[value, parts] : known) {
      value->replaceAllUsesWith(PoisonValue::get(value->getType()));
    }
    for (auto &[value, parts] : known) {
      cast<llvm::Instruction>(value)->eraseFromParent();
    }
  }

private:
  Expected<Resource> made(IntrinsicInst &call) {
    auto *stride = dyn_cast<ConstantInt>(call.getArgOperand(1));
    if (!stride || !stride->isZero()) {
      return createStringError("the emulator does not support buffer resources with a stride");
    }
    IRBuilder<> builder(&call);
    Value *base = builder.CreateAddrSpaceCast(call.getArgOperand(0), builder.getPtrTy(kGlobalSpace));
    return known[&call] = {base, builder.CreateZExtOrTrunc(call.getArgOperand(2), builder.getInt64Ty())};
  }

  Expected<Resource> merged(PHINode &phi) {
    IRBuilder<> builder(&phi);
    unsigned count = phi.getNumIncomingValues();
    auto *base = builder.CreatePHI(builder.getPtrTy(kGlobalSpace), count);
    auto *size = builder.CreatePHI(builder.getInt64Ty(), count);
    known[&phi] = {base, size}; // which a loop's resource may lead back to
    for (unsigned i = 0; i < count; ++i) {
      Expected<Resource> part = get(phi.getIncomingValue(i));
      if (!part) {
        return part.takeError();
      }
      base->addIncoming(part->base, phi.getIncomingBlock(i));
      size->addIncoming(part->size, phi.getIncomingBlock(i));
    }
    return Resource{base, size};
  }

  Expected<Resource> chosen(SelectInst &select) {
    Expected<Resource> lhs = get(select.getTrueValue());
    if (!lhs) {
      return lhs.takeError();
    }
    Expected<Resource> rhs = get(select.getFalseValue());
    if (!rhs) {
      return rhs.takeError();
    }
    IRBuilder<> builder(&select);
    Value *condition = select.getCondition();
    return known[&select] = {builder.CreateSelect(condition, lhs->base, rhs->base),
                             builder.CreateSelect(condition, lhs->size, rhs->size)};
  }

  MapVector<Value *, Resource> known;
};

/// A load's operands are the resource, the offset, the wave's offset and bits; a store has the value before them.
struct BufferAccess {
  IntrinsicInst &call;
  Value *stored = nullptr;
  unsigned first = 0; ///< the number of the operand that is the resource

  explicit BufferAccess(IntrinsicInst &call) : call(call) {
    if (call.getIntrinsicID() == Intrinsic::amdgcn_raw_ptr_buffer_store) {
      stored = call.getArgOperand(0);
      first = 1;
    }
  }

  Value *resource() const { return call.getArgOperand(first); }
  Value *offset() const { return call.getArgOperand(first + 1); }
  Value *offsetOfWave() const { return call.getArgOperand(first + 2); }
  Type *type() const { return stored ? stored->getType() : call.getType(); }
};

/// The offset of the wave is added to the address, and not part of what is compared with the size. An access of which
/// only a part is in range does not happen: GPUs differ there, and the compiler emits none.
void replace(const BufferAccess &access, const Resource &resource) {
  IntrinsicInst &call = access.call;
  IRBuilder<> builder(&call);
  uint64_t bytes = call.getDataLayout().getTypeStoreSize(access.type());
  Value *offset = builder.CreateZExt(access.offset(), builder.getInt64Ty());
  Value *end = builder.CreateAdd(offset, builder.getInt64(bytes));
  Value *isInRange = builder.CreateICmpULE(end, resource.size);
  llvm::Instruction *happens = SplitBlockAndInsertIfThen(isInRange, call.getIterator(), /*Unreachable=*/false);
  builder.SetInsertPoint(happens);
  builder.SetCurrentDebugLocation(call.getDebugLoc());
  Value *ofWave = builder.CreateZExt(access.offsetOfWave(), builder.getInt64Ty());
  Value *address = builder.CreatePtrAdd(resource.base, builder.CreateAdd(offset, ofWave));
  Align alignment(std::min<uint64_t>(kMostAlignment, llvm::bit_floor(bytes)));
  if (access.stored) {
    builder.CreateAlignedStore(access.stored, address, alignment);
  } else {
    Value *loaded = builder.CreateAlignedLoad(access.type(), address, alignment);
    builder.SetInsertPoint(&call);
    PHINode *result = builder.CreatePHI(access.type(), 2);
    result->addIncoming(loaded, happens->getParent());
    result->addIncoming(Constant::getNullValue(access.type()), happens->getParent()->getSinglePredecessor());
    call.replaceAllUsesWith(result);
  }
  call.eraseFromParent();
}

} // namespace

Error replaceBufferAccesses(Function &code) {
  SmallVector<IntrinsicInst *> found;
  for (llvm::Instruction &instruction : instructions(code)) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    Intrinsic::ID id = call ? call->getIntrinsicID() : Intrinsic::not_intrinsic;
    if (id == Intrinsic::amdgcn_raw_ptr_buffer_load || id == Intrinsic::amdgcn_raw_ptr_buffer_store) {
      found.push_back(call);
    }
  }
  Resources resources;
  for (IntrinsicInst *call : found) {
    BufferAccess access(*call);
    Expected<Resource> resource = resources.get(access.resource());
    if (!resource) {
      return resource.takeError();
    }
    replace(access, *resource);
  }
  resources.erase();
  return Error::success();
}

} // namespace tilewright::emulator
