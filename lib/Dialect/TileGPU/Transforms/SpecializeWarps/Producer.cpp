#include "Producer.h"

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Hardware/Gpu.h"
#include "tilewright/Hardware/Nvidia.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::tilegpu {

constexpr int kGroup = hardware::GroupMmaInstruction::kWarps;

constexpr int64_t kUnit = hardware::kRegisterGranularity;
constexpr int64_t kFewest = hardware::MovedRegisters::kFewest;
constexpr int64_t kMost = 240; ///< more than the assembler uses

/// What threads need beside accumulators and operands.
constexpr int64_t kRegistersBesideTiles = 40;

/// Whether another dot of the same block goes on with the sum.
static bool isContinued(GroupMmaOp dot) {
  return llvm::any_of(dot->getUsers(), [&](Operation *user) {
    auto next = dyn_cast<GroupMmaOp>(user);
    return next && next.getAcc() == dot.getResult() && next->getBlock() == dot->getBlock();
  });
}

/// What a dot needs alone: ptxas 13.0 demands as many when the kernel starts (C7602), 90 for 64 accumulators.
static int64_t registersOfLargestDot(func::FuncOp function) {
  constexpr int64_t kRegistersBesideDot = 32;
  int64_t most = 0;
  function.walk([&](GroupMmaOp dot) { most = std::max(most, registersOf(dot.getResult())); });
  return most + kRegistersBesideDot;
}

/// An estimate of what a thread needs: in each block, the accumulators and the operands in registers are live together.
static int64_t registersNeeded(func::FuncOp function) {
  llvm::MapVector<Block *, int64_t> live;
  function.walk([&](GroupMmaOp dot) {
    int64_t &count = live[dot->getBlock()];
    count += registersOf(dot.getA()) + (isContinued(dot) ? 0 : registersOf(dot.getResult()));
  });
  int64_t most = 0;
  for (auto [block, count] : live) {
    most = std::max(most, count);
  }
  return most + kRegistersBesideTiles;
}

static int64_t programsByShared(func::FuncOp function) {
  const hardware::GpuInfo &target = targetOf(function);
  auto bytes = function->getParentOfType<ModuleOp>()->getAttrOfType<IntegerAttr>(TileGPUDialect::kSharedBytesAttr);
  // AMD's GPUs reserve nothing, so that a program may need none.
  int64_t each = bytes ? bytes.getInt() + target.sharedReserved : 0;
  return each > 0 ? target.sharedPerSm / each : 1;
}

/// The registers that each thread of `programs` programs of `warps` warps can have.
static int64_t registersPerThread(func::FuncOp function, int64_t programs, int64_t warps) {
  const hardware::GpuInfo &target = targetOf(function);
  int64_t threads = static_cast<int64_t>(llvm::alignTo(programs * warps, hardware::kPartsOfSm)) * target.lanesPerWarp;
  return static_cast<int64_t>(llvm::alignDown(target.registersPerSm / threads, kUnit));
}

int64_t programsWithoutProducer(func::FuncOp function) {
  int64_t need = registersNeeded(function), programs = programsByShared(function);
  while (programs > 1 && registersPerThread(function, programs, numWarps(function)) < need) {
    --programs;
  }
  return std::max<int64_t>(programs, 1);
}

/// What the other warps get if the additional ones keep the fewest.
static std::optional<Producer> moveRegisters(func::FuncOp function, int64_t programs, int64_t need) {
  int64_t warps = numWarps(function), all = warps + kGroup;
  int64_t started = std::min(registersPerThread(function, programs, all), kMost);
  auto left = static_cast<int64_t>(llvm::alignDown((started * all - kFewest * kGroup) / warps, kUnit));
  int64_t most = std::min(left, kMost);
  if (started < registersOfLargestDot(function) || most < need) {
    return std::nullopt;
  }
  return Producer{kGroup, programs, {int32_t(started), int32_t(kFewest), int32_t(most)}};
}

/// A program of one group gets one warp: its threads can have more registers than they need.
std::optional<Producer> chooseProducer(func::FuncOp function, bool canMove) {
  canMove &= numWarps(function) > kGroup;
  int64_t need = registersNeeded(function);
  for (int64_t programs = std::max<int64_t>(programsByShared(function), 1); programs > 0; --programs) {
    std::optional<Producer> moved = canMove ? moveRegisters(function, programs, need) : std::nullopt;
    if (moved) {
      return moved;
    }
    if (!canMove && registersPerThread(function, programs, numWarps(function) + 1) >= need) {
      return Producer{1, programs, {}};
    }
  }
  return std::nullopt;
}

} // namespace tilewright::tilegpu
