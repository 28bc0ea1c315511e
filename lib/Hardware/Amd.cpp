#include "tilewright/Hardware/Amd.h"

#include "tilewright/Hardware/AmdInstructions.h"

#include "AmdTargets.h"

#include <algorithm>

namespace tilewright::hardware {

static constexpr int64_t kKiB = 1024, kMiB = 1024 * kKiB;

const std::vector<AmdInfo> &amdTargets() {
  static const std::vector<AmdInfo> table = {
      // name, target, lanes, shared per block, per SM, banks, registers of a lane, of a thread, step, warps, shuffles
      // rows,
      // L2 cache
      {"gfx90a", kGfx90a, 64, 64 * kKiB, 64 * kKiB, 32, 512, 512, 8, 8, false, 8 * kMiB},
      {"gfx942", kGfx942, 64, 64 * kKiB, 64 * kKiB, 32, 512, 512, 8, 8, false, 4 * kMiB},
      {"gfx950", kGfx950, 64, 160 * kKiB, 160 * kKiB, 64, 512, 512, 8, 8, false, 4 * kMiB},
      {"gfx1100", kGfx1100, 32, 64 * kKiB, 128 * kKiB, 64, 1536, 256, 24, 16, true, 6 * kMiB},
      {"gfx1201", kGfx1201, 32, 64 * kKiB, 128 * kKiB, 64, 1536, 256, 24, 16, true, 8 * kMiB},
      {"gfx1250", kGfx1250, 32, 320 * kKiB, 320 * kKiB, 64, 1024, 256, 16, 16, true, 4 * kMiB},
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
  gpu.cacheBytes = info.cacheBytes;
  gpu.sharedPerBlock = info.sharedPerBlock;
  gpu.sharedPerSm = info.sharedPerSm;
  gpu.sharedReserved = 0;
  gpu.registersPerSm = int64_t(kAmdSimdsPerSm) * info.registersPerLane * info.lanesPerWarp;
  gpu.banks = info.banks;
  gpu.bankBytes = 4;
  gpu.reducesIntegers = false; // LLVM expands its intrinsics for that to a loop over the lanes
  gpu.overlapsGrids = false;
  gpu.copiesBoxes = false;
  gpu.mma = select<MmaInstruction>(amdMmaInstructions(), info);
  gpu.atomicAdds = select<AtomicAdd>(amdAtomicAdds(), info);
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

} // namespace tilewright::hardware
