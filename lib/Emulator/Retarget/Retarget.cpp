// Retargets a kernel from NVPTX or AMDGPU to the host, as the code of one thread.
//
//     define ptx_kernel void @add(ptr addrspace(1) %x, i32 %n)        define void @add(ptr %thread, ptr %slots)
//       %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()       ->      %x = load ptr addrspace(1), ptr %slots
//       call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)        store i64 0, ptr %in
//                                                                       call void @barrier...(ptr %thread, i32 3, ptr
//                                                                       %in, ptr %out)
//
// Address spaces are kept. They are all the same on the host, and the checks use them to find accesses to the GPU's
// global and shared memory.

#include "tilewright/Emulator/Retarget.h"

#include "AssemblyCalls.h"
#include "BufferAccesses.h"
#include "CodeOrder.h"
#include "EmulatedCalls.h"
#include "GpuSemantics.h"
#include "InlineFunctions.h"
#include "Instrument.h"
#include "WaveFences.h"

#include "tilewright/Runtime/PrintBuffer.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace tilewright::emulator {
namespace {

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// Moves the kernel's body into a function of two parameters, which loads the kernel's parameters from slots. Those
/// that are passed by value stay there.
llvm::Function &makeThreadCode(llvm::Function &kernel, ArrayRef<int> slots) {
  LLVMContext &context = kernel.getContext();
  auto *pointer = PointerType::get(context, 0);
  auto *type = FunctionType::get(Type::getVoidTy(context), {pointer, pointer}, /*isVarArg=*/false);
  llvm::Function *code = llvm::Function::Create(type, GlobalValue::ExternalLinkage, "", kernel.getParent());
  code->takeName(&kernel);
  code->addFnAttr(Attribute::NoUnwind);
  code->splice(code->begin(), &kernel);
  code->setSubprogram(kernel.getSubprogram());
  kernel.setSubprogram(nullptr);

  BasicBlock &body = code->getEntryBlock();
  BasicBlock *entry = BasicBlock::Create(context, "entry", code, &body);
  IRBuilder<> builder(entry);
  for (Argument &argument : kernel.args()) {
    int slot = slots.empty() ? argument.getArgNo() : slots[argument.getArgNo()];
    Value *address = builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), code->getArg(1), slot);
    bool isInSlots = argument.hasByValAttr() || argument.hasByRefAttr();
    argument.replaceAllUsesWith(isInSlots ? builder.CreateAddrSpaceCast(address, argument.getType())
                                          : builder.CreateLoad(argument.getType(), address, argument.getName()));
  }
  builder.CreateBr(&body);
  kernel.eraseFromParent();
  return *code;
}

/// Removes attributes that hold for the GPU only, or that the optimizer inferred.
void forgetAttributes(Module &module) {
  for (llvm::Function &function : module) {
    function.setCallingConv(CallingConv::C);
    if (!function.isDeclaration()) {
      function.setAttributes(AttributeList().addFnAttribute(module.getContext(), Attribute::NoUnwind));
      // Probe large frames page by page, so that they cannot skip the guard page below a fiber's stack.
      function.addFnAttr("probe-stack", "inline-asm");
    }
  }
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Replaces the kernel's array in shared memory by the pointer in Thread::shared.
Error replaceShared(Module &module, EmulatedCalls &calls) {
  GlobalVariable *shared = nullptr;
  for (GlobalVariable &variable : module.globals()) {
    if (variable.getAddressSpace() != kSharedSpace) {
      continue;
    }
    if (shared || module.getDataLayout().getTypeAllocSize(variable.getValueType()) != 0) {
      return createStringError(
          "the emulator supports only one array in shared memory, which must be dynamic, but the kernel has '" +
          variable.getName() + "'");
    }
    shared = &variable;
  }
  if (shared) {
    convertUsersOfConstantsToInstructions({shared});
    shared->replaceAllUsesWith(calls.shared);
    shared->eraseFromParent();
  }
  return Error::success();
}

/// Makes the variable with the print buffer's address that of the process.
void importPrintBuffer(Module &module) {
  if (GlobalVariable *variable = module.getGlobalVariable(runtime::kPrintBufferVariable)) {
    variable->setInitializer(nullptr);
    variable->setExternallyInitialized(false);
    variable->setVisibility(GlobalValue::DefaultVisibility);
    variable->setDSOLocal(false);
  }
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// " (/home/me/kernel.py:12:5)", or empty if the location is unknown.
std::string placeOf(const llvm::Instruction &instruction) {
  const DILocation *location = instruction.getDebugLoc().get();
  if (!location) {
    return "";
  }
  Site site = siteOf(instruction, "");
  return " (" + site.file + ":" + std::to_string(site.line) + ":" + std::to_string(site.column) + ")";
}

Error replaceCall(CallInst &call, const Instruction &row, EmulatedCalls &calls, const CodeOrder *order) {
  IRBuilder<> builder(&call);
  SmallVector<Value *> slots;
  if (row.needsPlace) {
    slots.push_back(builder.getInt64(order->placeOf(call)));
  }
  for (Value *argument : call.args()) {
    if (argument->getType()->isVectorTy() && argument->getType()->getPrimitiveSizeInBits() % 64 != 0 &&
        argument->getType()->getPrimitiveSizeInBits() > 64) {
      return createStringError("the emulator does not support the operands of '" + Twine(row.name) + "'");
    }
    llvm::append_range(slots, calls.toSlots(builder, argument));
  }
  SmallVector<Value *> results = calls.call(builder, call, row, slots, EmulatedCalls::slotsOf(call.getType()));
  if (!results.empty()) {
    call.replaceAllUsesWith(calls.fromSlots(builder, results, call.getType()));
  }
  call.eraseFromParent();
  return Error::success();
}

/// Whether the callee is an intrinsic that LLVM supports on the host, with the same meaning.
bool isOfLLVM(const llvm::Function &callee) {
  StringRef name = callee.getName();
  return callee.isIntrinsic() && !name.starts_with("llvm.nvvm.") && !name.starts_with("llvm.amdgcn.") &&
         !findIntrinsic(name.str());
}

/// Whether the call is one that instrumentation or an earlier step has made.
bool isOfEmulator(const CallInst &call, const EmulatedCalls &calls) {
  return call.arg_size() > 0 && call.getArgOperand(0) == calls.thread;
}

/// The row of a function that a kernel calls; null if there is none.
const Instruction *rowOf(const llvm::Function &callee, StringRef variant) {
  std::string name = callee.getName().str();
  if (!callee.isIntrinsic()) {
    return findInstruction(name);
  }
  const Instruction *row = variant.empty() ? nullptr : findIntrinsic(name + variant.str());
  return row ? row : findIntrinsic(name);
}

Error replaceCallee(CallInst &call, EmulatedCalls &calls, const CodeOrder *order, StringRef variant) {
  if (call.isInlineAsm()) {
    return replaceAssembly(call, calls);
  }
  llvm::Function *callee = call.getCalledFunction();
  if (!callee) {
    return createStringError("the emulator does not support indirect calls");
  }
  if (isOfLLVM(*callee)) {
    return Error::success();
  }
  if (isOfEmulator(call, calls)) {
    return Error::success();
  }
  const Instruction *row = rowOf(*callee, variant);
  if (!row) {
    return createStringError("the emulator does not support '" + callee->getName() + "'");
  }
  return replaceCall(call, *row, calls, order);
}

Error replaceCalls(llvm::Function &code, EmulatedCalls &calls, const CodeOrder *order, StringRef variant) {
  SmallVector<CallInst *> found;
  for (llvm::Instruction &instruction : llvm::instructions(code)) {
    if (auto *call = dyn_cast<CallInst>(&instruction)) {
      found.push_back(call);
    }
  }
  for (CallInst *call : found) {
    std::string place = placeOf(*call), kind = call->isInlineAsm() ? "inline assembly: " : "";
    if (Error error = replaceCallee(*call, calls, order, variant)) {
      return createStringError(kind + llvm::toString(std::move(error)) + place);
    }
  }
  return Error::success();
}

/// Removes declarations that are no longer used.
void removeUnused(Module &module) {
  for (llvm::Function &function : make_early_inc_range(module)) {
    if (function.isDeclaration() && function.use_empty()) {
      function.eraseFromParent();
    }
  }
}

} // namespace

Expected<std::vector<Site>> retarget(Module &module, StringRef name, const RetargetOptions &options,
                                     const TargetMachine &host) {
  llvm::Function *kernel = module.getFunction(name);
  if (!kernel || kernel->isDeclaration()) {
    return createStringError("there is no kernel '" + name + "'");
  }
  if (Error error = inlineFunctions(*kernel)) {
    return error;
  }
  const bool isOfAmd = module.getTargetTriple().isAMDGCN();
  module.setTargetTriple(host.getTargetTriple());
  module.setDataLayout(host.createDataLayout());
  llvm::Function &code = makeThreadCode(*kernel, options.slots);
  forgetAttributes(module);
  SiteTable sites;
  EmulatedCalls calls(code, sites);
  if (Error error = replaceShared(module, calls)) {
    return error;
  }
  importPrintBuffer(module);
  preserveGpuSemantics(code, isOfAmd);
  std::optional<CodeOrder> order; // only AMD's instructions need their places
  if (isOfAmd) {
    order.emplace(code);
  }
  if (options.checked) {
    countInstructions(code, calls); // must run before replaceCalls(), because it counts the GPU's instructions
    observeRegisters(code, calls);  // must run before replaceCalls(), because it looks for inline assembly
  }
  if (isOfAmd) {
    replaceFences(code, calls, *order, options.checked); // must run before replaceCalls(), which would replace barriers
    // Must run after countInstructions(), which would count comparisons and branches, and before observeAccesses().
    if (Error error = replaceBufferAccesses(code)) {
      return error;
    }
  }
  if (Error error = replaceCalls(code, calls, order ? &*order : nullptr, options.variant)) {
    return error;
  }
  splitMaskedAccesses(code); // must run after countInstructions(), because each is one instruction of the GPU
  if (options.checked) {
    observeAccesses(code, calls); // must run after replaceCalls(), which would replace its calls, too
  } else {
    guardAccesses(code, calls);
  }
  countLoops(code, calls);
  removeUnused(module);
  StripDebugInfo(module);
  return sites.take();
}

std::vector<std::pair<const char *, void *>> calledFunctions() {
  std::vector<std::pair<const char *, void *>> functions;
  for (const Instruction *row : emulator::instructions()) {
    functions.emplace_back(row->name, reinterpret_cast<void *>(row->function));
  }
  functions.emplace_back(runtime::kPrintBufferVariable, &runtime::hostPrintWords);
  return functions;
}

} // namespace tilewright::emulator
