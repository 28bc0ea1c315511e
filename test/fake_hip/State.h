// What the stand-in for the HIP runtime knows.

#ifndef TILEWRIGHT_TEST_FAKE_HIP_STATE_H
#define TILEWRIGHT_TEST_FAKE_HIP_STATE_H

#include "../fake_gpu/Script.h"

#include "tilewright/Target/Amdgpu/KernelNotes.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fake_hip {

using fake_gpu::captureMode;
using fake_gpu::quiet;

constexpr int kSuccess = 0, kInvalidValue = 1, kInvalidConfiguration = 9, kNoDevice = 100, kInvalidDevice = 101,
              kInvalidImage = 200, kNoBinaryForGpu = 209, kInvalidHandle = 400, kNotFound = 500, kLaunchFailure = 719,
              kCaptureUnsupported = 900;

/// A loaded code object, on the device that was current.
struct Module;

struct Function {
  const tilewright::amdgpu::KernelNotes *notes;
  const Module *module;
};

struct Module {
  tilewright::amdgpu::CodeObjectNotes notes;
  int device = 0;
  std::vector<Function> functions; // of the kernels, in order
  uint64_t variable = 0;           ///< the only one
};

/// Reads a code object, whose size the runtime is not told.
std::optional<tilewright::amdgpu::CodeObjectNotes> readImage(const void *image);

/// This thread's current device, and the last error, which stays until it is read.
int &currentDevice();
int &lastError();

class State final : public fake_gpu::Script {
public:
  static State &get();
  static const char *errorName(int status);
  static const char *errorText(int status);

  int deviceAttribute(int attribute, int &value) const;
  /// "gfx942:sramecc+:xnack-"
  std::string architecture(int device) const;
  /// Notes a launch, at once or for the graph of a stream that is being captured.
  void launch(const fake_gpu::Launch &launch);
  /// Notes the launches of the graph again.
  void replay();

  int version = 60443482, lds = 65536, lanes = 64;

private:
  bool ownWord(const std::string &name, const std::string &value) override;
  void resetOwn() override;

  std::map<int, std::string> architectures;
  uintptr_t captured = 0; // the stream that is being captured
  std::vector<fake_gpu::Launch> graph;
};

} // namespace fake_hip

#endif // TILEWRIGHT_TEST_FAKE_HIP_STATE_H
