#include "CostModel.h"

#include "ExpandPipeline/Speculation.h"
#include "OperandPath.h"
#include "tilewright/Dialect/TileGPU/IR/LayoutRules.h"
#include "tilewright/Hardware/Nvidia.h"
#include "tilewright/Layout/BankConflicts.h"
#include "tilewright/Layout/Conversion.h"
#include "tilewright/Layout/Reduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using hardware::GpuInfo;
using layout::LinearLayout;

static constexpr Cost kFloat = 1;
static constexpr Cost kInteger = 2;
static constexpr Cost kSpecialFunction = 12;
static constexpr Cost kDivision = 24;
static constexpr Cost kSelect = 2;
static constexpr Cost kShuffle = 4;
static constexpr Cost kWavefront = 4;
static constexpr Cost kLine = 4;
static constexpr Cost kWrittenSector = 6;
/// Added to a load that no asynchronous copy can replace: one that is narrower than the least that they copy, or any on
/// GPUs without them. It stands for the instructions for its address, its mask and the place of what it loads, and, for
/// an operand of a dot, its latency: one that threads load in the layout of the operand can't be copied ahead.
static constexpr Cost kAddress = 8;
static constexpr int64_t kLeastCopiedBytes = 4, kMostCopiedBytes = 16;

/// Two barriers and the latency of shared memory between them.
static constexpr Cost kExchange = 400;
/// A conversion's buffer costs 1 per this many bytes, as it competes for shared memory.
static constexpr int64_t kBytesPerCost = 8;

static constexpr int64_t kSectorBytes = 32;

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// The number of aligned blocks of `bytes` that the lanes of a warp access. Lanes share a block if their elements are
/// in the same run of consecutive addresses and in the same block.
static int64_t blocksOfWarp(const AccessProperties &properties, const LinearLayout &map, int64_t bytes) {
  int64_t perBlock = std::min(properties.run, std::max<int64_t>(1, bytes / properties.elementBytes));
  uint64_t inside = static_cast<uint64_t>(perBlock - 1) << map.outStart(layout::dimName(properties.order.front()));
  layout::Columns lanes = map.columnsOf(layout::kLane);
  for (uint64_t &lane : lanes) {
    lane &= ~inside;
  }
  return int64_t(1) << layout::rank(lanes);
}

/// The number of warps that write: warps that hold replicas do not.
static int64_t writingWarps(const LinearLayout &map) {
  return int64_t(1) << layout::rank(map.columnsOf(layout::kWarp));
}

Cost tilegpu::accessCost(const AccessProperties &properties, const LinearLayout &map, const GpuInfo &target) {
  std::string fastest = layout::dimName(properties.order.front());
  int64_t vector = layout::widestAccess(map, fastest, properties.vector).elements();
  int64_t accesses = map.inSize(layout::kRegister) / vector;
  Cost lines = kLine * blocksOfWarp(properties, map, target.lineBytes);
  if (properties.kind == AccessKind::Load) {
    bool isNarrow = vector * properties.elementBytes < (properties.isForDots ? kMostCopiedBytes : kLeastCopiedBytes);
    Cost address = isNarrow || target.copiesThroughRegisters() ? kAddress : 0;
    return (lines + address) * accesses * map.inSize(layout::kWarp);
  }
  Cost sectors = kWrittenSector * blocksOfWarp(properties, map, kSectorBytes);
  return (lines + sectors) * accesses * writingWarps(map);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// The elements that each thread holds in registers on both sides: how many it can move to or from shared memory at
/// once. Where data reach shared memory through registers, threads transpose them there, and read what they need in one
/// register at once: only the first elements of a thread count, which share a register.
static int64_t commonVector(const LinearLayout &from, const LinearLayout &to, const GpuInfo &target) {
  layout::Columns held = from.columnsOf(layout::kRegister), wanted = to.columnsOf(layout::kRegister);
  auto isHeld = [&](uint64_t column) { return llvm::is_contained(held, column); };
  int64_t common = target.copiesThroughRegisters() ? llvm::find_if_not(wanted, isHeld) - wanted.begin()
                                                   : llvm::count_if(wanted, isHeld);
  return int64_t(1) << common;
}

/// Wavefronts of all warps for one side, without bank conflicts. A lane takes at least one bank.
static int64_t wavefronts(const LinearLayout &map, int64_t vector, int64_t elementBytes, const GpuInfo &target) {
  vector = std::min(vector, std::max<int64_t>(1, target.vectorBytes / elementBytes));
  int64_t wavefront = target.banks * target.bankBytes;
  int64_t lane = std::max<int64_t>(vector * elementBytes, target.bankBytes);
  int64_t each = std::max<int64_t>(1, lane * map.inSize(layout::kLane) / wavefront);
  return map.inSize(layout::kRegister) / vector * each * map.inSize(layout::kWarp);
}

const CostModel::Moves &CostModel::movesOf(LayoutAttr from, LayoutAttr to) {
  auto [entry, isNew] = conversions.try_emplace({from, to});
  Moves &moves = entry->second;
  if (!isNew) {
    return moves;
  }
  layout::ConversionPlan plan = layout::planConversion(from.getMap(), to.getMap());
  moves.isShared = plan.kind == layout::ConversionKind::Shared || plan.kind == layout::ConversionKind::Cluster;
  if (moves.isShared) {
    moves.vector = commonVector(from.getMap(), to.getMap(), target);
  } else if (plan.kind != layout::ConversionKind::None) {
    int64_t warps = from.getMap().inSize(layout::kWarp);
    moves.shuffles = plan.shuffles() * warps;
    moves.selects = plan.selects() * warps;
  }
  return moves;
}

Cost CostModel::conversion(Type element, LayoutAttr from, LayoutAttr to) {
  if (from == to) {
    return 0;
  }
  const Moves &moves = movesOf(from, to);
  int64_t bytes = bytesOf(element);
  if (!moves.isShared) {
    return (moves.shuffles * kShuffle + moves.selects * kSelect) * static_cast<Cost>(llvm::divideCeil(bytes, 4));
  }
  int64_t moved =
      wavefronts(from.getMap(), moves.vector, bytes, target) + wavefronts(to.getMap(), moves.vector, bytes, target);
  return kExchange + moved * kWavefront + (bytes << from.getMap().totalOutBits()) / kBytesPerCost;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The cost of a warp's instruction for one element per lane.
static Cost instructionCost(Operation *op) {
  if (isa<math::MathDialect>(op->getDialect()) && !isa<math::FmaOp>(op)) {
    return kSpecialFunction;
  }
  if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op)) {
    return kDivision;
  }
  Type type = tile::getElementType(op->getOperand(op->getNumOperands() - 1).getType());
  Cost words = isa<tile::PtrType>(tile::getElementType(op->getResult(0).getType())) || bytesOf(type) > 4 ? 2 : 1;
  return words * (isa<FloatType>(type) ? kFloat : kInteger);
}

static Cost reductionCost(tile::ReduceOp reduce, const LinearLayout &map, const GpuInfo &target) {
  layout::ReductionPlan plan = layout::planReduction(map, static_cast<int>(reduce.getAxis()));
  int64_t warps = map.inSize(layout::kWarp), registers = map.inSize(layout::kRegister);
  int64_t left = registers >> plan.registers.size();
  int64_t combine = std::distance(reduce.getCombiner().front().begin(), reduce.getCombiner().front().end()) - 1;
  Cost cost = (registers - left) * combine;
  cost += static_cast<Cost>(plan.lanes.size()) * left * (kShuffle * reduce.getNumOperands() + combine);
  cost *= warps;
  if (!plan.isComplete) {
    return cost + kExchange + 2 * wavefronts(map, 1, 4, target) * kWavefront;
  }
  return plan.warps.empty() ? cost : cost + kExchange + 2 * left * warps * kWavefront * reduce.getNumOperands();
}

/// Whether a loop that overlaps its iterations loads the tile for operands of dots.
static bool isLoadedForDots(Operation *op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  return load && loop && stagesOf(loop) > 1 && isForOperandsOnly(load);
}

CostModel::CostModel(Operation *root) : target(targetOf(root)) {
  root->walk([&](tile::MemoryAccessOpInterface access) {
    if (auto properties = propertiesOf(access)) {
      properties->isForDots = isLoadedForDots(access);
      accesses.try_emplace(access, *properties);
    }
  });
}

Cost CostModel::computeOperation(Operation *op, const LinearLayout &map) {
  if (auto access = accesses.find(op); access != accesses.end()) {
    return accessCost(access->second, map, target);
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    return reductionCost(reduce, map, target);
  }
  Cost perRegister = op->hasTrait<OpTrait::Elementwise>() ? instructionCost(op) : 0;
  return perRegister * map.inSize(layout::kRegister) * map.inSize(layout::kWarp);
}

Cost CostModel::operation(Operation *op, LayoutAttr layout) {
  auto [entry, isNew] = operations.try_emplace({op, layout});
  if (isNew) {
    entry->second = computeOperation(op, layout.getMap());
  }
  return entry->second;
}

Cost CostModel::times(Block *block) {
  constexpr Cost kUnknownRounds = 16, kMostRounds = 64;
  Operation *parent = block->getParentOp();
  if (!parent || !parent->getBlock()) {
    return kOnce;
  }
  if (auto known = blocks.find(block); known != blocks.end()) {
    return known->second;
  }
  Cost times = this->times(parent->getBlock());
  if (auto loop = dyn_cast<LoopLikeOpInterface>(parent)) {
    std::optional<APInt> rounds = loop.getStaticTripCount();
    times *= rounds ? std::clamp<Cost>(static_cast<Cost>(rounds->getLimitedValue()), 1, kMostRounds) : kUnknownRounds;
  } else if (isa<RegionBranchOpInterface>(parent)) {
    times = std::max<Cost>(1, times / 2);
  }
  return blocks[block] = times;
}
