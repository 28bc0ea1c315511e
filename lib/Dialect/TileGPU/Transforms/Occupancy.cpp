#include "Occupancy.h"

#include "Buffers.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

using namespace mlir;

namespace tilewright::tilegpu {

/// What threads need at least beside the largest accumulator.
static constexpr int64_t kOtherRegisters = 40;

int64_t programsThatFit(func::FuncOp function) { return programsThatFit(function, sharedBytesOf(function)); }

int64_t programsThatFit(func::FuncOp function, int64_t sharedBytes, int64_t registers) {
  const hardware::GpuInfo &target = targetOf(function);
  if (sharedBytes > target.sharedPerBlock) {
    return 0;
  }
  function.walk([&](GroupMmaOp dot) { registers = std::max(registers, registersOf(dot.getResult())); });
  int64_t threads = numWarps(function) * target.lanesPerWarp;
  return std::min(target.sharedPerSm / (sharedBytes + target.sharedReserved),
                  target.registersPerSm / (threads * (registers + kOtherRegisters)));
}

} // namespace tilewright::tilegpu
