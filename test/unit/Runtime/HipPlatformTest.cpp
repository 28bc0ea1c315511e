// Finding the HIP runtime and its devices, the current device, memory, and error messages.

#include "FakeHip.h"

#include "tilewright/Runtime/Hip/Status.h"

#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewright::runtime::hip {
namespace {

using HipPlatformTest = FakeHipTest;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

TEST_F(HipPlatformTest, NoLibrary) {
  Platform platform("/nowhere/libamdhip64.so");
  EXPECT_EQ(platform.problem(), "the HIP runtime's library can't be opened; looked for /nowhere/libamdhip64.so");
  EXPECT_EQ(platform.runtimeVersion(), 0);
  EXPECT_TRUE(platform.devices().empty());
  EXPECT_EQ(platform.currentOrdinal(), 0);
  EXPECT_FALSE(platform.ownerOf(uint64_t(1) << 40));
}

TEST_F(HipPlatformTest, SaysWhereItLookedForOne) {
  setenv("ROCM_PATH", "/nowhere/rocm", 1);
  Library library;
  std::string problem = library.open("");
  unsetenv("ROCM_PATH");
  if (problem.empty()) {
    GTEST_SKIP() << "this machine has " << library.file;
  }
  EXPECT_TRUE(contains(problem, "looked for libamdhip64.so.7, libamdhip64.so.6, libamdhip64.so, "
                                "/nowhere/rocm/lib/libamdhip64.so"));
}

TEST_F(HipPlatformTest, ALibraryThatIsNone) {
  EXPECT_TRUE(contains(Library().open("/proc/self/cmdline"), "/proc/self/cmdline; /proc/self/cmdline: "));
}

TEST_F(HipPlatformTest, ALibraryThatLacksFunctions) {
  Platform platform("libm.so.6");
  EXPECT_EQ(platform.problem(), "the HIP runtime is older than that of ROCm 6: libm.so.6 has no function hipInit");
}

TEST_F(HipPlatformTest, KnowsTheFileThatItOpened) {
  Platform platform(FAKE_HIP_LIBRARY);
  EXPECT_EQ(platform.library().file, FAKE_HIP_LIBRARY);
}

TEST(HipLibraryTest, VersionText) {
  EXPECT_EQ(versionText(60443482), "6.4.43482");
  EXPECT_EQ(versionText(70125424), "7.1.25424");
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

TEST_F(HipPlatformTest, DescribesTheDevices) {
  fake.configure("devices=3 arch2=gfx1100 lds=163840 version=70125424");
  Platform platform(FAKE_HIP_LIBRARY);
  ASSERT_EQ(platform.problem(), "");
  EXPECT_EQ(platform.runtimeVersion(), 70125424);
  ASSERT_EQ(platform.devices().size(), 3u);
  Device *device = platform.device(1);
  ASSERT_TRUE(device);
  EXPECT_EQ(device->label(), "hip:1");
  EXPECT_EQ(device->name, "Imaginary Instinct");
  EXPECT_EQ(device->architecture, "gfx942");
  EXPECT_EQ(device->features, "sramecc+:xnack-");
  EXPECT_EQ(platform.device(2)->architecture, "gfx1100");
  EXPECT_EQ(platform.device(2)->features, "");
  EXPECT_EQ(device->memoryBytes >> 30, 192u);
  EXPECT_EQ(device->limits.threads, 1024);
  EXPECT_EQ(device->limits.sharedBytes, 163840);
  EXPECT_EQ(device->limits.grid, (std::array<int, 3>{2147483647, 65536, 65536}));
  EXPECT_EQ(device->properties.warpSize, 64);
  EXPECT_EQ(device->properties.multiprocessors, 304);
  EXPECT_EQ(platform.device(3), nullptr);
  EXPECT_EQ(platform.device(-1), nullptr);
}

TEST_F(HipPlatformTest, NoDevice) {
  fake.configure("devices=0");
  EXPECT_TRUE(contains(Platform(FAKE_HIP_LIBRARY).problem(), "hipInit: hipErrorNoDevice (no ROCm-capable device"));
  fake.configure("devices=0 hipInit=0");
  EXPECT_TRUE(contains(Platform(FAKE_HIP_LIBRARY).problem(), "ROCR_VISIBLE_DEVICES may hide it"));
}

TEST_F(HipPlatformTest, NamesWhatFailsAtTheStart) {
  for (std::string function :
       {"hipInit", "hipGetDeviceCount", "hipDeviceGetAttribute", "hipGetDevicePropertiesR0600"}) {
    fake.configure((function + "=1053").c_str());
    Platform platform(FAKE_HIP_LIBRARY);
    std::string name = function.substr(0, function.find("R0600"));
    EXPECT_TRUE(contains(platform.problem(), name + ": error 1053 of the HIP runtime: the ROCm runtime failed"));
    EXPECT_TRUE(platform.devices().empty());
    EXPECT_EQ(lastError(), 0);
  }
}

TEST_F(HipPlatformTest, ADeviceIsCurrentForAWhile) {
  Platform platform(FAKE_HIP_LIBRARY);
  EXPECT_EQ(platform.currentOrdinal(), 0);
  {
    DeviceScope scope(platform.devices()[1]);
    EXPECT_EQ(scope.status, Status::Success);
    EXPECT_EQ(fake.currentDevice(), 1);
    EXPECT_EQ(platform.currentOrdinal(), 1);
  }
  EXPECT_EQ(fake.currentDevice(), 0);
}

TEST_F(HipPlatformTest, TheCurrentDeviceIsNotSetAgain) {
  Platform platform(FAKE_HIP_LIBRARY);
  fake.makeCurrent(1);
  DeviceScope scope(platform.devices()[1]);
  EXPECT_FALSE(contains(fake.report(), "hipSetDevice"));
}

TEST_F(HipPlatformTest, ADeviceThatCannotBecomeCurrent) {
  Platform platform(FAKE_HIP_LIBRARY);
  fake.configure("hipSetDevice=101");
  {
    DeviceScope scope(platform.devices()[1]);
    EXPECT_EQ(scope.status, Status::InvalidDevice);
  }
  EXPECT_EQ(fake.currentDevice(), 0);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_F(HipPlatformTest, KnowsWhoseMemoryItIs) {
  fake.configure("pinned=0x7000");
  Platform platform(FAKE_HIP_LIBRARY);
  EXPECT_EQ(platform.ownerOf(uint64_t(1) << 40), 0);
  EXPECT_EQ(platform.ownerOf((uint64_t(2) << 40) + 64), 1);
  EXPECT_TRUE(platform.reachesHostMemory(platform.devices()[1], 0x7000));
  EXPECT_EQ(fake.currentDevice(), 0);
  // An address that the runtime does not know is an error of its own, which is not left behind.
  EXPECT_FALSE(platform.ownerOf(uint64_t(9) << 40));
  EXPECT_FALSE(platform.reachesHostMemory(platform.devices()[1], 0x8000));
  EXPECT_EQ(lastError(), 0);
}

TEST_F(HipPlatformTest, MailboxesShareAllocations) {
  fake.configure("capturing");
  Platform platform(FAKE_HIP_LIBRARY);
  Mailbox first, second, other;
  ASSERT_TRUE(platform.device(1)->allocateMailbox(first, problem)) << problem.message;
  ASSERT_TRUE(platform.device(1)->allocateMailbox(second, problem)) << problem.message;
  EXPECT_EQ(second.words, first.words + kMailboxWords);
  EXPECT_EQ(second.onDevice, reinterpret_cast<uint64_t>(second.words));
  EXPECT_FALSE(readMailbox(first.words));
  EXPECT_TRUE(contains(fake.report(), "\"hipHostMalloc\": 1,"));
  ASSERT_TRUE(platform.device(0)->allocateMailbox(other, problem)) << problem.message;
  EXPECT_TRUE(contains(fake.report(), "\"hipHostMalloc\": 2,"));
  EXPECT_EQ(fake.currentDevice(), 0);
}

TEST_F(HipPlatformTest, NoMemoryForAMailbox) {
  fake.configure("hipHostMalloc=2");
  Platform platform(FAKE_HIP_LIBRARY);
  Mailbox mailbox;
  EXPECT_FALSE(platform.device(0)->allocateMailbox(mailbox, problem));
  EXPECT_TRUE(contains(problem.message, "hip:0: hipHostMalloc: hipErrorOutOfMemory (out of memory): the device's"));
  EXPECT_FALSE(problem.isAssertion);
  EXPECT_EQ(lastError(), 0);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(HipPlatformTest, ADeviceIsLostByAFatalStatusOnly) {
  Platform platform(FAKE_HIP_LIBRARY);
  Device &device = platform.devices()[0];
  device.noteLaunch("scale (k.py:3)");
  EXPECT_TRUE(contains(device.explain("hipModuleLaunchKernel", Status::OutOfMemory),
                       "hip:0: hipModuleLaunchKernel: hipErrorOutOfMemory"));
  EXPECT_FALSE(device.isLost());
  std::string said = device.explain("hipModuleLaunchKernel", Status::IllegalAddress);
  EXPECT_TRUE(device.isLost());
  EXPECT_FALSE(platform.devices()[1].isLost());
  EXPECT_TRUE(contains(said, "hip:0 is lost to this process since hipErrorIllegalAddress (an illegal memory access was "
                             "encountered): a kernel accessed memory that is not allocated\n"));
  EXPECT_TRUE(contains(said, "newest first: scale (k.py:3)"));
  EXPECT_TRUE(contains(said, "AMD_SERIALIZE_KERNEL=3"));
  // The first cause is kept.
  device.explain("hipModuleLaunchKernel", Status::LaunchFailure);
  EXPECT_EQ(device.lostBecause(), said);
}

TEST_F(HipPlatformTest, AForkedProcess) {
  Platform platform(FAKE_HIP_LIBRARY);
  EXPECT_FALSE(contains(platform.describe(Status::NotInitialized), "forked"));
  pid_t child = fork();
  if (child == 0) {
    bool told = platform.describe(Status::NotInitialized).find("'spawn'") != std::string::npos;
    _exit(told ? 7 : 8);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(HipStatusTest, WhichStatusesEndTheUseOfADevice) {
  for (Status status : {Status::IllegalAddress, Status::Assert, Status::LaunchFailure}) {
    EXPECT_TRUE(isFatal(status));
    EXPECT_TRUE(adviceOn(status));
  }
  for (Status status : {Status::Success, Status::OutOfMemory, Status::LaunchOutOfResources, Status::Unknown}) {
    EXPECT_FALSE(isFatal(status));
  }
  EXPECT_EQ(adviceOn(Status::Unknown), nullptr);
}

} // namespace
} // namespace tilewright::runtime::hip
