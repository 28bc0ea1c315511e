// Finding the driver and its devices, contexts, and error messages.

#include "FakeCuda.h"

#include "tilewright/Runtime/Cuda/Status.h"

#include <sys/wait.h>
#include <unistd.h>

namespace tilewright::runtime::cuda {
namespace {

using Names = std::vector<std::string>;
using CudaPlatformTest = FakeCudaTest;

TEST_F(CudaPlatformTest, NamesTheDevices) {
  configure("devices=3 capability=86 version=12040");
  Platform platform(FAKE_CUDA_LIBRARY);
  EXPECT_EQ(platform.problem(), "");
  EXPECT_EQ(platform.driverVersion(), 12040);
  ASSERT_EQ(platform.devices().size(), 3u);
  Device *device = platform.device(2);
  ASSERT_TRUE(device);
  EXPECT_EQ(device->label(), "cuda:2");
  EXPECT_EQ(device->name, "Imaginary GPU");
  EXPECT_EQ(10 * device->major + device->minor, 86);
  EXPECT_EQ(device->memoryBytes >> 30, 80u);
  EXPECT_EQ(device->limits.sharedBytes, 232448);
  EXPECT_EQ(platform.device(3), nullptr);
  EXPECT_EQ(platform.device(-1), nullptr);
}

TEST_F(CudaPlatformTest, NoLibrary) {
  Platform platform("/nowhere/libcuda.so.1");
  EXPECT_TRUE(contains(platform.problem(), "can't be opened: /nowhere/libcuda.so.1"));
  EXPECT_EQ(platform.driverVersion(), 0);
  EXPECT_TRUE(platform.devices().empty());
}

TEST_F(CudaPlatformTest, ALibraryThatLacksFunctions) {
  Platform platform("libm.so.6");
  EXPECT_EQ(platform.problem(), "the driver is too old: libm.so.6 has no function cuInit");
  EXPECT_EQ(platform.currentOrdinal(), 0);
}

TEST_F(CudaPlatformTest, NoDevice) {
  configure("devices=0");
  EXPECT_TRUE(contains(Platform(FAKE_CUDA_LIBRARY).problem(), "cuInit: CUDA_ERROR_NO_DEVICE"));
  configure("devices=0 cuInit=0");
  EXPECT_TRUE(contains(Platform(FAKE_CUDA_LIBRARY).problem(), "CUDA_VISIBLE_DEVICES may hide it"));
}

TEST_F(CudaPlatformTest, WhatFailsAtTheStartIsNamed) {
  for (const char *function : {"cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetAttribute"}) {
    configure((std::string(function) + "=803").c_str());
    Platform platform(FAKE_CUDA_LIBRARY);
    EXPECT_TRUE(contains(platform.problem(), std::string(function) + ": error 803"));
    EXPECT_TRUE(contains(platform.problem(), "of two versions"));
    EXPECT_TRUE(platform.devices().empty());
  }
}

TEST_F(CudaPlatformTest, AContextIsCurrentForAWhile) {
  Platform platform(FAKE_CUDA_LIBRARY);
  {
    ContextScope scope(platform.devices()[1]);
    EXPECT_EQ(scope.status, Status::Success);
    EXPECT_EQ(currentDevice(), 1);
    EXPECT_EQ(platform.currentOrdinal(), 1);
  }
  EXPECT_EQ(currentDevice(), -1);
  EXPECT_EQ(platform.currentOrdinal(), 0);
  makeCurrent(0);
  {
    ContextScope scope(platform.devices()[1]);
    EXPECT_EQ(currentDevice(), 1);
  }
  EXPECT_EQ(currentDevice(), 0);
}

TEST_F(CudaPlatformTest, TheCurrentContextIsNotPushedAgain) {
  Platform platform(FAKE_CUDA_LIBRARY);
  makeCurrent(1);
  ContextScope scope(platform.devices()[1]);
  EXPECT_FALSE(contains(report(), "cuCtxPushCurrent"));
}

TEST_F(CudaPlatformTest, AContextIsRetainedOnceItCanBe) {
  configure("cuDevicePrimaryCtxRetain=2*1");
  Platform platform(FAKE_CUDA_LIBRARY);
  EXPECT_EQ(ContextScope(platform.devices()[0]).status, Status::OutOfMemory);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ContextScope(platform.devices()[0]).status, Status::Success);
  }
  EXPECT_TRUE(contains(report(), "\"cuDevicePrimaryCtxRetain\": 2"));
}

TEST_F(CudaPlatformTest, RemembersTheLastLaunches) {
  Platform platform(FAKE_CUDA_LIBRARY);
  Device &device = platform.devices()[0];
  EXPECT_TRUE(device.lastLaunches().empty());
  const char *names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
  for (const char *name : {names[0], names[0], names[1], names[0]}) {
    device.noteLaunch(name);
  }
  EXPECT_EQ(device.lastLaunches(), (Names{"a", "b"}));
  for (const char *name : names) {
    device.noteLaunch(name);
  }
  EXPECT_EQ(device.lastLaunches(), (Names{"i", "h", "g", "f", "e", "d", "c", "b"}));
}

TEST_F(CudaPlatformTest, ADeviceIsLostByADeadlyStatusOnly) {
  Platform platform(FAKE_CUDA_LIBRARY);
  Device &device = platform.devices()[0];
  device.noteLaunch("scale (k.py:3)");
  EXPECT_TRUE(
      contains(device.explain("cuLaunchKernel", Status::OutOfMemory), "cuda:0: cuLaunchKernel: CUDA_ERROR_OUT"));
  EXPECT_FALSE(device.isLost());
  EXPECT_EQ(device.lostBecause(), "");
  std::string said = device.explain("cuLaunchKernel", Status::IllegalAddress);
  EXPECT_TRUE(device.isLost());
  EXPECT_FALSE(platform.devices()[1].isLost());
  EXPECT_TRUE(contains(said, "cuda:0 is lost to this process since CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory"));
  EXPECT_TRUE(contains(said, "newest first: scale (k.py:3)"));
  // The first cause is kept.
  device.explain("cuLaunchKernel", Status::LaunchFailed);
  EXPECT_EQ(device.lostBecause(), said);
}

TEST_F(CudaPlatformTest, AForkedProcess) {
  Platform platform(FAKE_CUDA_LIBRARY);
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

TEST(CudaDriverTest, NewestPtx) {
  EXPECT_EQ(newestPtx(10020), 0);
  EXPECT_EQ(newestPtx(11080), 78);
  EXPECT_EQ(newestPtx(12060), 85);
  EXPECT_EQ(newestPtx(12080), 87);
  EXPECT_EQ(newestPtx(13000), 90);
  EXPECT_EQ(newestPtx(99000), 91);
  EXPECT_EQ(versionText(12080), "12.8");
}

TEST(CudaStatusTest, WhichStatusesEndAContext) {
  for (Status status : {Status::IllegalAddress, Status::Assert, Status::LaunchFailed, Status::MisalignedAddress}) {
    EXPECT_TRUE(isFatal(status));
    EXPECT_TRUE(adviceOn(status));
  }
  for (Status status : {Status::Success, Status::OutOfMemory, Status::LaunchOutOfResources, Status::Unknown}) {
    EXPECT_FALSE(isFatal(status));
  }
  EXPECT_EQ(adviceOn(Status::Unknown), nullptr);
}

} // namespace
} // namespace tilewright::runtime::cuda
