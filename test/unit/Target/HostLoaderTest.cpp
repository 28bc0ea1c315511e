#include "tilewright/Target/Host/Host.h"

#include "Host/CodeMemory.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilewright::host;

namespace {

/// An object file with the function `kernel`, which has constants, data, and calls of two other functions.
const std::string &objectFile() {
  static const std::string object = [] {
    llvm::LLVMContext context;
    llvm::SMDiagnostic diagnostic;
    auto module = llvm::parseAssemblyString(R"(
      @table = private constant [4 x i32] [i32 10, i32 20, i32 30, i32 40]
      @count = private global i32 5
      @zeros = private global [5000 x i32] zeroinitializer
      declare i32 @callee(i32)
      declare i32 @abs(i32)
      define i32 @kernel(i32 %i) {
        %constant.address = getelementptr [4 x i32], ptr @table, i32 0, i32 %i
        %constant = load i32, ptr %constant.address
        %old = load i32, ptr @count
        %new = add i32 %old, 1
        store i32 %new, ptr @count
        %zero.address = getelementptr [5000 x i32], ptr @zeros, i32 0, i32 4999
        %zero = load i32, ptr %zero.address
        store i32 1000, ptr %zero.address
        %called = call i32 @callee(i32 %new)
        %positive = call i32 @abs(i32 %called)
        %sum = add i32 %constant, %positive
        %result = add i32 %sum, %zero
        ret i32 %result
      })",
                                            diagnostic, context);
    auto machine = llvm::cantFail(createTargetMachine(getHost()));
    module->setTargetTriple(machine->getTargetTriple());
    module->setDataLayout(machine->createDataLayout());
    prepare(*module, *machine);
    auto bytes = llvm::cantFail(emit(*module, *machine, false));
    return std::string(bytes.begin(), bytes.end());
  }();
  return object;
}

int negate(int value) { return -value; }

llvm::Expected<LinkedCode> linkKernel(const char *symbol = "kernel") {
  return link(objectFile(), symbol, {{"callee", reinterpret_cast<void *>(negate)}});
}

int call(const LinkedCode &code, int i) { return reinterpret_cast<int (*)(int)>(code.entry())(i); }

size_t countMappings() {
  std::ifstream maps("/proc/self/maps");
  return std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
}

std::vector<LinkedCode> linkKernels(size_t count) {
  std::vector<LinkedCode> kernels;
  for (size_t i = 0; i < count; ++i) {
    kernels.push_back(llvm::cantFail(linkKernel()));
  }
  return kernels;
}

} // namespace

TEST(HostLoader, CodeHasItsOwnDataAndItsCallees) {
  LinkedCode first = llvm::cantFail(linkKernel()), second = llvm::cantFail(linkKernel());
  EXPECT_EQ(call(first, 1), 20 + 6);
  EXPECT_EQ(call(first, 3), 40 + 7 + 1000);
  EXPECT_EQ(call(second, 0), 10 + 6);
}

TEST(HostLoader, FreedMemoryIsZeroWhenItIsUsedAgain) {
  for (int i = 0; i < 10; ++i) {
    LinkedCode code = llvm::cantFail(linkKernel());
    EXPECT_EQ(call(code, 1), 20 + 6);
  }
}

TEST(HostLoader, UndefinedSymbolsAreNamed) {
  auto missing = link(objectFile(), "kernel");
  EXPECT_EQ(llvm::toString(missing.takeError()), "undefined symbol: callee");
  EXPECT_EQ(llvm::toString(linkKernel("other").takeError()), "undefined symbol: other");
}

TEST(HostLoader, TextIsNoObjectFile) {
  EXPECT_TRUE(llvm::errorToBool(tilewright::host::link("text", "kernel").takeError()));
}

// 5,000 kernels fill more than one slab.
TEST(HostLoader, MappingsDoNotGrowWithTheNumberOfKernels) {
  linkKernels(1);
  size_t before = countMappings();
  std::vector<LinkedCode> kernels = linkKernels(5000);
  EXPECT_LT(countMappings(), before + 40);
  for (size_t i = 0; i < kernels.size(); i += 2) {
    kernels[i] = LinkedCode();
  }
  EXPECT_LT(countMappings(), before + 40);
  EXPECT_EQ(call(kernels.back(), 1), 20 + 6);
}

TEST(HostLoader, FreedMemoryIsUsedAgain) {
  auto lowestAndHighest = [] {
    auto kernels = linkKernels(1000);
    auto [low, high] = std::minmax_element(
        kernels.begin(), kernels.end(), [](const LinkedCode &a, const LinkedCode &b) { return a.entry() < b.entry(); });
    return std::pair(low->entry(), high->entry());
  };
  auto first = lowestAndHighest();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(lowestAndHighest(), first);
  }
}

/// Runs a check in a child process, and returns whether it held.
static bool holdsInChild(llvm::function_ref<bool()> check) {
  pid_t child = fork();
  if (child == 0) {
    _exit(check() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(HostLoader, RunningOutOfMemoryIsAnError) {
  EXPECT_TRUE(holdsInChild([] {
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    statm >> pages;
    rlimit limit{pages * getpagesize() + (32 << 20), RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limit);
    std::vector<LinkedCode> kernels;
    while (true) {
      auto code = linkKernel();
      if (!code) {
        return llvm::errorToErrorCode(code.takeError()) == std::errc::not_enough_memory &&
               call(kernels.back(), 1) == 20 + 6;
      }
      kernels.push_back(std::move(*code));
    }
  }));
}

TEST(HostLoader, AChildKeepsCodeThatTheParentFrees) {
  LinkedCode code = llvm::cantFail(linkKernel());
  EXPECT_TRUE(holdsInChild([&] {
    code = LinkedCode();
    std::vector<LinkedCode> kernels = linkKernels(100);
    return call(kernels.front(), 1) == 20 + 6;
  }));
  EXPECT_EQ(call(code, 1), 20 + 6);
}

TEST(HostLoader, FreePagesAreTakenAndMergedInAnyOrder) {
  constexpr size_t kCount = 100;
  std::mt19937 random(1);
  FreePages free(kCount);
  std::vector<bool> used(kCount);
  std::vector<std::pair<size_t, size_t>> runs;
  for (int step = 0; step < 10000; ++step) {
    size_t count = 1 + random() % 12;
    if (auto first = random() % 2 ? free.take(count) : std::nullopt) {
      for (size_t i = *first; i < *first + count; ++i) {
        ASSERT_LT(i, kCount);
        ASSERT_FALSE(used[i]);
        used[i] = true;
      }
      runs.emplace_back(*first, count);
    } else if (!runs.empty()) {
      std::swap(runs[random() % runs.size()], runs.back());
      auto [begin, size] = runs.back();
      std::fill_n(used.begin() + begin, size, false);
      free.giveBack(begin, size);
      runs.pop_back();
    }
  }
  for (auto [begin, size] : runs) {
    free.giveBack(begin, size);
  }
  EXPECT_EQ(free.take(kCount), 0u);
  EXPECT_EQ(free.take(1), std::nullopt);
}
