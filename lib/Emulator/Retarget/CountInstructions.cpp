// Inserts calls that count the instructions of each class that each line of a kernel executes.
//
// The instructions are those of LLVM's IR after its optimizer for NVPTX. The GPU's machine instructions differ, but
// there are about as many. Instructions that are free on a GPU (bit casts, pointer casts, truncations) are not counted.

#include "AssemblyCalls.h"
#include "Instrument.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

#include <map>
#include <optional>

using namespace llvm;

namespace tilewright::emulator {
namespace {

std::optional<InstructionClass> classOfAccess(const Value *pointer) {
  switch (pointer->getType()->getPointerAddressSpace()) {
  case 0:
  case 5: // local memory
    return std::nullopt;
  case 4: // constants
    return InstructionClass::Other;
  case kSharedSpace:
    return InstructionClass::Shared;
  default:
    return InstructionClass::Global;
  }
}

std::optional<InstructionClass> classOfCall(const CallInst &call) {
  if (call.isInlineAsm()) {
    const Instruction *row = rowOfAssembly(call);
    return row ? std::optional(row->kind) : std::nullopt;
  }
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee || isa<DbgInfoIntrinsic>(call) || isa<AssumeInst>(call)) {
    return std::nullopt;
  }
  switch (call.getIntrinsicID()) {
  case Intrinsic::amdgcn_raw_ptr_buffer_load:
  case Intrinsic::amdgcn_raw_ptr_buffer_store:
    return InstructionClass::Global;
  case Intrinsic::amdgcn_make_buffer_rsrc: // its constant words are in scalar registers
    return std::nullopt;
  default:
    break;
  }
  std::string name = callee->getName().str();
  if (const Instruction *row = callee->isIntrinsic() ? findIntrinsic(name) : findInstruction(name)) {
    return row->kind;
  }
  return call.getType()->isFPOrFPVectorTy() ? InstructionClass::Float : InstructionClass::Integer;
}

std::optional<InstructionClass> classOf(const llvm::Instruction &instruction) {
  if (auto *call = dyn_cast<CallInst>(&instruction)) {
    return classOfCall(*call);
  }
  if (const Value *pointer = getLoadStorePointerOperand(&instruction)) {
    return classOfAccess(pointer);
  }
  if (auto *cast = dyn_cast<CastInst>(&instruction)) {
    bool isFree = isa<BitCastInst, PtrToIntInst, IntToPtrInst, AddrSpaceCastInst, TruncInst>(cast);
    return isFree ? std::nullopt : std::optional(InstructionClass::Conversion);
  }
  if (isa<BinaryOperator, UnaryOperator, CmpInst, SelectInst>(instruction)) {
    return instruction.getOperand(0)->getType()->isFPOrFPVectorTy() ? InstructionClass::Float
                                                                    : InstructionClass::Integer;
  }
  if (isa<GetElementPtrInst>(instruction)) {
    return InstructionClass::Integer;
  }
  if (isa<FenceInst>(instruction)) {
    // Those of AMD's GPUs become waits for memory.
    bool isOfAmd = instruction.getModule()->getModuleFlag("amdhsa_code_object_version") != nullptr;
    return isOfAmd ? InstructionClass::Control : InstructionClass::Barrier;
  }
  return instruction.isTerminator() ? std::optional(InstructionClass::Control) : std::nullopt;
}

/// The instructions of a basic block that have the same line and class.
struct Group {
  const llvm::Instruction *first = nullptr;
  uint64_t count = 0;
};

void countBlock(BasicBlock &block, EmulatedCalls &calls) {
  std::map<std::pair<unsigned, InstructionClass>, Group> groups;
  for (const llvm::Instruction &instruction : block) {
    if (std::optional<InstructionClass> kind = classOf(instruction)) {
      const DebugLoc &location = instruction.getDebugLoc();
      Group &group = groups[{location ? location.getLine() : 0, *kind}];
      group.first = group.first ? group.first : &instruction;
      ++group.count;
    }
  }
  const Instruction &row = *findInstruction("emulator.count");
  IRBuilder<> builder(&*block.getFirstInsertionPt());
  for (const auto &[key, group] : groups) {
    calls.call(builder, *group.first, row,
               {builder.getInt64(static_cast<uint64_t>(key.second)), builder.getInt64(group.count)}, 0);
  }
}

} // namespace

void countInstructions(llvm::Function &code, EmulatedCalls &calls) {
  for (BasicBlock &block : code) {
    if (&block != &code.getEntryBlock()) { // retarget() added the entry block
      countBlock(block, calls);
    }
  }
}

} // namespace tilewright::emulator
