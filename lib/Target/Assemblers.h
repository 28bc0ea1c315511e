// The two ways to NVIDIA's assembler. Both take ptxas' options, say the same things in their logs, and return an error
// with that log where they refuse the PTX.

#ifndef TILEWRIGHT_LIB_TARGET_ASSEMBLERS_H
#define TILEWRIGHT_LIB_TARGET_ASSEMBLERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tilewright::nvptx {

struct Assembled {
  bool ok = false;
  std::string image;
  std::string log;
};

/// nvJitLink, a library that comes with PyTorch's CUDA builds, in this process. Opened at run time and never closed:
/// Tilewright is built, and imported, without it.
class NvJitLink {
public:
  /// Opens the library once for each path. Thread-safe.
  static llvm::Expected<const NvJitLink *> open(llvm::StringRef path);

  /// Thread-safe. An error is the library's own failure, not the PTX's.
  llvm::Expected<Assembled> assemble(llvm::StringRef ptx, llvm::StringRef arch,
                                     llvm::ArrayRef<std::string> options) const;

  /// "nvJitLink 13.0"
  std::string describe() const;

private:
  static llvm::Expected<NvJitLink> load(llvm::StringRef path);

  using Handle = struct nvJitLink *;
  int (*create)(Handle *, uint32_t, const char *const *);
  int (*destroy)(Handle *);
  int (*addData)(Handle, int, const void *, size_t, const char *);
  int (*complete)(Handle);
  int (*getImageSize)(Handle, size_t *);
  int (*getImage)(Handle, void *);
  int (*getErrorSize)(Handle, size_t *);
  int (*getError)(Handle, char *);
  int (*getInfoSize)(Handle, size_t *);
  int (*getInfo)(Handle, char *);
  int (*getVersion)(unsigned *, unsigned *);
};

/// Runs the program on temporary files. An error is that it could not be run.
llvm::Expected<Assembled> runPtxas(llvm::StringRef program, llvm::StringRef ptx, llvm::StringRef arch,
                                   llvm::ArrayRef<std::string> options);

/// "ptxas 13.0.88"
llvm::Expected<std::string> describePtxas(llvm::StringRef program);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_LIB_TARGET_ASSEMBLERS_H
