// NVIDIA's GPUs as data: what a compiler asks about an architecture. Instructions are in NvidiaInstructions.h.
//
// Numbers are those of the CUDA programming guide, "Technical Specifications per Compute Capability".

#ifndef TILEWRIGHT_HARDWARE_NVIDIA_H
#define TILEWRIGHT_HARDWARE_NVIDIA_H

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tilewright::hardware {

/// A set of architectures, one bit each.
using NvidiaTargets = uint32_t;

/// PTX 8.4 is CUDA 12.4's: every assembler from there on takes the code, and it may use what came until then.
inline constexpr int kPtxVersion = 84;

struct NvidiaInfo {
  std::string_view name; ///< as LLVM and ptxas call it, such as "sm_90a"
  NvidiaTargets target;  ///< its bit in the rows of instructions
  int ptxVersion;        ///< the first PTX version that knows it, 80 for 8.0

  // Of a multiprocessor (SM). All have 64 Ki registers of 32 bits and 32 lanes a warp.
  int64_t sharedPerSm;    ///< bytes
  int64_t sharedPerBlock; ///< bytes a block can have when it asks for more than kStaticShared
  int warpsPerSm;
  int blocksPerSm;
  int blocksPerCluster; ///< portable limit; 1 where there are no clusters

  int threadsPerSm() const { return 32 * warpsPerSm; }

  /// The PTX version of code for it.
  int codeVersion() const { return std::max(ptxVersion, kPtxVersion); }
};

inline constexpr int kLanesPerWarp = 32;
inline constexpr int64_t kRegistersPerSm = 65536; ///< and per block
inline constexpr int kRegistersPerThread = 255;
inline constexpr int kRegisterGranularity = 8; ///< registers a thread, allocated in steps
inline constexpr int kThreadsPerBlock = 1024;
inline constexpr int64_t kVectorBytes = 16;               ///< the widest access of a thread
inline constexpr int64_t kLineBytes = 128;                ///< of the caches; a row of shared memory's banks
inline constexpr int64_t kStaticShared = 48 * 1024;       ///< bytes a block has without asking
inline constexpr int64_t kReservedSharedPerBlock = 1024;  ///< bytes the system takes for each block
inline constexpr int64_t kGridX = (int64_t(1) << 31) - 1; ///< most blocks along x
inline constexpr int64_t kGridYZ = 65535;                 ///< and along y and z

/// The seven architectures, oldest first.
const std::vector<NvidiaInfo> &nvidiaTargets();

/// Null for a name that is none of them. "90a" and "sm_90a" are the same.
const NvidiaInfo *lookupNvidia(std::string_view name);

/// How many blocks fit an SM at once, given a block's threads and shared memory and a thread's registers.
int blocksThatFit(const NvidiaInfo &info, int threads, int registersPerThread, int64_t sharedBytes);

} // namespace tilewright::hardware

#endif // TILEWRIGHT_HARDWARE_NVIDIA_H
