#include "tilewright/Target/Bitcode.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace llvm;

namespace tilewright::bitcode {
namespace {

class BitcodeTest : public testing::Test {
protected:
  BitcodeTest() {
    SmallString<64> name;
    EXPECT_FALSE(sys::fs::createTemporaryFile("bitcode-test", "bc", name));
    path = name.str().str();
    remover.setFile(path);
    setReader({});
  }
  ~BitcodeTest() override { setReader({}); }

  void write(StringRef text) const {
    LLVMContext context;
    SMDiagnostic problem;
    std::unique_ptr<Module> module = parseAssemblyString(text, problem, context);
    ASSERT_TRUE(module) << problem.getMessage().str();
    std::error_code error;
    raw_fd_ostream stream(path, error);
    WriteBitcodeToFile(*module, stream);
  }

  void writeBytes(StringRef bytes) const {
    std::error_code error;
    raw_fd_ostream stream(path, error);
    stream << bytes;
  }

  /// The error, or the names of the functions.
  std::string read() const {
    LLVMContext context;
    auto module = open(path, context);
    if (!module) {
      return toString(module.takeError());
    }
    std::string names;
    for (const Function &function : **module) {
      names += function.getName().str() + (function.isMaterializable() ? "* " : " ");
    }
    return names;
  }

  std::string path;
  FileRemover remover;
};

constexpr StringLiteral kText = "declare void @g()\ndefine void @f() {\n  call void @g()\n  ret void\n}\n";

TEST_F(BitcodeTest, FunctionsAreReadLater) {
  write(kText);
  EXPECT_EQ(read(), "g f* ");
  write("define i32 @other() {\n  ret i32 0\n}\n");
  EXPECT_EQ(read(), "other* ");
}

TEST_F(BitcodeTest, NoBitcode) {
  writeBytes("text");
  EXPECT_TRUE(StringRef(read()).starts_with(path + " is not a file of LLVM bitcode: ")) << read();
  writeBytes("");
  EXPECT_TRUE(StringRef(read()).starts_with(path + " is not a file of LLVM bitcode: ")) << read();
  path += ".none";
  EXPECT_EQ(read(), "cannot read " + path + ": No such file or directory");
}

/// A command with the input in $0 and the output in $1.
void setScript(const std::string &script) { setReader({"/bin/sh", "-c", script}); }

TEST_F(BitcodeTest, WhatTheOtherProcessWrites) {
  write(kText);
  setScript(R"({ echo bitcode; cat "$0"; } > "$1")");
  EXPECT_EQ(read(), "g f* ");
  // The result is kept until the file changes.
  setScript(R"({ echo problem; printf 'is bad'; } > "$1")");
  EXPECT_EQ(read(), "g f* ");
  writeBytes("text");
  EXPECT_EQ(read(), path + " is bad");
}

TEST_F(BitcodeTest, ACrash) {
  write(kText);
  setScript(R"(echo started > "$1"; kill -SEGV $$)");
  EXPECT_EQ(read(), path + " is not a file of LLVM bitcode: LLVM's reader crashed");
}

TEST_F(BitcodeTest, AnExitWithoutAResult) {
  write(kText);
  setScript(R"(echo started > "$1"; exit 1)");
  EXPECT_EQ(read(), path + " is not a file of LLVM bitcode: LLVM's reader crashed");
}

TEST_F(BitcodeTest, AProcessThatDoesNotStart) {
  write(kText);
  setReader({"/nowhere/python"});
  EXPECT_EQ(read(), "g f* ");
  write("define i32 @other() {\n  ret i32 0\n}\n");
  setScript("exit 1");
  EXPECT_EQ(read(), "other* ");
}

} // namespace
} // namespace tilewright::bitcode
