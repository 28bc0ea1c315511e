// Tables of AMD's architectures and their limits, for code that generates, loads and launches kernels. Passes see a
// GpuInfo (Gpu.h). A warp is what AMD calls a wave, and a multiprocessor is a compute unit (CU), or on RDNA the two
// that share their local memory (a WGP).
//
// Sizes of local memory (LDS) and the steps of register allocation are those of LLVM's code generator; caches and banks
// are from AMD's documentation of ROCm and the guides of the instruction sets.

#ifndef TILEWRIGHT_HARDWARE_AMD_H
#define TILEWRIGHT_HARDWARE_AMD_H

#include "tilewright/Hardware/Gpu.h"

#include <algorithm>
#include <optional>
#include <string>

namespace tilewright::hardware {

/// A set of architectures, one bit each.
using AmdTargets = uint32_t;

struct AmdInfo {
  std::string_view name; ///< LLVM's, such as "gfx942"
  AmdTargets target;     ///< its bit in the target sets of instructions

  int lanesPerWarp;                       ///< 64 on CDNA; RDNA's default of 32
  int64_t sharedPerBlock;                 ///< bytes
  int64_t sharedPerSm;                    ///< bytes
  int banks;                              ///< of shared memory, 4 bytes wide
  std::array<uint8_t, 6> widestLoadOrder; ///< of the lanes whose loads of 16 bytes are served together

  // Each of the four SIMDs of a multiprocessor has as many registers of 32 bits for each lane.
  int registersPerLane;
  int registersPerThread;  ///< at most; on CDNA half of them are accumulation registers
  int registerGranularity; ///< allocation granularity per thread
  int warpsPerSimd;        ///< at most
  int barriers;            ///< of a multiprocessor; a block of several warps needs one

  bool shufflesRows; ///< the lanes of a row of 16 by any xor mask (DPP's row_xmask), and with the next row (RDNA)

  /// The last word of a buffer resource without a stride whose accesses have offsets in bytes that are checked against
  /// its size; 0 where buffer accesses are not used.
  uint32_t bufferFlags;
  /// The bits of a buffer load and store, as LLVM's intrinsics take them, that say that their data are used once.
  int streamedLoad, streamedStore;

  int64_t lineBytes;  ///< of the vector memory's first cache
  int64_t cacheBytes; ///< of the L2 cache that a multiprocessor of the largest GPU with this architecture has
};

inline constexpr int kAmdSimdsPerSm = 4;
inline constexpr int kAmdThreadsPerBlock = 1024;
/// The limits of HIP's launches. The threads along x must also fit 32 bits.
inline constexpr int64_t kAmdGridX = (int64_t(1) << 31) - 1;
inline constexpr int64_t kAmdGridYZ = 65536;

/// CDNA's architectures, then RDNA's, oldest first.
const std::vector<AmdInfo> &amdTargets();

/// The same architectures as passes see them, in the same order.
const std::vector<GpuInfo> &amdGpus();

/// Null for an unknown name.
const AmdInfo *lookupAmd(std::string_view name);

/// How many warps fit on a SIMD at once, given the registers of a thread. Shared memory may limit them further.
int warpsThatFit(const AmdInfo &info, int registersPerThread);

/// How many thread blocks fit on a multiprocessor at once if only one resource had a limit, as LLVM's code generator
/// computes it. Without a value where the blocks do not use the resource.
struct BlocksThatFit {
  int byWarps, byRegisters;
  std::optional<int> byShared, byBarriers;

  int fewest() const {
    int fewest = std::min(byWarps, byRegisters);
    return std::min({fewest, byShared.value_or(fewest), byBarriers.value_or(fewest)});
  }
};
BlocksThatFit blocksThatFit(const AmdInfo &info, int threads, int registersPerThread, int64_t sharedBytes);

} // namespace tilewright::hardware

#endif // TILEWRIGHT_HARDWARE_AMD_H
