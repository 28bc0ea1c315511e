// Configures the stand-in for the driver (test/fake_cuda), and reads the calls that it recorded.

#ifndef TILEWRIGHT_TEST_UNIT_RUNTIME_FAKECUDA_H
#define TILEWRIGHT_TEST_UNIT_RUNTIME_FAKECUDA_H

#include "FakeDriver.h"

#include "tilewright/Runtime/Cuda/Kernel.h"

#include <memory>
#include <string>

namespace tilewright::runtime::cuda {

inline const FakeDriver &fake() {
  static const FakeDriver driver(FAKE_CUDA_LIBRARY);
  return driver;
}
inline void configure(const char *words) { fake().configure(words); }
inline std::string report() { return fake().report(); }
inline int currentDevice() { return fake().currentDevice(); }
inline void makeCurrent(int device) { fake().makeCurrent(device); }

/// Resets the stand-in before each test.
class FakeCudaTest : public testing::Test {
protected:
  void SetUp() override {
    configure("");
    makeCurrent(-1);
  }

  /// The error message of loading the code; empty if it succeeds.
  std::string loadProblem(Platform &platform, const KernelCode &code) {
    problem = {};
    kernel = Kernel::load(platform.devices()[0], code, problem);
    return problem.message;
  }

  static KernelCode code(const std::string &image, int64_t shared = 0, int threads = 128) {
    return {image, "add", threads, shared};
  }

  KernelProblem problem;
  std::unique_ptr<Kernel> kernel;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_TEST_UNIT_RUNTIME_FAKECUDA_H
