// The two interfaces of NVIDIA's assembler: nvJitLink and ptxas. Both take the options of ptxas and write the same
// logs. If they reject the PTX, `ok` is false and the log has the reason.

#ifndef TILEWRIGHT_LIB_TARGET_CUDA_ASSEMBLERS_H
#define TILEWRIGHT_LIB_TARGET_CUDA_ASSEMBLERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tilewright::cuda {

struct Assembled {
  bool ok = false;
  std::string image;
  std::string log;
};

/// nvJitLink, a library that comes with PyTorch's CUDA builds. It is opened at run time and never closed, so that
/// neither building nor importing Tilewright needs it.
class NvJitLink {
public:
  /// Opens the library once for each path. Thread-safe.
  static llvm::Expected<const NvJitLink *> open(llvm::StringRef path);

  /// Thread-safe. Returns an error only if the library fails for a reason other than the PTX.
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

/// Runs the program on temporary files. Returns an error only if it could not be run.
llvm::Expected<Assembled> runPtxas(llvm::StringRef program, llvm::StringRef ptx, llvm::StringRef arch,
                                   llvm::ArrayRef<std::string> options);

/// "ptxas 13.0.88". Runs the program once for each path. Thread-safe.
llvm::Expected<std::string> describePtxas(llvm::StringRef program);

} // namespace tilewright::cuda

#endif // TILEWRIGHT_LIB_TARGET_CUDA_ASSEMBLERS_H
