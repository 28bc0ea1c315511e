// Loads compiled code. Each kind of target defines a function that does so, next to its LoadedKernel.

#ifndef TILEWRIGHT_LAUNCHER_LOAD_H
#define TILEWRIGHT_LAUNCHER_LOAD_H

#include "tilewright/Launcher/CheckedAccesses.h"
#include "tilewright/Launcher/LoadedKernel.h"

#include "llvm/ADT/StringRef.h"

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

namespace tilewright::launcher {

/// The output of a compilation, and the device to load it onto.
struct LoadRequest {
  std::string kernel; ///< the name of the Python function, for messages
  std::string arch;   ///< the target without its kind
  std::string object;
  std::string symbol;
  int32_t ordinal = 0;
  pybind11::dict metadata; ///< of the kind's compilation

  template <typename T> T get(const char *name) const { return metadata[name].cast<T>(); }
  /// The accesses that code with bounds checks reports.
  PyAccesses accesses() const;
  /// The assertions that a GPU's code reports.
  std::vector<PyAssert> asserts() const;
};

/// Loads code for a kind of target. Raises DeviceError, or OutOfResourcesError with the required amount and the limit.
std::shared_ptr<LoadedKernel> load(llvm::StringRef kind, const LoadRequest &request);

} // namespace tilewright::launcher

#endif // TILEWRIGHT_LAUNCHER_LOAD_H
