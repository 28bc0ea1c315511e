// Tables of NVIDIA's architectures and their limits, for code that assembles, loads and launches kernels. Passes see a
// GpuInfo (Gpu.h). Instructions are in NvidiaInstructions.h.
//
// The numbers are from the CUDA programming guide, "Technical Specifications per Compute Capability".

#ifndef TILEWRIGHT_HARDWARE_NVIDIA_H
#define TILEWRIGHT_HARDWARE_NVIDIA_H

#include "tilewright/Hardware/Gpu.h"

#include <algorithm>

namespace tilewright::hardware {

/// A set of architectures, one bit each.
using NvidiaTargets = uint32_t;

/// PTX 8.4 is the version of CUDA 12.4: all assemblers since then accept the code, which may use features up to that
/// version.
inline constexpr int kPtxVersion = 84;

struct NvidiaInfo {
  std::string_view name; ///< LLVM's and ptxas' name, such as "sm_90a"
  NvidiaTargets target;  ///< its bit in the target sets of instructions
  int ptxVersion;        ///< the first PTX version that supports it, 80 for 8.0

  // Limits of a multiprocessor (SM). All have 64 Ki registers of 32 bits.
  int64_t sharedPerSm;    ///< bytes
  int64_t sharedPerBlock; ///< bytes per thread block, as dynamic shared memory beyond kStaticShared
  int warpsPerSm;
  int blocksPerSm;
  int blocksPerCluster; ///< portable limit; 1 without cluster support

  int64_t cacheBytes; ///< of the L2 cache of the largest GPU with this architecture

  int threadsPerSm() const;

  /// The PTX version of code for the architecture.
  int codeVersion() const { return std::max(ptxVersion, kPtxVersion); }
};

inline constexpr int kLanesPerWarp = 32;          ///< of all of NVIDIA's GPUs; passes ask their GpuInfo
inline constexpr int64_t kRegistersPerSm = 65536; ///< and per block
inline constexpr int kRegistersPerThread = 255;
inline constexpr int kRegisterGranularity = 8; ///< allocation granularity per thread
inline constexpr int kPartsOfSm = 4;           ///< each has a quarter of the registers, and of a block's warps
inline constexpr int kThreadsPerBlock = 1024;
inline constexpr int64_t kStaticShared = int64_t(48) * 1024; ///< bytes per thread block without opting in to more
inline constexpr int64_t kReservedSharedPerBlock = 1024;     ///< bytes reserved by the system per thread block
inline constexpr int64_t kGridX = (int64_t(1) << 31) - 1;    ///< maximum thread blocks along x
inline constexpr int64_t kGridYZ = 65535;                    ///< and along y and z

/// The seven architectures, oldest first.
const std::vector<NvidiaInfo> &nvidiaTargets();

/// The same architectures as passes see them, in the same order.
const std::vector<GpuInfo> &nvidiaGpus();

/// Null for an unknown name. "90a" and "sm_90a" are the same.
const NvidiaInfo *lookupNvidia(std::string_view name);

/// How many thread blocks fit on an SM at once, given their threads, registers per thread and shared memory.
int blocksThatFit(const NvidiaInfo &info, int threads, int registersPerThread, int64_t sharedBytes);

} // namespace tilewright::hardware

#endif // TILEWRIGHT_HARDWARE_NVIDIA_H
