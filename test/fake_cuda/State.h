// What the stand-in for the driver knows.

#ifndef TILEWRIGHT_TEST_FAKE_CUDA_STATE_H
#define TILEWRIGHT_TEST_FAKE_CUDA_STATE_H

#include "../fake_gpu/Script.h"

#include <map>
#include <string>
#include <vector>

namespace fake_cuda {

using fake_gpu::captureMode;
using fake_gpu::quiet;

constexpr int kSuccess = 0, kInvalidValue = 1, kNoDevice = 100, kInvalidImage = 200, kInvalidContext = 201,
              kNotFound = 500, kCaptureUnsupported = 900;

/// A kernel in a loaded image.
struct KernelText {
  explicit KernelText(const std::string &line);
  int attribute(int attribute, int &value) const;

  std::string name;
  int registers = 32, local = 0, staticShared = 0, threads = 1024;
  int dynamicShared = 48 * 1024; // what may be asked for
  std::vector<int> parameters;   // their sizes in bytes
};

struct Image {
  explicit Image(const char *text);
  std::vector<KernelText> kernels;
};

/// The stack of contexts of this thread, by the ordinals of their devices.
std::vector<int> &contexts();

class State final : public fake_gpu::Script {
public:
  static State &get();
  static int errorText(int status, const char **text, bool name);

  int deviceAttribute(int attribute, int &value) const;

  int capability = 90, version = 12080;

private:
  bool ownWord(const std::string &name, const std::string &value) override;
  void resetOwn() override;
};

} // namespace fake_cuda

#endif // TILEWRIGHT_TEST_FAKE_CUDA_STATE_H
