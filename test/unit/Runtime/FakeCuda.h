// Configures the stand-in for the driver (test/fake_cuda), and reads the calls that it recorded.

#ifndef TILEWRIGHT_TEST_UNIT_RUNTIME_FAKECUDA_H
#define TILEWRIGHT_TEST_UNIT_RUNTIME_FAKECUDA_H

#include "tilewright/Runtime/Cuda/Kernel.h"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <string>

namespace tilewright::runtime::cuda {

template <typename Function> Function *fakeFunction(const char *name) {
  static void *library = dlopen(FAKE_CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function *>(dlsym(library, name));
}

/// Resets the stand-in and configures it; test/fake_cuda/fake_cuda.cpp lists the words.
inline void configure(const char *words) { fakeFunction<void(const char *)>("fake_cuda_configure")(words); }
inline std::string report() { return fakeFunction<const char *()>("fake_cuda_report")(); }
inline int currentDevice() { return fakeFunction<int()>("fake_cuda_current")(); }
inline void makeCurrent(int device) { fakeFunction<void(int)>("fake_cuda_make_current")(device); }

inline testing::AssertionResult contains(const std::string &text, const std::string &part) {
  bool found = text.find(part) != std::string::npos;
  return (found ? testing::AssertionSuccess() : testing::AssertionFailure())
         << "'" << text << (found ? "' contains '" : "' does not contain '") << part << "'";
}

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
