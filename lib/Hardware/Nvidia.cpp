#include "tilewright/Hardware/Nvidia.h"

#include "tilewright/Hardware/NvidiaInstructions.h"

#include "NvidiaTargets.h"

namespace tilewright::hardware {

static constexpr int64_t kKiB = 1024, kMiB = 1024 * kKiB;

const std::vector<NvidiaInfo> &nvidiaTargets() {
  static const std::vector<NvidiaInfo> table = {
      // name, target, PTX, shared per SM, per block, warps, blocks, cluster, L2 cache
      {"sm_80", k80, 70, 164 * kKiB, 163 * kKiB, 64, 32, 1, 40 * kMiB},
      {"sm_86", k86, 71, 100 * kKiB, 99 * kKiB, 48, 16, 1, 6 * kMiB},
      {"sm_89", k89, 78, 100 * kKiB, 99 * kKiB, 48, 24, 1, 96 * kMiB},
      {"sm_90a", k90a, 80, 228 * kKiB, 227 * kKiB, 64, 32, 8, 50 * kMiB},
      {"sm_100a", k100a, 86, 228 * kKiB, 227 * kKiB, 64, 32, 8, 126 * kMiB},
      {"sm_103a", k103a, 88, 228 * kKiB, 227 * kKiB, 64, 32, 8, 126 * kMiB},
      {"sm_120a", k120a, 87, 100 * kKiB, 99 * kKiB, 48, 24, 8, 128 * kMiB},
  };
  return table;
}

/// The rows of a table that the architecture has.
template <typename Row> static std::vector<const Row *> select(const NvidiaTable<Row> &table, const NvidiaInfo &info) {
  std::vector<const Row *> rows;
  for (const NvidiaRow<Row> &row : table) {
    if ((row.targets & info.target) != 0 && row.ptxVersion <= info.codeVersion()) {
      rows.push_back(&row);
    }
  }
  return rows;
}

static GpuInfo describe(const NvidiaInfo &info) {
  GpuInfo gpu;
  gpu.name = info.name;
  gpu.lanesPerWarp = kLanesPerWarp;
  gpu.threadsPerBlock = kThreadsPerBlock;
  gpu.vectorBytes = 16;
  gpu.lineBytes = 128;
  gpu.transferBytes = 32;
  gpu.cacheBytes = info.cacheBytes;
  gpu.sharedPerBlock = info.sharedPerBlock;
  gpu.sharedPerSm = info.sharedPerSm;
  gpu.sharedReserved = kReservedSharedPerBlock;
  gpu.registersPerSm = kRegistersPerSm;
  gpu.banks = 32;
  gpu.bankBytes = 4;
  gpu.joinsPairs = true;
  gpu.reducesIntegers = true;                       // redux.sync
  gpu.overlapsGrids = (info.target & kFrom90) != 0; // griddepcontrol
  gpu.fencesSpaces = false;
  gpu.copiesBoxes = (info.target & kFrom90) != 0; // cp.async.bulk.tensor
  gpu.comparesThree = false; // some GPUs have such instructions; what they would change was not measured
  gpu.exchangedLanes = 0;    // shuffles take as long in any order
  gpu.mma = select(mmaInstructions(), info);
  gpu.groupMma = select(wgmmaInstructions(), info);
  gpu.matrixMoves = select(matrixMoves(), info);
  gpu.asyncCopies = select(asyncCopies(), info);
  gpu.atomicAdds = select(atomicAdds(), info);
  gpu.pairConversions = select(pairConversions(), info);
  return gpu;
}

const std::vector<GpuInfo> &nvidiaGpus() {
  static const std::vector<GpuInfo> table = [] {
    std::vector<GpuInfo> rows;
    for (const NvidiaInfo &info : nvidiaTargets()) {
      rows.push_back(describe(info));
    }
    return rows;
  }();
  return table;
}

int NvidiaInfo::threadsPerSm() const { return kLanesPerWarp * warpsPerSm; }

const NvidiaInfo *lookupNvidia(std::string_view name) {
  for (const NvidiaInfo &info : nvidiaTargets()) {
    if (info.name == name || info.name.substr(3) == name) {
      return &info;
    }
  }
  return nullptr;
}

int blocksThatFit(const NvidiaInfo &info, int threads, int registersPerThread, int64_t sharedBytes) {
  int64_t warps = (threads + kLanesPerWarp - 1) / kLanesPerWarp;
  int64_t granules = (registersPerThread + kRegisterGranularity - 1) / kRegisterGranularity;
  int64_t registers = std::max<int64_t>(1, granules * kRegisterGranularity * kLanesPerWarp); // of a warp
  int64_t warpsByRegisters = kRegistersPerSm / registers / kPartsOfSm * kPartsOfSm;
  int64_t fit = std::min<int64_t>(info.blocksPerSm, info.warpsPerSm / std::max<int64_t>(1, warps));
  fit = std::min(fit, warpsByRegisters / std::max<int64_t>(1, warps));
  return static_cast<int>(std::min(fit, info.sharedPerSm / (sharedBytes + kReservedSharedPerBlock)));
}

} // namespace tilewright::hardware
