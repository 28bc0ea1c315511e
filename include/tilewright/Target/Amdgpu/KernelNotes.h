// What an AMD code object says about its kernels. It is an ELF file, one of whose notes describes them in MessagePack:
//
//     amdhsa.target: amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-
//     amdhsa.kernels:
//       - .name: add
//         .args: [{.offset: 0, .size: 8, .value_kind: global_buffer}, ...]
//         .vgpr_count: 12
//         ...

#ifndef TILEWRIGHT_TARGET_AMDGPU_KERNELNOTES_H
#define TILEWRIGHT_TARGET_AMDGPU_KERNELNOTES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::amdgpu {

/// An argument in the structure that a launch passes. Counts bytes.
struct ArgumentNote {
  uint32_t offset = 0;
  uint32_t bytes = 0;
  /// Whether the runtime provides the value, such as the size of the grid. These follow the others.
  bool isHidden = false;
};

struct KernelNotes {
  std::string name;
  std::vector<ArgumentNote> arguments;
  uint32_t vectorRegisters = 0; ///< per thread, including accumulation registers where both share one file
  uint32_t accumulationRegisters = 0;
  uint32_t scalarRegisters = 0; ///< per wave
  uint32_t vectorSpills = 0;    ///< registers
  uint32_t scalarSpills = 0;
  uint32_t ldsBytes = 0;      ///< static, per program
  uint32_t scratchBytes = 0;  ///< per thread
  uint32_t argumentBytes = 0; ///< of the structure, with hidden arguments
  uint32_t lanesPerWave = 0;
  uint32_t maxThreads = 0; ///< per program
};

struct CodeObjectNotes {
  std::string architecture; ///< "gfx942", "gfx9-4-generic"
  std::string features;     ///< "sramecc+:xnack-"; empty if the code runs with any
  std::vector<KernelNotes> kernels;

  /// Null if there is no such kernel.
  const KernelNotes *find(llvm::StringRef kernel) const;
};

/// Reads the notes. Fails if the bytes are not a code object, or if its notes are malformed.
llvm::Expected<CodeObjectNotes> readNotes(llvm::StringRef codeObject);

} // namespace tilewright::amdgpu

#endif // TILEWRIGHT_TARGET_AMDGPU_KERNELNOTES_H
