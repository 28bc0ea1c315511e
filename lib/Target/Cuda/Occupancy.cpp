// Limits registers so that more blocks fit on each multiprocessor.

#include "tilewright/Target/Cuda/Assemble.h"

#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace tilewright::cuda {

/// If a multiprocessor has this share of its maximum number of warps, additional warps hide little more latency.
static constexpr double kEnoughWarps = 0.75;

/// Outside of loops, a few spills cost less than another block gains: stores and loads of eight registers.
static constexpr int64_t kFewSpills = 64;

/// Each attempt takes as long as the first one.
static constexpr size_t kMostAttempts = 3;

/// The smallest share of the unlimited registers that is tried: the assembler uses registers freely. A loop keeps loads
/// in flight in registers: with fewer, all blocks together would have fewer bytes in flight. Accumulators take a large
/// part of a matmul's.
static double leastShare(Overlap overlap) {
  switch (overlap) {
  case Overlap::None:
  case Overlap::Reordered:
    return 0.25;
  case Overlap::Loads:
    return 0.7;
  case Overlap::Matmul:
    return 0.6;
  }
  llvm_unreachable("not a kind of overlap");
}

std::vector<int> registersForMoreBlocks(const Cubin &cubin, const hardware::NvidiaInfo &info, const Block &block) {
  auto fit = [&](int registers) {
    return hardware::blocksThatFit(info, block.threads, registers, block.sharedBytes + cubin.staticSharedBytes);
  };
  std::vector<int> found;
  if (cubin.spillBytes > 0) {
    return found;
  }
  int blocks = fit(cubin.registers);
  int enough = static_cast<int>(std::ceil(kEnoughWarps * info.threadsPerSm() / block.threads));
  int most = block.overlap == Overlap::Loads ? std::min(enough, blocks + 1) : enough;
  double least = leastShare(block.overlap) * cubin.registers;
  for (int registers = cubin.registers; blocks < most && registers >= least; --registers) {
    if (int more = fit(registers); more > blocks) {
      found.insert(found.begin(), registers);
      blocks = more;
    }
  }
  return found;
}

/// Whether limiting the registers did not make the code slower for each block.
static bool isAsGood(const Cubin &limited, const Cubin &unlimited, const Block &block) {
  bool needsRegistersForLoads = block.overlap == Overlap::Loads || block.overlap == Overlap::Matmul;
  return limited.spillBytes <= (needsRegistersForLoads ? 0 : kFewSpills) &&
         findWgmmaRemarks(limited.log).size() <= findWgmmaRemarks(unlimited.log).size();
}

Expected<Cubin> assembleForOccupancy(StringRef ptx, const hardware::NvidiaInfo &info, const AssembleOptions &options,
                                     const Block &block) {
  auto cubin = assemble(ptx, info, options);
  if (!cubin) {
    return cubin;
  }
  std::vector<int> limits = registersForMoreBlocks(*cubin, info, block);
  if (limits.size() > kMostAttempts) {
    limits = {limits.front(), limits[limits.size() / 2], limits.back()};
  }
  AssembleOptions tight = options;
  for (int registers : limits) {
    tight.maxRegisters = registers;
    auto limited = assemble(ptx, info, tight);
    if (limited && isAsGood(*limited, *cubin, block)) {
      return limited;
    }
    consumeError(limited.takeError()); // such as accumulators that cannot be spilled
  }
  return cubin;
}

} // namespace tilewright::cuda
