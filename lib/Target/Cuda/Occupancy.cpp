// Limits registers so that more blocks fit on each multiprocessor.

#include "tilewright/Target/Cuda/Assemble.h"

#include <cmath>

using namespace llvm;

namespace tilewright::cuda {

/// If a multiprocessor has this share of its maximum number of warps, additional warps hide little more latency.
static constexpr double kEnoughWarps = 0.75;

/// The assembler uses registers freely up to the limit per thread, and can mostly manage with this share of them. In a
/// loop it would lack those for loads in flight: fewer bytes would be on their way for all blocks together.
static constexpr double kLeastShareInLoop = 0.7;
static constexpr double kLeastShare = 0.25;

/// Outside of loops, few spills cost less than another block gains: stores and loads of eight registers.
static constexpr int64_t kFewSpills = 64;

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
  int most = block.hasLoop ? std::min(enough, blocks + 1) : enough;
  double least = (block.hasLoop ? kLeastShareInLoop : kLeastShare) * cubin.registers;
  for (int registers = cubin.registers; blocks < most && registers >= least; --registers) {
    if (int more = fit(registers); more > blocks) {
      found.insert(found.begin(), registers);
      blocks = more;
    }
  }
  return found;
}

Expected<Cubin> assembleForOccupancy(StringRef ptx, const hardware::NvidiaInfo &info, const AssembleOptions &options,
                                     const Block &block) {
  auto cubin = assemble(ptx, info, options);
  if (!cubin) {
    return cubin;
  }
  AssembleOptions tight = options;
  for (int registers : registersForMoreBlocks(*cubin, info, block)) {
    tight.maxRegisters = registers;
    auto smaller = assemble(ptx, info, tight);
    if (!smaller || smaller->spillBytes <= (block.hasLoop ? 0 : kFewSpills)) {
      return smaller;
    }
  }
  return cubin;
}

} // namespace tilewright::cuda
