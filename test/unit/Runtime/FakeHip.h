// The stand-in for the HIP runtime (test/fake_hip), reset before each test.

#ifndef TILEWRIGHT_TEST_UNIT_RUNTIME_FAKEHIP_H
#define TILEWRIGHT_TEST_UNIT_RUNTIME_FAKEHIP_H

#include "FakeDriver.h"

#include "tilewright/Runtime/Hip/Kernel.h"

#include <memory>
#include <string>

namespace tilewright::runtime::hip {

class FakeHipTest : public testing::Test {
protected:
  FakeHipTest() : fake(FAKE_HIP_LIBRARY) {}

  void SetUp() override {
    fake.configure("");
    fake.makeCurrent(-1);
    fake.find<int()>("hipGetLastError")();
  }

  /// This thread's last error, which PyTorch would find.
  int lastError() const { return fake.find<int()>("fake_last_error")(); }

  /// The code of the kernel `add`; the text is that of a kernel in a code object (test/fake_hip).
  KernelCode code(const std::string &text, int64_t shared = 0, int threads = 256) const {
    KernelCode code;
    std::string lines = "gfx942\n" + text;
    size_t size = 0;
    const char *image = fake.find<const char *(const char *, size_t *)>("fake_code_object")(lines.c_str(), &size);
    code.image.assign(image, size);
    code.symbol = "add";
    code.architecture = "gfx942";
    code.threads = threads;
    code.dynamicSharedBytes = shared;
    return code;
  }

  /// The error message of loading the code; empty if it succeeds.
  std::string loadProblem(Platform &platform, const KernelCode &code) {
    problem = {};
    kernel = Kernel::load(platform.devices()[0], code, problem);
    return problem.message;
  }

  const FakeDriver fake;
  KernelProblem problem;
  std::unique_ptr<Kernel> kernel;
};

} // namespace tilewright::runtime::hip

#endif // TILEWRIGHT_TEST_UNIT_RUNTIME_FAKEHIP_H
