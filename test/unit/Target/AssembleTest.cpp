// Assembles PTX with each assembler that is available.

#include "NvptxSamples.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>

#include <thread>

namespace tilewright::cuda {
namespace {

const hardware::NvidiaInfo &target(std::string_view name) { return *hardware::lookupNvidia(name); }

std::string errorOf(llvm::Expected<Cubin> result) { return result ? "" : llvm::toString(result.takeError()); }

std::string head(const std::string &arch) {
  return ".version 8.4\n.target " + arch + "\n.address_size 64\n.entry kernel(.param .u64 pointer) {\n";
}

/// A kernel in which this many floats are live at the same time.
std::string manyValues(int count) {
  std::string body = ".reg .f32 %f<" + std::to_string(count) + ">;\n.reg .b64 %l;\nld.param.u64 %l, [pointer];\n";
  auto line = [](std::string before, int at, std::string between, int value, std::string after) {
    return before + std::to_string(at) + between + std::to_string(value) + after;
  };
  for (int i = 0; i < count; ++i) {
    body += line("ld.volatile.global.f32 %f", i, ", [%l+", 4 * i, "];\n");
  }
  for (int i = 0; i < count; ++i) {
    body += line("st.volatile.global.f32 [%l+", 4 * i, "], %f", count - 1 - i, ";\n");
  }
  return head("sm_80") + body + "ret;\n}\n";
}

/// wgmma instructions whose accumulator is accessed in between.
const char *const kSerialized = R"(
.reg .f32 %f<4>; .reg .b64 %l<2>;
ld.param.u64 %l0, [pointer];
mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %l0, %l0, 1, 1, 1, 0, 0;
add.f32 %f0, %f0, %f0;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %l0, %l0, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
st.global.v4.f32 [%l0], {%f0,%f1,%f2,%f3};
ret;
}
)";

//===----------------------------------------------------------------------===//
// NVIDIA's assemblers
//===----------------------------------------------------------------------===//

enum class Assembler { NvJitLink, Ptxas };

class EveryAssembler : public testing::TestWithParam<Assembler> {
protected:
  void SetUp() override {
    SKIP_WITHOUT_ASSEMBLER(found);
    options = found;
    (GetParam() == Assembler::NvJitLink ? options.ptxas : options.nvJitLink).clear();
    if (options.nvJitLink.empty() && options.ptxas.empty()) {
      GTEST_SKIP() << "this assembler is not here";
    }
  }

  AssembleOptions options;
};

TEST_P(EveryAssembler, SaysWhoItIs) {
  auto name = describeAssembler(options);
  ASSERT_TRUE(bool(name)) << llvm::toString(name.takeError());
  EXPECT_EQ(name->rfind(GetParam() == Assembler::NvJitLink ? "nvJitLink 1" : "ptxas 1", 0), 0u) << *name;
}

TEST_P(EveryAssembler, TheVersionTellsWhetherAccumulatorsMayBeUndefined) {
  std::string name = llvm::cantFail(describeAssembler(options));
  double version = std::stod(name.substr(name.find(' ')));
  EXPECT_EQ(serializesUndefinedAccumulators(options, /*movesRegisters=*/false), version < 12.9) << name;
}

TEST_P(EveryAssembler, RegistersStackAndSpillsAreReported) {
  options.maxRegisters = 32;
  auto cubin = assemble(manyValues(64), target("sm_80"), options);
  ASSERT_TRUE(bool(cubin)) << llvm::toString(cubin.takeError());
  EXPECT_EQ(cubin->registers, 32);
  EXPECT_GE(cubin->spillBytes, 2 * 4 * (64 - 32));
  EXPECT_GE(cubin->stackBytes, 4 * (64 - 32));

  options.maxRegisters.reset();
  auto roomy = assemble(manyValues(64), target("sm_80"), options);
  ASSERT_TRUE(bool(roomy)) << llvm::toString(roomy.takeError());
  EXPECT_GE(roomy->registers, 64);
  EXPECT_EQ(roomy->spillBytes, 0);
  EXPECT_EQ(roomy->stackBytes, 0);
}

TEST_P(EveryAssembler, ALimitHoldsForAKernelWithALaunchBound) {
  std::string ptx = manyValues(64);
  ptx.insert(ptx.find('{'), ".reqntid 512\n");
  options.maxRegisters = 40;
  auto cubin = assemble(ptx, target("sm_80"), options);
  ASSERT_TRUE(bool(cubin)) << llvm::toString(cubin.takeError());
  EXPECT_LE(cubin->registers, 40);
}

TEST_P(EveryAssembler, NothingSpillsInALoopForAnotherBlock) {
  // A second block of 512 threads would fit with 64 registers, but 72 values are live at the same time.
  std::string ptx = manyValues(72);
  Block block = {512, 0, Overlap::Loads};
  Cubin roomy = llvm::cantFail(assemble(ptx, target("sm_80"), options));
  ASSERT_FALSE(registersForMoreBlocks(roomy, target("sm_80"), block).empty());
  auto cubin = assembleForOccupancy(ptx, target("sm_80"), options, block);
  ASSERT_TRUE(bool(cubin)) << llvm::toString(cubin.takeError());
  EXPECT_GT(cubin->registers, 72);
  EXPECT_EQ(cubin->spillBytes, 0);
}

TEST_P(EveryAssembler, NothingSpillsInAMatmulForAnotherBlock) {
  auto cubin = assembleForOccupancy(manyValues(72), target("sm_80"), options, {512, 0, Overlap::Matmul});
  ASSERT_TRUE(bool(cubin)) << llvm::toString(cubin.takeError());
  EXPECT_GT(cubin->registers, 72);
  EXPECT_EQ(cubin->spillBytes, 0);
}

TEST_P(EveryAssembler, CodeWithoutALoopMaySpillAFewRegisters) {
  // With 64 registers, 66 values spill a little, and 150 values a lot; with 40, for a third block, 66 spill a lot.
  auto tight = assembleForOccupancy(manyValues(66), target("sm_80"), options, {512, 0});
  ASSERT_TRUE(bool(tight)) << llvm::toString(tight.takeError());
  EXPECT_LE(tight->registers, 64);
  EXPECT_GT(tight->registers, 40);
  EXPECT_GT(tight->spillBytes, 0);
  EXPECT_LE(tight->spillBytes, 64);
  auto roomy = assembleForOccupancy(manyValues(150), target("sm_80"), options, {512, 0});
  ASSERT_TRUE(bool(roomy)) << llvm::toString(roomy.takeError());
  EXPECT_GT(roomy->registers, 64);
}

TEST_P(EveryAssembler, StaticSharedMemoryIsReported) {
  std::string ptx = head("sm_80") + ".shared .align 4 .b8 buffer[512];\n.reg .b32 %r;\nmov.u32 %r, %tid.x;\n"
                                    "st.volatile.shared.u32 [buffer], %r;\nret;\n}\n";
  auto cubin = assemble(ptx, target("sm_80"), options);
  ASSERT_TRUE(bool(cubin)) << llvm::toString(cubin.takeError());
  EXPECT_EQ(cubin->staticSharedBytes, 512);
}

TEST_P(EveryAssembler, LinesAreKeptOnRequest) {
  std::string ptx = head("sm_80") + ".loc 1 7 3\nret;\n}\n.file 1 \"kernel.py\"\n";
  options.lineInfo = true;
  auto cubin = assemble(ptx, target("sm_80"), options);
  ASSERT_TRUE(bool(cubin)) << llvm::toString(cubin.takeError());
  EXPECT_NE(cubin->image.find("kernel.py"), std::string::npos);
}

TEST_P(EveryAssembler, ARefusalQuotesTheLine) {
  std::string error = errorOf(assemble(head("sm_80") + "mov.s32 %oops, 1;\nret;\n}\n", target("sm_80"), options));
  EXPECT_NE(error.find(" rejected the PTX for sm_80:\n"), std::string::npos) << error;
  EXPECT_NE(error.find("line 5; error   : Unknown symbol '%oops'"), std::string::npos) << error;
  EXPECT_NE(error.find("\nPTX line 5: mov.s32 %oops, 1;"), std::string::npos) << error;
}

TEST_P(EveryAssembler, PtxOfAnotherArchitectureIsRefused) {
  std::string error = errorOf(assemble(head("sm_90a") + "ret;\n}\n", target("sm_80"), options));
  EXPECT_NE(error.find(" rejected the PTX for sm_80:\nptxas fatal "), std::string::npos) << error;
}

TEST_P(EveryAssembler, ProductsThatWaitAreRemarkedOn) {
  auto cubin = assemble(head("sm_90a") + kSerialized, target("sm_90a"), options);
  ASSERT_TRUE(bool(cubin)) << llvm::toString(cubin.takeError());
  EXPECT_FALSE(findWgmmaRemarks(cubin->log).empty()) << cubin->log;
  auto other = assemble(manyValues(4), target("sm_80"), options);
  ASSERT_TRUE(bool(other)) << llvm::toString(other.takeError());
  EXPECT_TRUE(findWgmmaRemarks(other->log).empty()) << other->log;
}

TEST_P(EveryAssembler, ThreadsAssembleAtOnce) {
  auto spills = [&](int maxRegisters) {
    AssembleOptions mine = options;
    mine.maxRegisters = maxRegisters;
    auto cubin = assemble(manyValues(64), target("sm_80"), mine);
    return cubin ? cubin->spillBytes : -1;
  };
  const int64_t tight = spills(32), loose = spills(48);
  ASSERT_GT(tight, loose);
  int wrong[2] = {0, 0};
  auto work = [&](int which) {
    for (int i = 0; i < 5; ++i) {
      wrong[which] += spills(which ? 32 : 48) != (which ? tight : loose);
    }
  };
  std::thread first(work, 0), second(work, 1);
  first.join();
  second.join();
  EXPECT_EQ(wrong[0] + wrong[1], 0);
}

INSTANTIATE_TEST_SUITE_P(Nvidia, EveryAssembler, testing::Values(Assembler::NvJitLink, Assembler::Ptxas),
                         [](const auto &info) { return info.param == Assembler::NvJitLink ? "nvJitLink" : "ptxas"; });

//===----------------------------------------------------------------------===//
// Registers for more blocks
//===----------------------------------------------------------------------===//

static std::vector<int> limits(int used, const Block &block, int64_t spills = 0) {
  Cubin cubin;
  cubin.registers = used;
  cubin.spillBytes = spills;
  return registersForMoreBlocks(cubin, target("sm_90a"), block);
}

using Limits = std::vector<int>;

TEST(Occupancy, LoopsWhoseElementsAreComputedInTurn) {
  std::vector<int> few = limits(231, {128, 0, Overlap::Reordered});
  EXPECT_EQ(few, limits(231, {128, 0, Overlap::None}));
  ASSERT_FALSE(few.empty());
  EXPECT_LE(few.front(), 64);
}

TEST(Occupancy, OneMoreBlockOfALoop) {
  EXPECT_EQ(limits(79, {512, 0, Overlap::Loads}), Limits{64});        // one block fits; a second one with 64 registers
  EXPECT_EQ(limits(47, {512, 0, Overlap::Loads}), Limits{40});        // two blocks fit; a third one with 40
  EXPECT_EQ(limits(168, {256, 0, Overlap::Loads}), Limits{128});      // one block of eight warps fits
  EXPECT_EQ(limits(96, {512, 0, Overlap::Loads}), Limits{});          // it would need far fewer registers
  EXPECT_EQ(limits(79, {512, 128 * 1024, Overlap::Loads}), Limits{}); // shared memory is the limit
  EXPECT_EQ(limits(79, {512, 0, Overlap::Loads}, /*spills=*/8), Limits{});
  EXPECT_EQ(limits(78, {256, 0, Overlap::Loads}), Limits{64}); // three blocks of eight warps fit; a fourth one with 64
  EXPECT_EQ(limits(40, {256, 0, Overlap::Loads}), Limits{});   // 48 warps are enough
}

TEST(Occupancy, MoreBlocksOfMatmuls) {
  EXPECT_EQ(limits(155, {128, 24 * 1024, Overlap::Matmul}), (Limits{96, 128}));
  EXPECT_EQ(limits(138, {256, 96 * 1024, Overlap::Matmul}), Limits{128});
  EXPECT_EQ(limits(212, {256, 96 * 1024, Overlap::Matmul}), Limits{128});
  EXPECT_EQ(limits(220, {256, 96 * 1024, Overlap::Matmul}), Limits{}); // less than 0.6 of the registers
}

TEST(Occupancy, MoreBlocksWithoutALoop) {
  EXPECT_EQ(limits(122, {512, 0}), (Limits{40, 64}));      // up to 48 warps
  EXPECT_EQ(limits(250, {256, 0}), (Limits{64, 80, 128})); // but not with less than a quarter of the registers
  EXPECT_EQ(limits(56, {1024, 0}), Limits{32});            // two blocks are the most
  EXPECT_EQ(limits(122, {512, 100 * 1024}), Limits{64});   // shared memory has room for two
  EXPECT_EQ(limits(122, {512, 0}, /*spills=*/8), Limits{});
  EXPECT_EQ(limits(40, {256, 0}), Limits{});
}

//===----------------------------------------------------------------------===//
// Missing and invalid assemblers
//===----------------------------------------------------------------------===//

TEST(Assemble, WithoutAnAssemblerTheErrorSaysWhatToInstall) {
  std::string error = errorOf(assemble("", target("sm_80"), {}));
  EXPECT_NE(error.find("pip install nvidia-nvjitlink"), std::string::npos) << error;
}

TEST(Assemble, AWrongPathOfTheLibraryIsNamed) {
  AssembleOptions options;
  options.nvJitLink = "/nowhere/libnvJitLink.so.13";
  std::string error = errorOf(assemble("", target("sm_80"), options));
  EXPECT_NE(error.find("nvJitLink cannot be opened: /nowhere/libnvJitLink.so.13: "), std::string::npos) << error;
  EXPECT_NE(error.find("TILEWRIGHT_NVJITLINK"), std::string::npos) << error;
  warmUp(options.nvJitLink); // and nothing happens
}

TEST(Assemble, AnotherLibraryIsNotNvJitLink) {
  AssembleOptions options;
  options.nvJitLink = "libm.so.6";
  EXPECT_EQ(errorOf(assemble("", target("sm_80"), options)),
            "'libm.so.6' is not nvJitLink: it has no function nvJitLinkCreate");
}

TEST(Assemble, AProgramThatIsNotThereIsNamed) {
  AssembleOptions options;
  options.ptxas = "/nowhere/ptxas";
  std::string error = errorOf(assemble("", target("sm_80"), options));
  EXPECT_NE(error.find("'/nowhere/ptxas' cannot be run"), std::string::npos) << error;
}

TEST(Assemble, AnotherProgramIsNotPtxas) {
  AssembleOptions options;
  options.ptxas = "/bin/true";
  auto name = describeAssembler(options);
  ASSERT_FALSE(bool(name));
  EXPECT_EQ(llvm::toString(name.takeError()), "'/bin/true' is not ptxas");
  EXPECT_EQ(errorOf(assemble("", target("sm_80"), options)), "ptxas generated no code from the PTX for sm_80");
}

int countTemporaryFiles() {
  llvm::SmallString<128> folder;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  std::error_code code;
  int count = 0;
  for (llvm::sys::fs::directory_iterator file(folder, code), end; file != end && !code; file.increment(code)) {
    count += llvm::sys::path::filename(file->path()).starts_with("tilewright-ptxas");
  }
  return count;
}

TEST(Assemble, NoTemporaryFileIsLeft) {
  int before = countTemporaryFiles();
  AssembleOptions options;
  options.ptxas = "/bin/false";
  EXPECT_NE(errorOf(assemble("", target("sm_80"), options)), "");
  EXPECT_EQ(countTemporaryFiles(), before);
}

//===----------------------------------------------------------------------===//
// A library with the interface of an old version
//===----------------------------------------------------------------------===//

class OldLibrary : public testing::Test {
protected:
  OldLibrary() { options.nvJitLink = TILEWRIGHT_FAKE_NVJITLINK; }
  AssembleOptions options;
};

TEST_F(OldLibrary, FunctionsAreFoundByTheirVersions) {
  options.optimization = 1;
  auto cubin = assemble("ret;", target("sm_80"), options);
  ASSERT_TRUE(bool(cubin)) << llvm::toString(cubin.takeError());
  EXPECT_EQ(cubin->image, "ELF");
  EXPECT_EQ(cubin->assembler, "nvJitLink 12");
  EXPECT_NE(cubin->log.find("-Xptxas=-O1\n"), std::string::npos) << cubin->log;
}

TEST_F(OldLibrary, ALimitThatMakesBlocksSlowerIsNotTaken) {
  auto registers = [&](const std::string &remarks, Overlap overlap) {
    std::string ptx = ".entry kernel() {\n// registers 155\n" + remarks + "}\n";
    auto cubin = assembleForOccupancy(ptx, target("sm_80"), options, {128, 24 * 1024, overlap});
    EXPECT_TRUE(bool(cubin));
    return cubin ? cubin->registers : 0;
  };
  EXPECT_EQ(registers("", Overlap::Matmul), 96);
  EXPECT_EQ(registers("// at 96: serialize\n", Overlap::Matmul), 128);
  EXPECT_EQ(registers("// at 96: spill\n", Overlap::Matmul), 128);
  EXPECT_EQ(registers("// at 96: fail\n", Overlap::Matmul), 128);
  EXPECT_EQ(registers("// at 96: fail\n// at 128: serialize\n", Overlap::Matmul), 155);
  EXPECT_EQ(registers("// at 128: spill\n", Overlap::Loads), 155);
  EXPECT_EQ(registers("// at 80: spill\n", Overlap::None), 80); // a few bytes; shared memory has room for six blocks
}

TEST_F(OldLibrary, AccumulatorsMustBeDefined) {
  EXPECT_TRUE(serializesUndefinedAccumulators(options, /*movesRegisters=*/false));
  EXPECT_TRUE(serializesUndefinedAccumulators({}, /*movesRegisters=*/false)); // the driver, of any version
}

TEST_F(OldLibrary, NumbersOfSeveralFunctionsAreCombined) {
  auto cubin = assemble("ret;", target("sm_80"), options);
  ASSERT_TRUE(bool(cubin)) << llvm::toString(cubin.takeError());
  EXPECT_EQ(cubin->registers, 42);
  EXPECT_EQ(cubin->spillBytes, 8 + 4 + 20 + 24);
  EXPECT_EQ(cubin->stackBytes, 40);
  EXPECT_EQ(cubin->staticSharedBytes, 128);
}

TEST_F(OldLibrary, AnUnknownArchitectureIsNamed) {
  EXPECT_EQ(errorOf(assemble("ret;", target("sm_103a"), options)), "nvJitLink 12 does not support sm_103a (code 16)");
}

TEST_F(OldLibrary, ARefusalQuotesTheLine) {
  EXPECT_EQ(errorOf(assemble("first\n  refuse this\n", target("sm_80"), options)),
            "nvJitLink 12 rejected the PTX for sm_80:\nptxas application ptx input, line 2; error   : Refused\n"
            "PTX line 2: refuse this");
}

TEST_F(OldLibrary, AFailureWithoutALogHasACode) {
  std::string error = errorOf(assemble("silent", target("sm_80"), options));
  EXPECT_NE(error.find("code 3"), std::string::npos) << error;
}

} // namespace
} // namespace tilewright::cuda
