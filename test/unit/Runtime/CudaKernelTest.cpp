// Loading kernels onto a device and launching them.

#include "FakeCuda.h"

#include "tilewright/Runtime/ArgumentBlock.h"

#include <thread>
#include <vector>

namespace tilewright::runtime::cuda {
namespace {

using CudaKernelTest = FakeCudaTest;

TEST_F(CudaKernelTest, KnowsItsResources) {
  Platform platform(FAKE_CUDA_LIBRARY);
  ASSERT_EQ(loadProblem(platform, code("other registers=1\nadd registers=40 local=16 static=512 threads=256")), "");
  EXPECT_EQ(kernel->resources.registers, 40);
  EXPECT_EQ(kernel->resources.localBytes, 16);
  EXPECT_EQ(kernel->resources.staticSharedBytes, 512);
  EXPECT_EQ(kernel->resources.maxThreads, 256);
  EXPECT_EQ(currentDevice(), -1);
}

TEST_F(CudaKernelTest, LaunchesOnItsDevice) {
  Platform platform(FAKE_CUDA_LIBRARY);
  kernel = Kernel::load(platform.devices()[1], code("add parameters=8,4,1", 1024, 256), problem);
  ASSERT_TRUE(kernel) << problem.message;
  uint64_t slots[] = {0x123456789a, 0xffffffffffffffff, 0x1ff};
  void *parameters[] = {&slots[0], &slots[1], &slots[2]};
  makeCurrent(0);
  Grid grid = *Grid::make({5, 6, 7});
  EXPECT_EQ(kernel->launch(grid, reinterpret_cast<Stream>(0x77), parameters), Status::Success);
  EXPECT_EQ(currentDevice(), 0);
  EXPECT_TRUE(contains(report(), "{\"attributes\": {}, \"kernel\": \"add\", \"device\": 1, "
                                 "\"grid\": [5, 6, 7], \"threads\": 256, "
                                 "\"shared\": 1024, \"stream\": 119, \"parameters\": [78187493530, 4294967295, 255]}"));
}

TEST_F(CudaKernelTest, PassesStructuresByValue) {
  Platform platform(FAKE_CUDA_LIBRARY);
  kernel = Kernel::load(platform.devices()[0], code("add parameters=4,128,8"), problem);
  ASSERT_TRUE(kernel) << problem.message;
  ArgumentBlock block;
  uint64_t map[16];
  std::string words;
  for (uint64_t i = 0; i < 16; ++i) {
    map[i] = i << 60 | i;
    words += (i ? ", " : "") + std::to_string(map[i]);
  }
  block.push_back(7);
  block.append(map, sizeof(map), 64);
  block.push_back(~uint64_t(0));
  std::vector<void *> parameters;
  for (size_t slot : block.leaves()) {
    parameters.push_back(&block[slot]);
  }
  EXPECT_EQ(kernel->launch(*Grid::make({1}), nullptr, parameters.data()), Status::Success);
  EXPECT_TRUE(contains(report(), "\"parameters\": [7, [" + words + "], 18446744073709551615]"));
}

TEST_F(CudaKernelTest, AsksForMuchSharedMemory) {
  Platform platform(FAKE_CUDA_LIBRARY);
  Grid one;
  for (int64_t shared : {0, 48 * 1024 - 16, 48 * 1024, 200 * 1024, 232448 - 16}) {
    ASSERT_EQ(loadProblem(platform, code("add static=16", shared)), "");
    EXPECT_EQ(kernel->launch(one, nullptr, nullptr), Status::Success) << shared;
  }
}

TEST_F(CudaKernelTest, LoadsWhileAStreamIsCaptured) {
  configure("capturing");
  Platform platform(FAKE_CUDA_LIBRARY);
  EXPECT_EQ(loadProblem(platform, code("add registers=8")), "");
  // The thread's capture mode is restored.
  Module module;
  EXPECT_EQ(platform.driver().moduleLoadDataEx(&module, "add registers=8", 0, nullptr, nullptr),
            Status::StreamCaptureUnsupported);
}

TEST_F(CudaKernelTest, CodeThatIsNone) {
  configure("version=12040");
  Platform platform(FAKE_CUDA_LIBRARY);
  EXPECT_TRUE(contains(loadProblem(platform, code("rubbish")), "cuModuleLoadDataEx: CUDA_ERROR_INVALID_IMAGE"));
  EXPECT_TRUE(contains(problem.message,
                       "; line 1: no kernel in it; the driver is that of CUDA 12.4, which supports PTX "
                       "up to 8.4"));
  EXPECT_TRUE(contains(loadProblem(platform, code("sub registers=8")), "cuModuleGetFunction: CUDA_ERROR_NOT_FOUND"));
  EXPECT_TRUE(contains(report(), "\"loaded\": 0"));
}

TEST_F(CudaKernelTest, EachFailureOfTheDriverIsNamed) {
  for (const char *function :
       {"cuDevicePrimaryCtxRetain", "cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncGetAttribute",
        "cuFuncSetAttribute", "cuOccupancyMaxActiveBlocksPerMultiprocessor"}) {
    configure((std::string(function) + "=2").c_str());
    Platform platform(FAKE_CUDA_LIBRARY);
    KernelCode persistent = code("add registers=8", 100000);
    persistent.isPersistent = true;
    EXPECT_TRUE(contains(loadProblem(platform, persistent),
                         "cuda:0: " + std::string(function) + ": CUDA_ERROR_OUT_OF_MEMORY (out of memory)"));
    EXPECT_FALSE(kernel);
    EXPECT_EQ(currentDevice(), -1);
  }
}

TEST_F(CudaKernelTest, TooMuchSharedMemory) {
  Platform platform(FAKE_CUDA_LIBRARY);
  EXPECT_EQ(
      loadProblem(platform, code("add static=1000", 232000)),
      "needs 233000 bytes of shared memory per program, and cuda:0 has 232448; smaller blocks or fewer num_stages "
      "take less");
  ASSERT_TRUE(problem.excess);
  EXPECT_EQ(problem.excess->required, 233000);
  EXPECT_EQ(problem.excess->limit, 232448);
  EXPECT_TRUE(contains(report(), "\"loaded\": 0"));
}

TEST_F(CudaKernelTest, TooManyThreadsAndRegisters) {
  Platform platform(FAKE_CUDA_LIBRARY);
  EXPECT_TRUE(contains(loadProblem(platform, code("add registers=16", 0, 2048)),
                       "needs 2048 threads per program, and cuda:0 has 1024; num_warps is at most 32"));
  EXPECT_TRUE(contains(loadProblem(platform, code("add registers=65", 0, 1024)),
                       "needs 73728 registers per program, and cuda:0 has 65536"));
  EXPECT_EQ(loadProblem(platform, code("add registers=64", 0, 1024)), "");
  EXPECT_TRUE(contains(loadProblem(platform, code("add registers=16 threads=128", 0, 256)), "256 threads per program"));
}

TEST_F(CudaKernelTest, GridsBeyondTheLimits) {
  Platform platform(FAKE_CUDA_LIBRARY);
  const DeviceLimits &limits = platform.devices()[0].limits;
  EXPECT_FALSE(excessOfGrid(limits, *Grid::make({INT32_MAX, 65535, 1})));
  for (unsigned axis : {1, 2}) {
    std::array<int64_t, 3> axes = {1, 1, 1};
    axes[axis] = 65536;
    auto excess = excessOfGrid(limits, *Grid::make(axes));
    ASSERT_TRUE(excess);
    EXPECT_EQ(describe(*excess, "cuda:0"), "needs 65536 programs along axis " + std::to_string(axis) +
                                               " of its grid, and cuda:0 has 65535; axis 0 may be longer");
  }
}

TEST_F(CudaKernelTest, ALostDevice) {
  Platform platform(FAKE_CUDA_LIBRARY);
  ASSERT_EQ(loadProblem(platform, code("add registers=8")), "");
  configure("lost0=700");
  Grid one;
  EXPECT_EQ(kernel->launch(one, nullptr, nullptr), Status::IllegalAddress);
  // Loading fails too, and after that no call is made.
  EXPECT_TRUE(contains(loadProblem(platform, code("add registers=8")), "cuda:0 is lost to this process"));
  configure("");
  EXPECT_TRUE(contains(loadProblem(platform, code("add registers=8")), "cuda:0 is lost to this process"));
  EXPECT_FALSE(contains(report(), "cuModuleLoadDataEx"));
}

TEST_F(CudaKernelTest, ThreadsLaunchAtOnce) {
  Platform platform(FAKE_CUDA_LIBRARY);
  std::vector<std::unique_ptr<Kernel>> kernels;
  for (Device &device : platform.devices()) {
    kernels.push_back(Kernel::load(device, code("add parameters=8"), problem));
    ASSERT_TRUE(kernels.back());
  }
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      uint64_t slot = thread;
      void *parameter = &slot;
      for (int i = 0; i < 100; ++i) {
        failures += kernels[i % 2]->launch(Grid(), nullptr, &parameter) != Status::Success;
        kernels[i % 2]->device.noteLaunch("add");
      }
      failures += currentDevice() != -1;
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(failures, 0);
  EXPECT_TRUE(contains(report(), "\"cuLaunchKernel\": 800"));
}

} // namespace
} // namespace tilewright::runtime::cuda
