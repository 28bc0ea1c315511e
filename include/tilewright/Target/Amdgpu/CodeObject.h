// What a code object says of its kernels, in a note that the runtime reads too.

#ifndef TILEWRIGHT_TARGET_AMDGPU_CODEOBJECT_H
#define TILEWRIGHT_TARGET_AMDGPU_CODEOBJECT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace tilewright::amdgpu {

struct KernelResources {
  std::string name;
  int64_t registers = 0;       ///< of 32 bits per thread, with the accumulation registers
  int64_t accumulators = 0;    ///< the accumulation registers among them
  int64_t scalarRegisters = 0; ///< per warp
  int64_t spilledRegisters = 0;
  int64_t spilledScalars = 0;
  int64_t scratchBytes = 0;  ///< of private memory per thread
  int64_t sharedBytes = 0;   ///< static; that of a launch comes in addition
  int64_t argumentBytes = 0; ///< with hidden arguments
  int64_t lanesPerWarp = 0;
  int64_t threadsPerBlock = 0; ///< at most
};

/// The resources of the kernel `name` of a code object or an object file.
llvm::Expected<KernelResources> readResources(llvm::StringRef object, llvm::StringRef name);

} // namespace tilewright::amdgpu

#endif // TILEWRIGHT_TARGET_AMDGPU_CODEOBJECT_H
