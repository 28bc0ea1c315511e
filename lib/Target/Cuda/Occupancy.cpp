// Limits registers so that another block fits on each multiprocessor.

#include "tilewright/Target/Cuda/Assemble.h"

using namespace llvm;

namespace tilewright::cuda {

/// If a multiprocessor has this share of its maximum number of warps, additional warps hide little more latency.
static constexpr double kEnoughWarps = 0.75;

/// The assembler uses registers freely up to the limit per thread, and can mostly manage with this share of them.
static constexpr double kLeastShare = 0.7;

std::optional<int> registersForOneMoreBlock(const Cubin &cubin, const hardware::NvidiaInfo &info, const Block &block) {
  auto fit = [&](int registers) {
    return hardware::blocksThatFit(info, block.threads, registers, block.sharedBytes + cubin.staticSharedBytes);
  };
  int blocks = fit(cubin.registers);
  if (blocks * block.threads >= kEnoughWarps * info.threadsPerSm() || cubin.spillBytes > 0) {
    return std::nullopt;
  }
  for (int registers = cubin.registers; registers >= kLeastShare * cubin.registers; --registers) {
    if (fit(registers) > blocks) {
      return registers;
    }
  }
  return std::nullopt;
}

Expected<Cubin> assembleForOccupancy(StringRef ptx, const hardware::NvidiaInfo &info, const AssembleOptions &options,
                                     const Block &block) {
  auto cubin = assemble(ptx, info, options);
  std::optional<int> registers = cubin ? registersForOneMoreBlock(*cubin, info, block) : std::nullopt;
  if (!registers) {
    return cubin;
  }
  AssembleOptions tight = options;
  tight.maxRegisters = registers;
  auto smaller = assemble(ptx, info, tight);
  if (!smaller) {
    return smaller;
  }
  return smaller->spillBytes == 0 ? std::move(smaller) : std::move(cubin);
}

} // namespace tilewright::cuda
