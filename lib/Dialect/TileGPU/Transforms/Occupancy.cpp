#include "Occupancy.h"

#include "Buffers.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

using namespace mlir;

namespace tilewright::tilegpu {

/// What threads need at least beside the largest accumulator.
static constexpr int64_t kOtherRegisters = 40;

int64_t programsThatFit(func::FuncOp function) { return programsThatFit(function, sharedBytesOf(function)); }

int64_t programsThatFit(func::FuncOp function, int64_t sharedBytes) {
  const hardware::GpuInfo &target = targetOf(function);
  int64_t accumulator = 0;
  if (sharedBytes > target.sharedPerBlock) {
    return 0;
  }
  function.walk([&](GroupMmaOp dot) { accumulator = std::max(accumulator, registersOf(dot.getResult())); });
  int64_t threads = numWarps(function) * target.lanesPerWarp;
  return std::min(target.sharedPerSm / (sharedBytes + target.sharedReserved),
                  target.registersPerSm / (threads * (accumulator + kOtherRegisters)));
}

} // namespace tilewright::tilegpu
