// Loading kernels onto an AMD GPU and launching them.

#include "FakeHip.h"

#include <cstring>
#include <vector>

namespace tilewright::runtime::hip {
namespace {

using HipKernelTest = FakeHipTest;

Grid grid(int64_t x, int64_t y = 1, int64_t z = 1) { return *Grid::make({x, y, z}); }

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

TEST(HipArgumentsTest, PacksWhereTheCodeReads) {
  struct Arguments {
    void *pointer;
    int32_t number;
    uint16_t half;
    bool flag;
    double wide;
    int8_t small;
    float single;
    uint64_t structure[3];
  };
  Arguments expected;
  std::memset(&expected, 0, sizeof(expected));
  expected = {&expected, -7, 0x3c00, true, 2.5, -1, 0.25f, {1, 2, ~uint64_t(0)}};
  Arguments cleared;
  std::memset(&cleared, 0, sizeof(cleared));
#define FIELD(name) {offsetof(Arguments, name), sizeof(Arguments::name)}
  ArgumentLayout layout({FIELD(pointer), FIELD(number), FIELD(half), FIELD(flag), FIELD(wide), FIELD(small),
                         FIELD(single), FIELD(structure)});
#undef FIELD
  EXPECT_EQ(layout.problem(), "");
  EXPECT_EQ(layout.size(), 8u);
  ASSERT_EQ(layout.bytes(), sizeof(Arguments));
  // Each value is in 8-byte slots, with other bits above it.
  uint64_t slots[8][3];
  std::memset(slots, 0xee, sizeof(slots));
  std::memcpy(slots[0], &expected.pointer, 8);
  std::memcpy(slots[1], &expected.number, 4);
  std::memcpy(slots[2], &expected.half, 2);
  std::memcpy(slots[3], &expected.flag, 1);
  std::memcpy(slots[4], &expected.wide, 8);
  std::memcpy(slots[5], &expected.small, 1);
  std::memcpy(slots[6], &expected.single, 4);
  std::memcpy(slots[7], &expected.structure, 24);
  std::vector<void *> values;
  for (auto &slot : slots) {
    values.push_back(slot);
  }
  unsigned char buffer[sizeof(Arguments) + 1];
  std::memset(buffer, 0x77, sizeof(buffer));
  layout.pack(values.data(), buffer);
  Arguments packed;
  std::memcpy(&packed, buffer, sizeof(packed));
  EXPECT_EQ(packed.pointer, expected.pointer);
  EXPECT_EQ(packed.number, -7);
  EXPECT_EQ(packed.half, 0x3c00);
  EXPECT_EQ(packed.flag, true);
  EXPECT_EQ(packed.wide, 2.5);
  EXPECT_EQ(packed.small, -1);
  EXPECT_EQ(packed.single, 0.25f);
  EXPECT_EQ(std::memcmp(packed.structure, expected.structure, 24), 0);
  EXPECT_EQ(buffer[15], 0); // between the flag and the double
  EXPECT_EQ(buffer[sizeof(Arguments)], 0x77);
}

TEST(HipArgumentsTest, RefusesWhatNoLaunchCanPass) {
  EXPECT_EQ(ArgumentLayout({{0, 136}}).problem(), "an argument of 136 bytes, and one has at most 128");
  EXPECT_EQ(ArgumentLayout({{4088, 8}}).problem(), "");
  EXPECT_EQ(ArgumentLayout({{4092, 8}}).problem(), "4100 bytes of arguments, and a kernel has at most 4096");
  EXPECT_EQ(ArgumentLayout({{0xffffffff, 8}}).problem(),
            "4294967303 bytes of arguments, and a kernel has at most 4096");
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

TEST_F(HipKernelTest, KnowsItsResources) {
  Platform platform(FAKE_HIP_LIBRARY);
  ASSERT_EQ(loadProblem(platform, code("other registers=1\nadd registers=40 local=16 static=512 threads=256")), "");
  EXPECT_EQ(kernel->resources.registers, 40);
  EXPECT_EQ(kernel->resources.localBytes, 16);
  EXPECT_EQ(kernel->resources.staticSharedBytes, 512);
  EXPECT_EQ(kernel->resources.maxThreads, 256);
  EXPECT_TRUE(kernel->moduleHandle());
  EXPECT_TRUE(kernel->functionHandle());
}

TEST_F(HipKernelTest, CodeForAnotherArchitecture) {
  fake.configure("arch=gfx1100");
  Platform platform(FAKE_HIP_LIBRARY);
  EXPECT_EQ(loadProblem(platform, code("add")), "the code is for gfx942, and hip:0 (Imaginary Instinct) is gfx1100");
  EXPECT_FALSE(contains(fake.report(), "hipModuleLoadData"));
  // The runtime knows which devices a generic architecture comprises.
  KernelCode generic = code("add");
  generic.architecture = "gfx9-4-generic";
  std::string problem = loadProblem(platform, generic);
  EXPECT_TRUE(contains(problem, "hip:0: hipModuleLoadData: hipErrorNoBinaryForGpu"));
  EXPECT_TRUE(contains(problem, "the code is for gfx9-4-generic, the device is gfx1100, and the runtime is that of "
                                "HIP 6.4.43482"));
  EXPECT_EQ(lastError(), 0);
}

TEST_F(HipKernelTest, CodeThatIsNone) {
  Platform platform(FAKE_HIP_LIBRARY);
  KernelCode nothing = code("add");
  nothing.image = "nothing of the kind";
  EXPECT_TRUE(contains(loadProblem(platform, nothing), "hipErrorInvalidImage (device kernel image is invalid)"));
  EXPECT_TRUE(contains(fake.report(), "\"loaded\": 0"));
}

TEST_F(HipKernelTest, UnloadsWhatItCannotUse) {
  Platform platform(FAKE_HIP_LIBRARY);
  EXPECT_TRUE(contains(loadProblem(platform, code("sub")), "hipModuleGetFunction: hipErrorNotFound"));
  fake.configure("hipFuncGetAttribute=1");
  EXPECT_TRUE(contains(loadProblem(platform, code("add")), "hipFuncGetAttribute: hipErrorInvalidValue"));
  EXPECT_TRUE(contains(fake.report(), "\"loaded\": 0"));
  EXPECT_EQ(lastError(), 0);
}

TEST_F(HipKernelTest, TooMuchLds) {
  Platform platform(FAKE_HIP_LIBRARY);
  EXPECT_EQ(loadProblem(platform, code("add static=36", 65500)), "");
  EXPECT_EQ(loadProblem(platform, code("add static=37", 65500)),
            "needs 65537 bytes of shared memory per program, and hip:0 has 65536; smaller blocks or fewer num_stages "
            "take less");
  ASSERT_TRUE(problem.excess);
  EXPECT_EQ(problem.excess->required, 65537);
  fake.configure("lds=163840");
  Platform larger(FAKE_HIP_LIBRARY);
  EXPECT_EQ(loadProblem(larger, code("add", 163840)), "");
}

TEST_F(HipKernelTest, TooManyThreads) {
  Platform platform(FAKE_HIP_LIBRARY);
  EXPECT_TRUE(contains(loadProblem(platform, code("add", 0, 1088)),
                       "needs 1088 threads per program, and hip:0 has 1024; num_warps is at most 16"));
  EXPECT_TRUE(contains(loadProblem(platform, code("add threads=128", 0, 256)),
                       "needs 256 threads per program, and hip:0 has 128; it was compiled for at most that many"));
}

TEST_F(HipKernelTest, LoadsWhileAStreamIsCaptured) {
  fake.configure("capturing");
  Platform platform(FAKE_HIP_LIBRARY);
  EXPECT_EQ(loadProblem(platform, code("add")), "");
}

TEST_F(HipKernelTest, CountsProgramsAtOnce) {
  Platform platform(FAKE_HIP_LIBRARY);
  KernelCode persistent = code("add");
  persistent.isPersistent = true;
  ASSERT_EQ(loadProblem(platform, persistent), "");
  EXPECT_EQ(kernel->programsAtOnce, 2 * 304);
}

TEST_F(HipKernelTest, NothingLoadsOntoALostDevice) {
  Platform platform(FAKE_HIP_LIBRARY);
  fake.configure("lost0=719");
  std::string said = loadProblem(platform, code("add"));
  EXPECT_TRUE(contains(said, "hip:0 is lost to this process since hipErrorLaunchFailure"));
  fake.configure("");
  EXPECT_EQ(loadProblem(platform, code("add")), platform.devices()[0].lostBecause());
  kernel = Kernel::load(platform.devices()[1], code("add"), problem);
  EXPECT_TRUE(kernel);
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

TEST_F(HipKernelTest, LaunchesOnItsDevice) {
  Platform platform(FAKE_HIP_LIBRARY);
  KernelCode made = code("add parameters=8,4,1,8h", 1024);
  made.arguments = ArgumentLayout({{0, 8}, {8, 4}, {12, 1}});
  kernel = Kernel::load(platform.devices()[1], made, problem);
  ASSERT_TRUE(kernel) << problem.message;
  EXPECT_EQ(fake.currentDevice(), 0);
  uint64_t slots[] = {0x123456789a, 0xffffffffffffffff, 0x1ff};
  void *values[] = {&slots[0], &slots[1], &slots[2]};
  EXPECT_EQ(kernel->launch(grid(5, 6, 7), reinterpret_cast<Stream>(0x77), values), Status::Success);
  EXPECT_EQ(fake.currentDevice(), 0);
  EXPECT_TRUE(contains(fake.report(), "{\"buffer\": \"9a78563412000000ffffffffff\", \"kernel\": \"add\", "
                                      "\"device\": 1, \"grid\": [5, 6, 7], \"threads\": 256, \"shared\": 1024, "
                                      "\"stream\": 119, \"parameters\": [78187493530, 4294967295, 255]}"));
}

TEST_F(HipKernelTest, LaunchesWithoutArguments) {
  Platform platform(FAKE_HIP_LIBRARY);
  ASSERT_EQ(loadProblem(platform, code("add")), "");
  EXPECT_EQ(kernel->launch(grid(1), nullptr, nullptr), Status::Success);
  EXPECT_TRUE(contains(fake.report(), "\"buffer\": \"\""));
}

TEST_F(HipKernelTest, LaunchesCooperatively) {
  Platform platform(FAKE_HIP_LIBRARY);
  KernelCode made = code("add parameters=4");
  made.arguments = ArgumentLayout({{0, 4}});
  made.isCooperative = true;
  ASSERT_EQ(loadProblem(platform, made), "");
  uint64_t slot = 5;
  void *values[] = {&slot};
  EXPECT_EQ(kernel->launch(grid(2), nullptr, values), Status::Success);
  EXPECT_TRUE(contains(fake.report(), "\"cooperative\": true"));
  EXPECT_TRUE(contains(fake.report(), "\"parameters\": [5]"));
}

TEST_F(HipKernelTest, ThreadsAlongAxis0AreCountedIn32Bits) {
  Platform platform(FAKE_HIP_LIBRARY);
  ASSERT_EQ(loadProblem(platform, code("add")), "");
  constexpr int64_t most = UINT32_MAX / 256;
  EXPECT_FALSE(kernel->excessOf(grid(most, 65536, 65536)));
  EXPECT_EQ(kernel->launch(grid(most), nullptr, nullptr), Status::Success);
  auto excess = kernel->excessOf(grid(most + 1));
  ASSERT_TRUE(excess);
  EXPECT_EQ(describe(*excess, "hip:0"), "needs 16777216 programs along axis 0 of its grid, and hip:0 has 16777215; let "
                                        "each program do more");
  // The limit is the runtime's own.
  EXPECT_EQ(kernel->launch(grid(most + 1), nullptr, nullptr), Status::InvalidConfiguration);
  ASSERT_TRUE(kernel->excessOf(grid(1, 65537)));
  EXPECT_EQ(kernel->excessOf(grid(1, 1, 65537))->limit, 65536);
}

TEST_F(HipKernelTest, AFailedLaunchRestoresTheCurrentDevice) {
  Platform platform(FAKE_HIP_LIBRARY);
  kernel = Kernel::load(platform.devices()[1], code("add"), problem);
  ASSERT_TRUE(kernel) << problem.message;
  fake.configure("hipModuleLaunchKernel=2*1");
  EXPECT_EQ(kernel->launch(grid(1), nullptr, nullptr), Status::OutOfMemory);
  EXPECT_EQ(fake.currentDevice(), 0);
  EXPECT_EQ(kernel->launch(grid(1), nullptr, nullptr), Status::Success);
}

} // namespace
} // namespace tilewright::runtime::hip
