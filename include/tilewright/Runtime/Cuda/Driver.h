// NVIDIA's driver, whose library is opened and searched for functions at run time, so that neither building nor
// importing Tilewright needs CUDA.

#ifndef TILEWRIGHT_RUNTIME_CUDA_DRIVER_H
#define TILEWRIGHT_RUNTIME_CUDA_DRIVER_H

#include "third_party/cuda/Driver.h"

#include <string>

namespace tilewright::runtime::cuda {

struct Driver {
// NOLINTNEXTLINE(bugprone-macro-parentheses): not allowed in a declaration
#define TILEWRIGHT_CUDA_MEMBER(member, symbol, parameters) Status(*member) parameters = nullptr;
  TILEWRIGHT_CUDA_FUNCTIONS(TILEWRIGHT_CUDA_MEMBER)
  TILEWRIGHT_CUDA_NEWER_FUNCTIONS(TILEWRIGHT_CUDA_MEMBER)
#undef TILEWRIGHT_CUDA_MEMBER

  /// Opens the driver's library, which stays open. Returns an empty string, or the reason of the failure.
  std::string open(const std::string &library);
};

/// "12.8" for 12080.
std::string versionText(int version);

/// The newest PTX version (87 for 8.7) that a driver of this version (12080 for CUDA 12.8) supports.
int newestPtx(int driverVersion);

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_DRIVER_H
