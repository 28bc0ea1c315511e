#include "tilewright/Hardware/Amd.h"
#include "tilewright/Hardware/Rates.h"

#include "gtest/gtest.h"

namespace tilewright::hardware {
namespace {

TEST(Amd, everyTargetIsAGpuOfItsName) {
  ASSERT_EQ(amdTargets().size(), amdGpus().size());
  AmdTargets seen = 0;
  for (const AmdInfo &info : amdTargets()) {
    EXPECT_EQ(lookupAmd(info.name), &info);
    const GpuInfo *gpu = lookupGpu(info.name);
    ASSERT_NE(gpu, nullptr);
    EXPECT_EQ(gpu->name, info.name);
    EXPECT_EQ(gpu->lanesPerWarp, info.lanesPerWarp);
    EXPECT_EQ(gpu->sharedPerBlock, info.sharedPerBlock);
    EXPECT_EQ(seen & info.target, 0U);
    seen |= info.target;
  }
  EXPECT_EQ(lookupAmd("gfx900"), nullptr);
  EXPECT_EQ(lookupAmd("942"), nullptr);
  EXPECT_EQ(lookupAmd(""), nullptr);
}

TEST(Amd, wavesHave64LanesOnCdnaAnd32OnRdna) {
  for (const char *name : {"gfx90a", "gfx942", "gfx950"}) {
    EXPECT_EQ(lookupGpu(name)->lanesPerWarp, 64);
    EXPECT_EQ(lookupGpu(name)->warpsPerBlock(), 16);
  }
  for (const char *name : {"gfx1100", "gfx1201", "gfx1250"}) {
    EXPECT_EQ(lookupGpu(name)->lanesPerWarp, 32);
    EXPECT_EQ(lookupGpu(name)->warpsPerBlock(), 32);
  }
}

TEST(Amd, theRegisterFileOfAMultiprocessor) {
  for (const char *name : {"gfx90a", "gfx942", "gfx950"}) {
    EXPECT_EQ(lookupGpu(name)->registersPerSm * 4, 512 * 1024); // bytes
  }
  EXPECT_EQ(lookupGpu("gfx1100")->registersPerSm * 4, 768 * 1024);
}

/// The fields of a resource's last word, by the guides of the instruction sets.
TEST(Amd, bufferResources) {
  for (const AmdInfo &info : amdTargets()) {
    uint32_t flags = info.bufferFlags;
    if (info.name == "gfx1250") {
      EXPECT_EQ(flags, 0U); // nothing is known of its range checks
      continue;
    }
    bool isRdna = info.lanesPerWarp == 32;
    EXPECT_EQ(flags >> 12 & 0x7fU, 0x27U) << info.name;         // the format: not 0
    EXPECT_EQ(flags & 0xfffU, 0U) << info.name;                 // selects no components
    EXPECT_EQ(flags >> 28 & 3U, isRdna ? 3U : 0U) << info.name; // OOB_SELECT: offsets in bytes
    EXPECT_EQ(flags >> 30, 0U) << info.name;                    // the type: a buffer
    EXPECT_EQ(flags >> 19 & 0x1fU, 0U) << info.name;            // neither swizzled nor indexed by threads
  }
}

// The numbers are those that LLVM's code generator reports as occupancy.
TEST(Amd, warpsThatFit) {
  auto expect = [](const char *name, std::initializer_list<std::pair<int, int>> registersAndWarps) {
    for (auto [registers, warps] : registersAndWarps) {
      EXPECT_EQ(warpsThatFit(*lookupAmd(name), registers), warps) << name << " " << registers;
    }
  };
  expect("gfx942", {{0, 8}, {64, 8}, {65, 7}, {72, 7}, {80, 6}, {96, 5}, {128, 4}, {168, 3}, {256, 2}, {257, 1}});
  expect("gfx1100", {{96, 16}, {97, 12}, {120, 12}, {144, 10}, {168, 9}, {192, 8}, {216, 7}, {240, 6}, {256, 5}});
  expect("gfx1250", {{64, 16}, {72, 12}, {88, 10}, {104, 9}, {120, 8}, {136, 7}, {152, 6}, {168, 5}, {200, 4}});
}

TEST(Amd, blocksThatFit) {
  BlocksThatFit fit = blocksThatFit(*lookupAmd("gfx942"), 256, 160, 32768);
  EXPECT_EQ(fit.byWarps, 8); // 4 SIMDs with 8 waves each, 4 waves per block
  EXPECT_EQ(fit.byRegisters, 3);
  EXPECT_EQ(fit.byShared, 2);
  EXPECT_EQ(fit.byBarriers, 16);
  EXPECT_EQ(fit.fewest(), 2);
  // A block of one wave needs neither a barrier nor, here, LDS.
  fit = blocksThatFit(*lookupAmd("gfx942"), 64, 64, 0);
  EXPECT_EQ(fit.fewest(), 32);
  EXPECT_FALSE(fit.byShared || fit.byBarriers);
  // Two compute units share 128 KiB, of which a block gets half at most.
  EXPECT_EQ(blocksThatFit(*lookupAmd("gfx1100"), 128, 96, 65536).fewest(), 2);
}

TEST(Amd, peakRatesAreThoseOfTheDataSheets) {
  auto teraflops = [](const char *name, ElementType type) {
    const GpuRates &rates = *lookupRates(name);
    return 1e-6 * rates.flops(type) * rates.multiprocessors * rates.megahertz;
  };
  EXPECT_NEAR(teraflops("gfx90a", ElementType::F16), 383, 0.5);
  EXPECT_NEAR(teraflops("gfx942", ElementType::BF16), 1307.4, 0.1);
  EXPECT_NEAR(teraflops("gfx942", ElementType::S8), 2614.9, 0.1);
  EXPECT_NEAR(teraflops("gfx942", ElementType::TF32), 653.7, 0.1);
  EXPECT_NEAR(teraflops("gfx942", ElementType::F32), 163.4, 0.1);
  EXPECT_NEAR(teraflops("gfx950", ElementType::F16), 2500, 25);
  EXPECT_NEAR(teraflops("gfx1100", ElementType::F16), 123, 0.5);
  EXPECT_NEAR(teraflops("gfx1201", ElementType::F16), 195, 0.5);
  EXPECT_EQ(lookupRates("gfx1250"), nullptr);
  EXPECT_EQ(teraflops("gfx1100", ElementType::F32), 0);
}

TEST(Amd, additionsOfPairsWhereTheyAreOneInstruction) {
  auto hasAdd = [](const char *name, ElementType type, int elements) {
    for (const AtomicAdd *row : lookupGpu(name)->atomicAdds) {
      if (row->type == type && row->elements == elements) {
        return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(hasAdd("gfx90a", ElementType::F16, 2));
  EXPECT_FALSE(hasAdd("gfx90a", ElementType::BF16, 2));
  EXPECT_TRUE(hasAdd("gfx942", ElementType::BF16, 2));
  EXPECT_FALSE(hasAdd("gfx1100", ElementType::F16, 2));
  EXPECT_FALSE(hasAdd("gfx1201", ElementType::F64, 1));
}

} // namespace
} // namespace tilewright::hardware
