// AMD's HIP runtime, whose library is opened and searched for functions at run time, so that neither building nor
// importing Tilewright needs ROCm.

#ifndef TILEWRIGHT_RUNTIME_HIP_LIBRARY_H
#define TILEWRIGHT_RUNTIME_HIP_LIBRARY_H

#include "third_party/hip/Runtime.h"

#include <string>

namespace tilewright::runtime::hip {

struct Library {
// NOLINTNEXTLINE(bugprone-macro-parentheses): not allowed in a declaration
#define TILEWRIGHT_HIP_MEMBER(result, member, symbol, parameters) result(*member) parameters = nullptr;
  TILEWRIGHT_HIP_FUNCTIONS(TILEWRIGHT_HIP_MEMBER)
#undef TILEWRIGHT_HIP_MEMBER

  /// The file that was opened.
  std::string file;

  /// Opens a library, which stays open. An empty name stands for the first one that is found: the one that this process
  /// already uses, since two copies of the runtime do not know each other's memory and streams; those on the loader's
  /// path, from the newest version on; that in $ROCM_PATH or /opt/rocm. Returns an empty string, or the reason of the
  /// failure.
  std::string open(const std::string &name);
};

/// "6.4.43482" for 60443482.
std::string versionText(int version);

} // namespace tilewright::runtime::hip

#endif // TILEWRIGHT_RUNTIME_HIP_LIBRARY_H
