// Loops in which threads converge keep one entry.

#include "tilewright/Target/Amdgpu/Amdgpu.h"
#include "tilewright/Target/Nvptx/Nvptx.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

/// A loop that waits for a lock. The first thread takes it, and shares the result; before the loop, it has a fence.
/// `barrier` is the call that all threads make.
std::string waitForLock(const std::string &kernel, const std::string &barrier) {
  return kernel + R"( @wait(ptr addrspace(1) %lock, ptr addrspace(3) %shared, i1 %first) convergent nounwind {
  br i1 %first, label %release, label %before
release:
  fence acq_rel
  br label %before
before:
  br label %header
header:
  %old = atomicrmw xchg ptr addrspace(1) %lock, i32 1 monotonic
  br i1 %first, label %share, label %middle
share:
  store i32 %old, ptr addrspace(3) %shared
  br label %middle
middle:
  )" + barrier +
         R"(
  %taken = load i32, ptr addrspace(3) %shared
  %again = icmp eq i32 %taken, 1
  br i1 %again, label %latch, label %end
latch:
  )" + barrier +
         R"(
  br label %header
end:
  ret void
}
)";
}

/// As SimplifyCFG would leave it: threads other than the first enter the loop in the middle.
std::string withTwoEntries(const std::string &kernel, const std::string &barrier) {
  std::string text = waitForLock(kernel, barrier);
  std::string entry = "label %release, label %before";
  return text.replace(text.find(entry), entry.size(), "label %release, label %middle");
}

/// The same where no thread waits for others in the loop, but all do after it.
std::string withoutBarriers(const std::string &kernel, const std::string &barrier) {
  std::string text = withTwoEntries(kernel, barrier);
  for (size_t at = text.find("  " + barrier); at != std::string::npos; at = text.find("  " + barrier)) {
    text.erase(at, barrier.size() + 2);
  }
  std::string end = "end:";
  return text.replace(text.find(end), end.size(), "end:\n  " + barrier);
}

constexpr const char *kPtxKernel = "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n"
                                   "define ptx_kernel void";
constexpr const char *kPtxBarrier = "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)";
constexpr const char *kAmdKernel = "declare void @llvm.amdgcn.s.barrier()\n"
                                   "define amdgpu_kernel void";
constexpr const char *kAmdBarrier = "call void @llvm.amdgcn.s.barrier()";

class LoopEntries : public testing::Test {
protected:
  std::unique_ptr<llvm::Module> parse(const std::string &text, llvm::TargetMachine &machine) {
    llvm::SMDiagnostic diagnostic;
    auto module = llvm::parseAssemblyString(text, diagnostic, context);
    EXPECT_TRUE(module) << diagnostic.getMessage().str();
    module->setTargetTriple(machine.getTargetTriple());
    module->setDataLayout(machine.createDataLayout());
    return module;
  }

  /// The error of the code generator, or nothing.
  template <typename Emit> static std::string problem(Emit emit, llvm::Module &module, llvm::TargetMachine &machine) {
    auto text = emit(module, machine);
    return text ? "" : llvm::toString(text.takeError());
  }

  llvm::LLVMContext context;
};

TEST_F(LoopEntries, AreKeptForNvidia) {
  auto machine = llvm::cantFail(nvptx::createTargetMachine(*hardware::lookupNvidia("sm_90a")));
  auto module = parse(waitForLock(kPtxKernel, kPtxBarrier), *machine);
  nvptx::optimize(*module, *machine);
  EXPECT_EQ(problem(nvptx::emitPtx, *module, *machine), "");
}

TEST_F(LoopEntries, AreKeptForAmd) {
  auto machine = llvm::cantFail(amdgpu::createTargetMachine(*hardware::lookupAmd("gfx942")));
  auto module = parse(waitForLock(kAmdKernel, kAmdBarrier), *machine);
  amdgpu::optimize(*module, *machine);
  EXPECT_EQ(problem(amdgpu::emitAssembly, *module, *machine), "");
}

TEST_F(LoopEntries, TwoAreAnError) {
  auto nvidia = llvm::cantFail(nvptx::createTargetMachine(*hardware::lookupNvidia("sm_90a")));
  auto ptx = parse(withTwoEntries(kPtxKernel, kPtxBarrier), *nvidia);
  EXPECT_EQ(problem(nvptx::emitPtx, *ptx, *nvidia),
            "a loop of 'wait' has two entries, so that its threads would not converge at barriers");
  auto amd = llvm::cantFail(amdgpu::createTargetMachine(*hardware::lookupAmd("gfx942")));
  auto isa = parse(withTwoEntries(kAmdKernel, kAmdBarrier), *amd);
  EXPECT_NE(problem(amdgpu::emitAssembly, *isa, *amd), "");
}

TEST_F(LoopEntries, TwoAreLegalWithoutBarriers) {
  auto machine = llvm::cantFail(nvptx::createTargetMachine(*hardware::lookupNvidia("sm_90a")));
  auto module = parse(withoutBarriers(kPtxKernel, kPtxBarrier), *machine);
  EXPECT_EQ(problem(nvptx::emitPtx, *module, *machine), "");
}

} // namespace
} // namespace tilewright
