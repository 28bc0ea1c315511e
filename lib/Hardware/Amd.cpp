#include "tilewright/Hardware/Amd.h"

#include "tilewright/Hardware/AmdInstructions.h"

#include "AmdTargets.h"

#include <algorithm>

namespace tilewright::hardware {

static constexpr int64_t kKiB = 1024, kMiB = 1024 * kKiB;

/// CDNA serves a load of 16 bytes in groups of eight lanes, {0-3, 20-23}, {4-7, 16-19}, {8-11, 28-31}, {12-15, 24-27}
/// and the same of the upper half.
static constexpr std::array<uint8_t, 6> kCdnaOrder = {1, 2, 20, 4, 8, 32};
/// A format of 32 bits, which untyped accesses do not use but must not be 0: DATA_FORMAT and NUM_FORMAT of CDNA. RDNA
/// adds OOB_SELECT = 3, which compares offsets in bytes, and a bit that must be set before RDNA 4.
static constexpr uint32_t kCdnaBuffer = 0x27000, kRdnaBuffer = 0x31027000;

/// Where the groups are not documented.
static constexpr std::array<uint8_t, 6> kByNumber = layout::SharedMemoryBanks::kByNumber;

const std::vector<AmdInfo> &amdTargets() {
  static const std::vector<AmdInfo> table = {
      // name, target, lanes, shared per block, per SM, banks, order, registers of a lane, of a thread, step, warps,
      // blocks, shuffles rows, buffer flags, streamed load, store, line, L2 cache
      {"gfx90a", kGfx90a, 64, 64 * kKiB, 64 * kKiB, 32, kCdnaOrder, 512, 512, 8, 8, 16, false, kCdnaBuffer, 3, 3, 64,
       8 * kMiB},
      {"gfx942", kGfx942, 64, 64 * kKiB, 64 * kKiB, 32, kCdnaOrder, 512, 512, 8, 8, 16, false, kCdnaBuffer, 2, 2, 128,
       4 * kMiB},
      {"gfx950", kGfx950, 64, 160 * kKiB, 160 * kKiB, 64, kByNumber, 512, 512, 8, 8, 16, false, kCdnaBuffer, 2, 2, 128,
       4 * kMiB},
      {"gfx1100", kGfx1100, 32, 64 * kKiB, 128 * kKiB, 64, kByNumber, 1536, 256, 24, 16, 32, true, kRdnaBuffer, 6, 7,
       128, 6 * kMiB},
      {"gfx1201", kGfx1201, 32, 64 * kKiB, 128 * kKiB, 64, kByNumber, 1536, 256, 24, 16, 32, true, kRdnaBuffer, 1, 1,
       128, 8 * kMiB},
      {"gfx1250", kGfx1250, 32, 320 * kKiB, 320 * kKiB, 64, kByNumber, 1024, 256, 16, 16, 32, true, 0, 0, 0, 128,
       4 * kMiB},
  };
  return table;
}

/// The rows of a table that the architecture has.
template <typename As, typename Row>
static std::vector<const As *> select(const AmdTable<Row> &table, const AmdInfo &info) {
  std::vector<const As *> rows;
  for (const AmdRow<Row> &row : table) {
    if ((row.targets & info.target) != 0) {
      rows.push_back(&row);
    }
  }
  return rows;
}

static GpuInfo describe(const AmdInfo &info) {
  GpuInfo gpu;
  gpu.name = info.name;
  gpu.lanesPerWarp = info.lanesPerWarp;
  gpu.threadsPerBlock = kAmdThreadsPerBlock;
  gpu.vectorBytes = 16;
  gpu.lineBytes = 128;
  gpu.transferBytes = info.lineBytes;
  gpu.cacheBytes = info.cacheBytes;
  gpu.sharedPerBlock = info.sharedPerBlock;
  gpu.sharedPerSm = info.sharedPerSm;
  gpu.sharedReserved = 0;
  gpu.registersPerSm = int64_t(kAmdSimdsPerSm) * info.registersPerLane * info.lanesPerWarp;
  gpu.banks = info.banks;
  gpu.bankBytes = 4;
  gpu.widestLoadOrder = info.widestLoadOrder;
  gpu.joinsPairs = false;
  gpu.reducesIntegers = false; // LLVM expands its intrinsics for that to a loop over the lanes
  gpu.overlapsGrids = false;
  gpu.fencesSpaces = true;
  gpu.copiesBoxes = false;
  gpu.comparesThree = true;                        // v_max3, v_min3
  gpu.exchangedLanes = info.shufflesRows ? 16 : 0; // v_permlanex16
  gpu.mma = select<MmaInstruction>(amdMmaInstructions(), info);
  gpu.atomicAdds = select<AtomicAdd>(amdAtomicAdds(), info);
  gpu.pairConversions = select<PairConversion>(amdPairConversions(), info);
  return gpu;
}

const std::vector<GpuInfo> &amdGpus() {
  static const std::vector<GpuInfo> table = [] {
    std::vector<GpuInfo> rows;
    for (const AmdInfo &info : amdTargets()) {
      rows.push_back(describe(info));
    }
    return rows;
  }();
  return table;
}

const AmdInfo *lookupAmd(std::string_view name) {
  for (const AmdInfo &info : amdTargets()) {
    if (info.name == name) {
      return &info;
    }
  }
  return nullptr;
}

int warpsThatFit(const AmdInfo &info, int registersPerThread) {
  int granules = std::max(1, (registersPerThread + info.registerGranularity - 1) / info.registerGranularity);
  return std::min(info.warpsPerSimd, info.registersPerLane / (granules * info.registerGranularity));
}

BlocksThatFit blocksThatFit(const AmdInfo &info, int threads, int registersPerThread, int64_t sharedBytes) {
  int warps = std::max(1, (threads + info.lanesPerWarp - 1) / info.lanesPerWarp);
  BlocksThatFit fit;
  fit.byWarps = kAmdSimdsPerSm * info.warpsPerSimd / warps;
  fit.byRegisters = kAmdSimdsPerSm * warpsThatFit(info, registersPerThread) / warps;
  if (warps > 1) { // a block of one warp needs no barrier
    fit.byBarriers = info.barriers;
  }
  if (sharedBytes > 0) {
    fit.byShared = static_cast<int>(info.sharedPerSm / sharedBytes);
  }
  return fit;
}

} // namespace tilewright::hardware
