#include "tilewright/Target/FatalErrors.h"

#include "llvm/Support/ErrorHandling.h"

#include <gtest/gtest.h>

#include <new>
#include <thread>

using tilewright::codegen::runGuarded;

static std::string messageOf(llvm::Error error) { return llvm::toString(std::move(error)); }

TEST(FatalErrors, SuccessIsNoError) {
  bool ran = false;
  EXPECT_FALSE(bool(runGuarded([&] { ran = true; })));
  EXPECT_TRUE(ran);
}

TEST(FatalErrors, AFatalErrorIsReturned) {
  for (int attempt = 0; attempt < 3; ++attempt) {
    llvm::Error error = runGuarded([] { llvm::report_fatal_error("no such register\nand more"); });
    EXPECT_EQ(messageOf(std::move(error)), "the code generator failed: no such register");
  }
}

TEST(FatalErrors, AddressesOfNodesAreLeftOut) {
  llvm::Error error = runGuarded([] { llvm::report_fatal_error("Cannot select: 0x55dc: f32 = fpow 0xfa00, 0xfa10"); });
  EXPECT_EQ(messageOf(std::move(error)), "the code generator failed: Cannot select: f32 = fpow");
}

TEST(FatalErrors, AnInnerGuardLeavesTheOuterOneInPlace) {
  llvm::Error outer = runGuarded([] {
    llvm::Error inner = runGuarded([] { llvm::report_fatal_error("inner"); });
    EXPECT_EQ(messageOf(std::move(inner)), "the code generator failed: inner");
    llvm::report_fatal_error("outer");
  });
  EXPECT_EQ(messageOf(std::move(outer)), "the code generator failed: outer");
}

TEST(FatalErrors, RunningOutOfMemoryIsAnError) {
  llvm::Error outer = runGuarded([] {
    llvm::Error inner = runGuarded([] { throw std::bad_alloc(); });
    EXPECT_EQ(messageOf(std::move(inner)), "the code generator ran out of memory");
    llvm::Error buffer = runGuarded([] { llvm::report_bad_alloc_error("Buffer allocation failed"); });
    EXPECT_EQ(messageOf(std::move(buffer)), "the code generator ran out of memory");
    llvm::report_fatal_error("outer");
  });
  EXPECT_EQ(messageOf(std::move(outer)), "the code generator failed: outer");
}

TEST(FatalErrors, ThreadsFailOnTheirOwn) {
  std::string first, second;
  std::thread one([&] { first = messageOf(runGuarded([] { llvm::report_fatal_error("one"); })); });
  std::thread two([&] { second = messageOf(runGuarded([] { llvm::report_fatal_error("two"); })); });
  one.join();
  two.join();
  EXPECT_EQ(first, "the code generator failed: one");
  EXPECT_EQ(second, "the code generator failed: two");
}
