// What passes and dialects know about a GPU of any vendor. Each vendor builds its rows from its own tables (Nvidia.h).
//
//     const GpuInfo &gpu = targetOf(op);
//     for (const MmaInstruction *mma : gpu.mma)
//       if (mma->a().element == ElementType::F16) ...
//
// A pass never compares the name of a GPU.

#ifndef TILEWRIGHT_HARDWARE_GPU_H
#define TILEWRIGHT_HARDWARE_GPU_H

#include "tilewright/Hardware/Instructions.h"
#include "tilewright/Layout/BankConflicts.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tilewright::hardware {

struct GpuInfo {
  std::string_view name; ///< LLVM's name of the processor, such as "sm_90a"

  int lanesPerWarp;
  int threadsPerBlock;    ///< at most
  int64_t vectorBytes;    ///< the widest access of a thread to memory
  int64_t lineBytes;      ///< a cache line
  int64_t transferBytes;  ///< what an access to global memory moves at least: a sector, or a line of the first cache
  int64_t cacheBytes;     ///< the last cache before memory, of the largest product
  int64_t sharedPerBlock; ///< bytes of shared memory for each thread block
  int64_t sharedPerSm;    ///< of a multiprocessor, for all of its thread blocks
  int64_t sharedReserved; ///< bytes that the system reserves of it for each thread block
  int64_t registersPerSm; ///< of 32 bits
  int banks;              ///< of shared memory, served in parallel
  int64_t bankBytes;      ///< the width of a bank
  /// The order in which banks serve the lanes of the widest loads; see SharedMemoryBanks.
  std::array<uint8_t, 6> widestLoadOrder = layout::SharedMemoryBanks::kByNumber;
  bool joinsPairs;      ///< parts of a wide access whose lanes are pairs with equal addresses are served together
  bool reducesIntegers; ///< one instruction reduces 32-bit integers over a warp
  bool overlapsGrids;   ///< a grid may start before the one that it depends on has ended
  bool fencesSpaces;    ///< barriers may order the accesses of shared memory alone
  bool copiesBoxes;     ///< one thread copies a box of an array between global and shared memory, asynchronously
  bool comparesThree;   ///< one instruction computes the maximum or minimum of three values
  int exchangedLanes; ///< the lanes l and l ^ this exchange registers without memory, other than by an index; 0 if none

  // The instructions that the GPU has.
  std::vector<const MmaInstruction *> mma;
  std::vector<const GroupMmaInstruction *> groupMma;
  std::vector<const MatrixMove *> matrixMoves;
  std::vector<const AsyncCopy *> asyncCopies;
  std::vector<const AtomicAdd *> atomicAdds;
  std::vector<const PairConversion *> pairConversions;

  /// Whether data reach shared memory through registers only: the GPU has no asynchronous copies.
  bool copiesThroughRegisters() const { return asyncCopies.empty(); }

  int warpsPerBlock() const { return threadsPerBlock / lanesPerWarp; }
  layout::SharedMemoryBanks sharedMemory() const {
    return {lanesPerWarp, banks, bankBytes, vectorBytes, widestLoadOrder};
  }
};

/// All GPUs of all vendors.
const std::vector<GpuInfo> &gpus();

/// Null for an unknown name. "90a" and "sm_90a" are the same.
const GpuInfo *lookupGpu(std::string_view name);

/// The row of this name of any GPU; null if there is none.
const MmaInstruction *lookupMma(std::string_view name);
const GroupMmaInstruction *lookupGroupMma(std::string_view name);
const MatrixMove *lookupMatrixMove(bool isStore, std::string_view name);

} // namespace tilewright::hardware

#endif // TILEWRIGHT_HARDWARE_GPU_H
