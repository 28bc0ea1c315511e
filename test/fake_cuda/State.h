// What the stand-in for the driver knows.

#ifndef TILEWRIGHT_TEST_FAKE_CUDA_STATE_H
#define TILEWRIGHT_TEST_FAKE_CUDA_STATE_H

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace fake_cuda {

constexpr int kSuccess = 0, kInvalidValue = 1, kNoDevice = 100, kInvalidImage = 200, kInvalidContext = 201,
              kNotFound = 500, kCaptureUnsupported = 900;
constexpr int kRelaxed = 2;

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
/// The capture mode of this thread.
int &captureMode();

/// Whether launches take no time.
std::atomic<bool> &quiet();

/// Guarded by `mutex`.
class State {
public:
  static std::mutex &mutex();
  static State &get();
  static int errorText(int status, const char **text, bool name);

  void configure(const std::string &words);
  std::string report() const;
  /// What a call of the function returns instead of doing anything; 0 to go on.
  int enter(const char *function);
  int deviceAttribute(int attribute, int &value) const;
  /// `sizes`: the grid's three axes, threads and bytes of dynamic shared memory.
  /// `attributes`: the launch's, with their values, by number.
  void note(const KernelText &kernel, int device, std::array<unsigned, 5> sizes, uintptr_t stream, void **parameters,
            const std::map<int, int> &attributes = {});

  int devices = 2, capability = 90, version = 12080;
  bool capturing = false;
  uint64_t pinned = 0;
  int loaded = 0; // images, less those unloaded

private:
  struct Failure {
    int status = 0;
    int times = -1; // for ever
  };
  void word(const std::string &name, const std::string &value);

  std::map<std::string, Failure> failures;
  std::map<int, int> lost; // status by device
  std::map<std::string, int> calls;
  std::vector<std::string> launches; // as JSON
};

} // namespace fake_cuda

#endif // TILEWRIGHT_TEST_FAKE_CUDA_STATE_H
