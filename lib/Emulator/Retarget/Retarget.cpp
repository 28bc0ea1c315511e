// A kernel for NVPTX to the code of one thread on the host.
//
//     define ptx_kernel void @add(ptr addrspace(1) %x, i32 %n)        define void @add(ptr %thread, ptr %slots)
//       %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()       ->      %x = load ptr addrspace(1), ptr %slots
//       call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)        store i64 0, ptr %in
//                                                                       call void @barrier...(ptr %thread, i32 3, ptr
//                                                                       %in, ptr %out)
//
// Address spaces stay: for the host all are one, and the checks tell by them what is memory of the GPU.

#include "tilewright/Emulator/Retarget.h"

#include "AssemblyCalls.h"
#include "EmulatedCalls.h"
#include "GpuMeaning.h"
#include "Instrument.h"

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

/// Moves the kernel's body into a function of two parameters, which loads the kernel's own from slots.
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
    argument.replaceAllUsesWith(builder.CreateLoad(argument.getType(), address, argument.getName()));
  }
  builder.CreateBr(&body);
  kernel.eraseFromParent();
  return *code;
}

/// What LLVM knows of functions as a GPU's, or as the optimiser left them.
void forgetAttributes(Module &module) {
  for (llvm::Function &function : module) {
    function.setCallingConv(CallingConv::C);
    if (!function.isDeclaration()) {
      function.setAttributes(AttributeList().addFnAttribute(module.getContext(), Attribute::NoUnwind));
      // A frame of many pages must not reach over the one below a fiber's stack that faults.
      function.addFnAttr("probe-stack", "inline-asm");
    }
  }
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// The one array of shared memory that a kernel has is where the block says.
Error replaceShared(Module &module, EmulatedCalls &calls) {
  GlobalVariable *shared = nullptr;
  for (GlobalVariable &variable : module.globals()) {
    if (variable.getAddressSpace() != kSharedSpace) {
      continue;
    }
    if (shared || module.getDataLayout().getTypeAllocSize(variable.getValueType()) != 0) {
      return createStringError(
          "the emulator knows one array in shared memory, whose size the launch decides, and not '" +
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

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// " (kernel.py:12)" where that is known.
std::string placeOf(const llvm::Instruction &instruction) {
  const DILocation *location = instruction.getDebugLoc().get();
  return location ? (" (" + location->getFilename() + ":" + Twine(location->getLine()) + ")").str() : "";
}

Error replaceCall(CallInst &call, const Instruction &row, EmulatedCalls &calls) {
  IRBuilder<> builder(&call);
  SmallVector<Value *> slots;
  for (Value *argument : call.args()) {
    slots.push_back(calls.toSlot(builder, argument));
  }
  SmallVector<Value *> results = calls.call(builder, call, row, slots, EmulatedCalls::slotsOf(call.getType()));
  if (!results.empty()) {
    call.replaceAllUsesWith(calls.fromSlots(builder, results, call.getType()));
  }
  call.eraseFromParent();
  return Error::success();
}

/// A call that LLVM for the host understands by itself.
bool isOfLLVM(const llvm::Function &callee) {
  return callee.isIntrinsic() && !callee.getName().starts_with("llvm.nvvm.");
}

/// One that was put there to look at the kernel.
bool isOfEmulator(StringRef name) { return name.starts_with("emulator."); }

Error replaceCallee(CallInst &call, EmulatedCalls &calls) {
  if (call.isInlineAsm()) {
    return replaceAssembly(call, calls);
  }
  llvm::Function *callee = call.getCalledFunction();
  if (!callee) {
    return createStringError("the emulator takes no calls of functions that are found at run time");
  }
  if (isOfLLVM(*callee)) {
    return Error::success();
  }
  std::string name = callee->getName().str();
  if (isOfEmulator(name)) {
    return Error::success();
  }
  const Instruction *row = callee->isIntrinsic() ? findIntrinsic(name) : findInstruction(name);
  if (!row) {
    return createStringError("the emulator does not know '" + name + "'");
  }
  return replaceCall(call, *row, calls);
}

Error replaceCalls(llvm::Function &code, EmulatedCalls &calls) {
  SmallVector<CallInst *> found;
  for (llvm::Instruction &instruction : llvm::instructions(code)) {
    if (auto *call = dyn_cast<CallInst>(&instruction)) {
      found.push_back(call);
    }
  }
  for (CallInst *call : found) {
    std::string place = placeOf(*call);
    if (Error error = replaceCallee(*call, calls)) {
      return createStringError(llvm::toString(std::move(error)) + place);
    }
  }
  return Error::success();
}

/// What is called on a GPU only, and by nobody any more.
void removeUnused(Module &module) {
  for (llvm::Function &function : make_early_inc_range(module)) {
    if (function.isDeclaration() && function.use_empty()) {
      function.eraseFromParent();
    }
  }
}

/// The kernel, which must be all that the module defines.
Expected<llvm::Function *> findKernel(Module &module, StringRef name) {
  llvm::Function *kernel = nullptr;
  for (llvm::Function &function : module) {
    if (function.isDeclaration()) {
      continue;
    }
    if (function.getName() != name) {
      return createStringError("the emulator takes no functions beside the kernel, as '" + function.getName() + "'");
    }
    kernel = &function;
  }
  return kernel ? Expected<llvm::Function *>(kernel) : createStringError("there is no kernel '" + name + "'");
}

} // namespace

Expected<std::vector<Site>> retarget(Module &module, StringRef name, const RetargetOptions &options,
                                     const TargetMachine &host) {
  auto kernel = findKernel(module, name);
  if (!kernel) {
    return kernel.takeError();
  }
  module.setTargetTriple(host.getTargetTriple());
  module.setDataLayout(host.createDataLayout());
  llvm::Function &code = makeThreadCode(**kernel, options.slots);
  forgetAttributes(module);
  SiteTable sites;
  EmulatedCalls calls(code, sites);
  if (Error error = replaceShared(module, calls)) {
    return error;
  }
  keepGpuMeaning(code);
  if (options.checked) {
    countInstructions(code, calls); // while the GPU's instructions are there
  }
  if (Error error = replaceCalls(code, calls)) {
    return error;
  }
  if (options.checked) {
    observeAccesses(code, calls); // whose own calls are not the kernel's
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
  return functions;
}

} // namespace tilewright::emulator
