// What the stand-ins for drivers have in common: they follow a script, and note what is asked of them.
//
// The script is words:
//
//   devices=2
//   capturing            some stream is being captured: loading code, and memory, need the relaxed mode
//   pinned=0x1000        this host address is known to the devices
//   cuInit=100           the function returns that status from now on
//   cuInit=100*1         once
//   quiet                launches are neither checked nor noted, so that they take no time
//   lost0=700            a kernel broke device 0: each call for it returns that status
//
// A stand-in may have further words.

#ifndef TILEWRIGHT_TEST_FAKE_GPU_SCRIPT_H
#define TILEWRIGHT_TEST_FAKE_GPU_SCRIPT_H

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace fake_gpu {

constexpr int kRelaxed = 2;

/// The capture mode of this thread.
int &captureMode();

/// Whether launches take no time.
std::atomic<bool> &quiet();

/// Writes a number of up to 8 bytes, or a list of the 8-byte words of a structure.
std::string parameterText(const void *value, int bytes);

/// A launch, for the report.
struct Launch {
  std::string kernel;
  int device = 0;
  std::array<unsigned, 3> grid = {1, 1, 1};
  unsigned threads = 0, sharedBytes = 0;
  uintptr_t stream = 0;
  std::vector<std::string> parameters; ///< parameterText() of each
  std::string more;                    ///< further JSON, such as "\"hidden\": 1"
};

/// Guarded by `mutex`.
class Script {
public:
  virtual ~Script() = default;
  static std::mutex &mutex();

  /// Starts afresh.
  void configure(const std::string &words);
  /// JSON.
  std::string report() const;
  /// What a call of the function returns instead of doing anything; 0 to go on. `device` is the one that the call is
  /// for; -1 if it is for none.
  int enter(const char *function, int device);
  void note(const Launch &launch);
  bool forbidsMemory() const { return capturing && captureMode() != kRelaxed; }

  int devices = 2;
  uint64_t pinned = 0;
  int loaded = 0; ///< images, less those unloaded

protected:
  /// Returns false if the word is not one of the stand-in's own.
  virtual bool ownWord(const std::string &name, const std::string &value) = 0;
  virtual void resetOwn() = 0;

private:
  struct Failure {
    int status = 0;
    int times = -1; // for ever
  };
  void word(const std::string &name, const std::string &value);

  bool capturing = false;
  std::map<std::string, Failure> failures;
  std::map<int, int> lost; // status by device
  std::map<std::string, int> calls;
  std::vector<std::string> launches; // as JSON
};

/// Holds the script, and has counted the call.
template <typename State> struct Entered {
  Entered(const char *function, int device)
      : lock(State::mutex()), state(State::get()), status(state.enter(function, device)) {}
  std::lock_guard<std::mutex> lock;
  State &state;
  int status;
};

} // namespace fake_gpu

#endif // TILEWRIGHT_TEST_FAKE_GPU_SCRIPT_H
