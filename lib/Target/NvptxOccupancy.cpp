// Registers for the sake of another block on each multiprocessor.

#include "tilewright/Target/Nvptx.h"

using namespace llvm;

namespace tilewright::nvptx {

/// With this share of the warps that a multiprocessor can have, more of them hide little more of what each waits for.
static constexpr double kEnoughWarps = 0.75;

/// The assembler has as many registers as a thread may have in mind, and rarely needs the last third of what it takes.
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
  // Loops of products overlap by themselves what they wait for, and take longest to assemble.
  bool isWorthIt = cubin && !ptx.contains("mma.sync");
  std::optional<int> registers = isWorthIt ? registersForOneMoreBlock(*cubin, info, block) : std::nullopt;
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

} // namespace tilewright::nvptx
