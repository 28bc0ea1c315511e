// What is read from AMD code objects, and from bytes that are none. The code objects have notes but no code; those of
// LLVM's assembler are read by test/python/runtime/test_hip_code_objects.py.

#include "tilewright/Target/Amdgpu/KernelNotes.h"

#include <gtest/gtest.h>

#include <dlfcn.h>

namespace tilewright::amdgpu {
namespace {

std::string codeObject(const char *text) {
  static void *library = dlopen(FAKE_HIP_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  auto *make = reinterpret_cast<const char *(*)(const char *, size_t *)>(dlsym(library, "fake_code_object"));
  size_t size = 0;
  const char *bytes = make(text, &size);
  return std::string(bytes, size);
}

/// Why the bytes can't be read; empty if they can.
std::string problemOf(const std::string &bytes) {
  auto notes = readNotes(bytes);
  return notes ? "" : llvm::toString(notes.takeError());
}

TEST(KernelNotesTest, ReadsKernels) {
  auto notes =
      readNotes(codeObject("gfx942:sramecc+:xnack-\n"
                           "add registers=12 accumulation=4 scalar=20 spills=3 local=64 static=512 threads=256 "
                           "lanes=64 parameters=8,4,1,8,4h\n"
                           "copy"));
  ASSERT_TRUE(static_cast<bool>(notes)) << llvm::toString(notes.takeError());
  EXPECT_EQ(notes->architecture, "gfx942");
  EXPECT_EQ(notes->features, "sramecc+:xnack-");
  ASSERT_EQ(notes->kernels.size(), 2u);
  EXPECT_EQ(notes->find("sub"), nullptr);
  ASSERT_TRUE(notes->find("copy"));
  EXPECT_TRUE(notes->find("copy")->arguments.empty());
  const KernelNotes *add = notes->find("add");
  ASSERT_TRUE(add);
  EXPECT_EQ(add->vectorRegisters, 12u);
  EXPECT_EQ(add->accumulationRegisters, 4u);
  EXPECT_EQ(add->scalarRegisters, 20u);
  EXPECT_EQ(add->vectorSpills, 3u);
  EXPECT_EQ(add->scalarSpills, 0u);
  EXPECT_EQ(add->ldsBytes, 512u);
  EXPECT_EQ(add->scratchBytes, 64u);
  EXPECT_EQ(add->lanesPerWave, 64u);
  EXPECT_EQ(add->maxThreads, 256u);
  const std::vector<std::array<uint32_t, 3>> expected = {{0, 8, 0}, {8, 4, 0}, {12, 1, 0}, {16, 8, 0}, {24, 4, 1}};
  ASSERT_EQ(add->arguments.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const ArgumentNote &argument = add->arguments[i];
    EXPECT_EQ((std::array<uint32_t, 3>{argument.offset, argument.bytes, argument.isHidden}), expected[i]);
  }
}

TEST(KernelNotesTest, ReadsGenericArchitectures) {
  auto notes = readNotes(codeObject("gfx9-4-generic\nadd"));
  ASSERT_TRUE(static_cast<bool>(notes)) << llvm::toString(notes.takeError());
  EXPECT_EQ(notes->architecture, "gfx9-4-generic");
  EXPECT_EQ(notes->features, "");
}

TEST(KernelNotesTest, SaysWhatIsMalformed) {
  EXPECT_EQ(problemOf(""), "the code object is malformed: it is no ELF file");
  EXPECT_EQ(problemOf("__CLANG_OFFLOAD_BUNDLE__"), "the code object is malformed: it is no ELF file");
  EXPECT_EQ(problemOf(codeObject("vega\nadd")),
            "the code object is malformed: its notes name no architecture or no kernels");
  std::string other = codeObject("gfx942\nadd");
  other[18] = 62; // e_machine: x86-64
  EXPECT_EQ(problemOf(other), "the code object is malformed: it is an ELF file for another processor than an AMD GPU");
  std::string empty = codeObject("gfx942\nadd");
  empty[64] = 0; // p_type of the only segment: PT_NULL
  EXPECT_EQ(problemOf(empty), "the code object is malformed: it has no notes on its kernels");
}

TEST(KernelNotesTest, SurvivesEveryTruncationAndByte) {
  const std::string whole = codeObject("gfx942:xnack-\nadd registers=12 parameters=8,4h");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(problemOf(whole.substr(0, size)), "") << size;
  }
  // Some bytes are only numbers, so that no error is expected.
  for (size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ 1 << bit);
      problemOf(changed);
    }
  }
}

} // namespace
} // namespace tilewright::amdgpu
