// The process's instance of a vendor's platform: its driver and devices.

#ifndef TILEWRIGHT_RUNTIME_PLATFORMINSTANCE_H
#define TILEWRIGHT_RUNTIME_PLATFORMINSTANCE_H

#include <atomic>
#include <mutex>
#include <string>

namespace tilewright::runtime {

/// `Platform` is constructed from the name of a library; an empty name stands for the default one. Instances are never
/// destroyed, because kernels refer to their devices. There are several only in tests.
template <typename Platform> class PlatformInstance {
public:
  /// The first call makes it.
  Platform &get() {
    if (Platform *known = current.load(std::memory_order_acquire)) {
      return *known;
    }
    std::lock_guard<std::mutex> lock(mutex);
    Platform *known = current.load(std::memory_order_acquire);
    if (!known) {
      known = new Platform("");
      current.store(known, std::memory_order_release);
    }
    return *known;
  }

  void replace(const std::string &library) { current.store(new Platform(library), std::memory_order_release); }

private:
  std::atomic<Platform *> current{nullptr};
  std::mutex mutex;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_PLATFORMINSTANCE_H
