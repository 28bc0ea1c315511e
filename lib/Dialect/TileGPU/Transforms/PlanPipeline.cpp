// plan-pipeline: decides when the operations of a loop are executed. See Passes.td.
//
//     scf.for                                     stage   cluster
//       %o = addi, %p = addptr, ...                 0        0     address computation and loads,
//       %x = tile.load %p                           0        0     which become asynchronous copies
//       local_store %x, %b                          0        0
//       %a = local_load %b, mma %a, ...             2        1     the rest, num_stages - 1 iterations later
//
// If a dot follows the last load of copied data, the operands of the loop's first dot are loaded an iteration ahead,
// and waiting for copies and at barriers overlaps with the last dot:
//
//     scf.for                                     stage   cluster
//       %x = tile.load %p, local_store %x, %b       0        2
//       %first = local_load %b                      2        1
//       %rest = local_load %b, mma %first           3        0
//       mma %rest, ...                              3        3     from the last dot on
//
// Where there are no asynchronous copies, registers hold the loaded data while the previous iteration's are read from
// shared memory and multiplied:
//
//     scf.for
//       %x = tile.load %p                           0        0
//       local_store %x, %b                          0        2
//       %a = local_load %b, mma %a, ...             1        1
//
// The loop's operations are collected, then a schedule is decided, which is plain data, and attached to them.

#include "Buffers.h"
#include "CopiesAhead.h"
#include "ExpandPipeline/Speculation.h"
#include "GroupMmaChains.h"
#include "GroupReads.h"
#include "Occupancy.h"
#include "OperandPath.h"
#include "OwnAccesses.h"
#include "PlanBoxes/BoxLoads.h"
#include "tilewright/Analysis/LoopControl.h"
#include "tilewright/Analysis/ReadOnlyMemory.h"
#include "tilewright/Dialect/Tile/IR/VolatileLoads.h"
#include "tilewright/Dialect/Tile/Transforms/Decisions.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_PLANPIPELINE
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

// The names of what the pass may reject, in stated decisions.
static constexpr llvm::StringLiteral kCopyChoice = "asynchronous copy";
static constexpr llvm::StringLiteral kPipelineChoice = "pipelining";

//===----------------------------------------------------------------------===//
// Which loads can be copied asynchronously
//===----------------------------------------------------------------------===//

/// The store that is this use of a load, if it is the only write to its buffer; null for any other use.
static LocalStoreOp stagingStore(OpOperand &use) {
  auto store = dyn_cast<LocalStoreOp>(use.getOwner());
  LocalAllocOp alloc = store ? allocationOf(store.getBuffer()) : LocalAllocOp();
  bool isOwn = alloc && store.getBuffer() == alloc.getResult() && alloc->getBlock() == store->getBlock() &&
               llvm::count_if(accessesOf(alloc), [](const BufferAccess &access) { return access.isWrite; }) == 1;
  return isOwn && store->getBlock() == use.get().getParentBlock() ? store : LocalStoreOp();
}

/// Why a load can't be started ahead into registers and stored an iteration later; empty if it can.
static std::string whyNotPrefetchable(tile::LoadOp load) {
  bool isStored = llvm::any_of(load->getUses(), [](OpOperand &use) { return stagingStore(use); });
  return isStored ? "" : "no other thread needs its values";
}

/// Why a load can't be copied while earlier iterations are executed, by threads or as boxes; empty if it can.
static std::string whyNotCopyable(tile::LoadOp load, bool asBoxes) {
  if (tile::readsEachTime(load)) {
    return "it is volatile";
  }
  if (load->use_empty() || !isa<RankedTensorType>(load.getType())) {
    return "it is a scalar, or unused";
  }
  const hardware::GpuInfo &target = targetOf(load);
  if (target.copiesThroughRegisters()) {
    return whyNotPrefetchable(load);
  }
  if (!fillsWithZeros(load)) {
    return "`other` is not zero, with which copies fill masked elements";
  }
  for (OpOperand &use : load->getUses()) {
    LocalStoreOp store = stagingStore(use);
    if (!store) {
      return "its values are used in registers";
    }
    int64_t bytes = copiedBytes(load, store.getBuffer().getType());
    if (!asBoxes && !canCopy(target, bytes)) {
      return "a thread can access only " + std::to_string(bytes) + " bytes of it at once, and copies take 4, 8 or 16";
    }
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Which loads of the copied data may be started ahead
//===----------------------------------------------------------------------===//

/// The loop's loads from the buffers that `ahead` writes, in order; none if any other operation, or one nested in the
/// loop, uses these buffers.
static SmallVector<LocalLoadOp> readsOfCopies(scf::ForOp loop, const llvm::SetVector<Operation *> &ahead) {
  llvm::DenseSet<Value> buffers;
  for (Operation *op : ahead) {
    if (auto store = dyn_cast<LocalStoreOp>(op)) {
      buffers.insert(store.getBuffer());
    }
  }
  SmallVector<LocalLoadOp> reads;
  bool isPlain = true;
  loop->walk([&](Operation *op) {
    bool isRead = !ahead.contains(op) && llvm::any_of(op->getOperands(), [&](Value v) { return buffers.contains(v); });
    auto read = dyn_cast<LocalLoadOp>(op);
    if (isRead && read && op->getBlock() == loop.getBody()) {
      reads.push_back(read);
    } else {
      isPlain &= !isRead;
    }
  });
  return isPlain ? reads : SmallVector<LocalLoadOp>();
}

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

namespace {
/// What a loop can do ahead.
struct LoopCopies {
  llvm::SetVector<Operation *> ahead;  ///< loads that can be copied, their stores to buffers and their addresses
  SmallVector<Operation *> firstReads; ///< the paths from the copied data to the operands of the loop's first dot
  LocalLoadOp lastRead;                ///< the last load of copied data
  MmaOp lastDot;

  /// Loads that can't be copied, with the reason.
  SmallVector<std::pair<tile::LoadOp, std::string>> rejected;
};
} // namespace

/// Adds the operations that load the operands of the loop's first dot from copied data.
static void collectFirstReads(scf::ForOp loop, LoopCopies &copies) {
  SmallVector<LocalLoadOp> reads = readsOfCopies(loop, copies.ahead);
  auto dots = loop.getBody()->getOps<MmaOp>();
  if (dots.empty() || reads.empty()) {
    return;
  }
  MmaOp first = *dots.begin();
  for (MmaOp dot : dots) {
    copies.lastDot = dot;
  }
  copies.lastRead = reads.back();
  for (Value operand : {first.getA(), first.getB()}) {
    SmallVector<Operation *> path = pathFromShared(operand, loop.getBody());
    if (!path.empty() && llvm::is_contained(reads, path.front())) {
      llvm::append_range(copies.firstReads, path);
    }
  }
}

static LoopCopies collect(scf::ForOp loop, const ReadOnlyMemory &readOnly, bool asBoxes) {
  LoopCopies copies;
  for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
    std::string why = whyNotCopyable(load, asBoxes);
    why = why.empty() ? whyNotAhead(load, loop, readOnly, copies.ahead) : why;
    if (why.empty()) {
      copies.ahead.insert(load);
      for (OpOperand &use : load->getUses()) {
        if (LocalStoreOp store = stagingStore(use)) {
          copies.ahead.insert(store);
        }
      }
      continue;
    }
    copies.rejected.push_back({load, std::move(why)});
  }
  collectFirstReads(loop, copies);
  return copies;
}

/// The copies of a loop that threads can't make, but plan-boxes will; none for any other loop.
static std::optional<LoopCopies> collectBoxes(scf::ForOp loop, const ReadOnlyMemory &readOnly) {
  auto function = loop->getParentOfType<func::FuncOp>();
  if (!targetOf(loop).copiesBoxes || !function->hasAttr(tile::TileDialect::kKernelAttr) ||
      llvm::all_of(loop.getBody()->getOps<tile::LoadOp>(), canCopyByThreads)) {
    return std::nullopt;
  }
  LoopCopies copies = collect(loop, readOnly, /*asBoxes=*/true);
  SmallVector<tile::LoadOp> loads;
  for (Operation *op : copies.ahead) {
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      loads.push_back(load);
    }
  }
  if (loads.empty()) {
    return std::nullopt;
  }
  MapBuilder maps(function);
  BoxObstacle obstacle; // not stated: that threads can't copy the load is
  bool areBoxes = findBoxLoads(loop, loads, readOnly, maps, obstacle).has_value();
  return areBoxes ? std::optional(std::move(copies)) : std::nullopt;
}

/// The copies that a loop can start ahead.
static LoopCopies collect(scf::ForOp loop, const ReadOnlyMemory &readOnly, const PlanPipelineOptions &options) {
  std::optional<LoopCopies> copies = options.asBoxes ? collectBoxes(loop, readOnly) : std::nullopt;
  if (!copies) {
    copies = collect(loop, readOnly, /*asBoxes=*/false);
  }
  for (const auto &[load, why] : copies->rejected) {
    stateRejected(load, kCopyChoice, why);
  }
  return std::move(*copies);
}

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

namespace {
/// The buffers that operations write, and the bytes of their slots.
struct CopiedBuffers {
  llvm::SmallDenseSet<Operation *, 4> buffers;
  int64_t bytes = 0;

  template <typename Range> void add(Range &&ops, int64_t stages) {
    for (Operation &op : ops) {
      auto store = dyn_cast<LocalStoreOp>(op);
      if (store && buffers.insert(allocationOf(store.getBuffer())).second) {
        bytes += stages * store.getBuffer().getType().getSlotBytes();
      }
    }
  }
};
} // namespace

namespace {
struct StageAndCluster {
  int64_t stage, cluster;
};

struct LoopSchedule {
  SmallVector<StageAndCluster> positions; ///< of the operations of the loop, in order
  int64_t keptSlots = 0;                  ///< how many slots more than its reads need the loop keeps
};
} // namespace

/// Whether a group_mma reads only copies, or buffers that are not written in the loop.
static bool readsCopies(GroupMmaOp op, scf::ForOp loop, const LoopCopies &copies) {
  return llvm::all_of(buffersOf(op), [&](Value buffer) {
    LocalAllocOp alloc = allocationOf(buffer);
    return alloc && llvm::all_of(accessesOf(alloc), [&](const BufferAccess &access) {
             return !access.isWrite || copies.ahead.contains(access.op) || !loop->isProperAncestor(access.op);
           });
  });
}

/// Whether the loop only adds to accumulators by such group_mma.
static bool onlyAccumulatesCopies(scf::ForOp loop, const LoopCopies &copies) {
  SmallVector<GroupMmaChain> chains = chainsOf(loop);
  return !chains.empty() && llvm::all_of(chains, [&](const GroupMmaChain &chain) {
    return llvm::all_of(chain.ops, [&](GroupMmaOp op) { return readsCopies(op, loop, copies); });
  });
}

/// The first dots of a loop with chained dots, if they read copies.
static SmallVector<GroupMmaOp> scoreDotsOfCopies(scf::ForOp loop, const LoopCopies &copies) {
  std::optional<ChainedDots> found = chainedDotsOf(loop);
  bool areReady = found && llvm::all_of(found->scores, [&](GroupMmaOp op) { return readsCopies(op, loop, copies); });
  return areReady ? found->scores : SmallVector<GroupMmaOp>();
}

/// Copies follow the scores, while those and the sums of the previous iteration are computed. These read another slot
/// than the copies write: the loop keeps one more, so that the copies are started one iteration less ahead.
static LoopSchedule decideForChainedDots(scf::ForOp loop, const LoopCopies &copies, ArrayRef<GroupMmaOp> scores,
                                         int64_t stages) {
  LoopSchedule schedule;
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool isScore = llvm::is_contained(scores, &op);
    schedule.positions.push_back(copies.ahead.contains(&op) ? StageAndCluster{0, 1}
                                                            : StageAndCluster{stages - 2, isScore ? 0 : 2});
  }
  schedule.keptSlots = 1;
  return schedule;
}

/// Operands in registers are read an iteration ahead, while the group_mma of this one are computed, and copies follow.
/// They write the slot that the previous iteration has read: the loop keeps one more than its reads need.
static LoopSchedule decideForReads(scf::ForOp loop, const LoopCopies &copies, ArrayRef<Operation *> reads,
                                   int64_t stages) {
  LoopSchedule schedule;
  for (Operation &op : loop.getBody()->without_terminator()) {
    schedule.positions.push_back(copies.ahead.contains(&op)       ? StageAndCluster{0, 2}
                                 : llvm::is_contained(reads, &op) ? StageAndCluster{stages - 2, 1}
                                                                  : StageAndCluster{stages - 1, 0});
  }
  schedule.keptSlots = 1;
  return schedule;
}

/// Copies follow the dots, which are in flight until those of the next iteration have started: they write the slot that
/// the previous iteration has read.
static LoopSchedule decideForGroups(scf::ForOp loop, const LoopCopies &copies, int64_t stages) {
  LoopSchedule schedule;
  for (Operation &op : loop.getBody()->without_terminator()) {
    schedule.positions.push_back(copies.ahead.contains(&op) ? StageAndCluster{0, 1} : StageAndCluster{stages - 1, 0});
  }
  return schedule;
}

/// Reads by the threads that made the copies; none if other operations read copies.
static SmallVector<LocalLoadOp> readsOfOwnCopies(scf::ForOp loop, const LoopCopies &copies) {
  SmallVector<LocalLoadOp> reads = readsOfCopies(loop, copies.ahead);
  bool areOwn = llvm::all_of(reads, [&](LocalLoadOp read) {
    LocalStoreOp store = storeFor(read);
    return store && readsOwnCopy(read, store);
  });
  return areOwn ? reads : SmallVector<LocalLoadOp>();
}

/// Reads first, then the copies into the slots that were just read, then the rest.
static LoopSchedule decideForOwnCopies(scf::ForOp loop, const LoopCopies &copies, ArrayRef<LocalLoadOp> reads,
                                       int64_t stages) {
  LoopSchedule schedule;
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool isRead = llvm::is_contained(reads, &op);
    schedule.positions.push_back(copies.ahead.contains(&op) ? StageAndCluster{0, 1}
                                                            : StageAndCluster{stages - 1, isRead ? 0 : 2});
  }
  return schedule;
}

/// The bytes of shared memory if the loop's copies have `slots` slots, beside all other buffers: those of its later
/// stages no longer hold data at other times.
static int64_t sharedBytesWith(scf::ForOp loop, const LoopCopies &copies, int64_t slots) {
  CopiedBuffers copied;
  copied.add(llvm::make_pointee_range(copies.ahead), slots);
  return copied.bytes + sharedBytesOf(loop->getParentOfType<func::FuncOp>(),
                                      [&](LocalAllocOp alloc) { return !copied.buffers.contains(alloc); });
}

/// Whether there is room for a second slot, and for another program on the multiprocessor if there is without one.
static bool hasRoomForSecondSlots(scf::ForOp loop, const LoopCopies &copies) {
  const hardware::GpuInfo &target = targetOf(loop);
  int64_t one = sharedBytesWith(loop, copies, 1), two = sharedBytesWith(loop, copies, 2);
  auto isBesideAnother = [&](int64_t bytes) { return 2 * (bytes + target.sharedReserved) <= target.sharedPerSm; };
  return two <= target.sharedPerBlock && (isBesideAnother(two) || !isBesideAnother(one));
}

/// Loads to registers first, then the rest of the previous iteration, then the stores. With two slots, one barrier
/// between the stores and the reads of the next iteration is enough; with one slot, another one precedes the stores.
static LoopSchedule decideForRegisters(scf::ForOp loop, const LoopCopies &copies) {
  LoopSchedule schedule;
  for (Operation &op : loop.getBody()->without_terminator()) {
    schedule.positions.push_back(!copies.ahead.contains(&op) ? StageAndCluster{1, 1}
                                 : isa<LocalStoreOp>(op)     ? StageAndCluster{0, 2}
                                                             : StageAndCluster{0, 0});
  }
  if (hasRoomForSecondSlots(loop, copies)) {
    schedule.keptSlots = 1;
  }
  return schedule;
}

static bool containsLoop(scf::ForOp loop) {
  return loop.getBody()->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// The registers of a thread for all products that the loop adds up.
static int64_t registersOfSums(scf::ForOp loop) {
  int64_t registers = 0;
  for (Value sum : loop.getYieldedValues()) {
    registers += sum.getDefiningOp<GroupMmaOp>() ? registersOf(sum) : 0;
  }
  return registers;
}

/// Of two slots, the dots in flight read one until those of the next iteration have started: copies into the other one
/// would only begin then, and be waited for at once. Such loops have a third slot unless more than a quarter of the
/// programs that fit would not fit with it. Loops in nests do not, since the other loops need shared memory, too.
static int64_t stagesWithDotsInFlight(scf::ForOp loop, const LoopCopies &copies, int64_t stages) {
  bool isInNest = loop->getParentOfType<LoopLikeOpInterface>() || containsLoop(loop);
  if (stages != 2 || isInNest || targetOf(loop).copiesThroughRegisters() || !onlyAccumulatesCopies(loop, copies)) {
    return stages;
  }
  auto function = loop->getParentOfType<func::FuncOp>();
  auto programsWith = [&](int64_t slots) {
    return programsThatFit(function, sharedBytesWith(loop, copies, slots), registersOfSums(loop));
  };
  int64_t most = programsWith(2);
  return most > 0 && 4 * programsWith(3) >= 3 * most ? 3 : 2;
}

static LoopSchedule decide(scf::ForOp loop, const LoopCopies &copies, int64_t stages) {
  if (targetOf(loop).copiesThroughRegisters()) {
    return decideForRegisters(loop, copies);
  }
  if (onlyAccumulatesCopies(loop, copies)) {
    return decideForGroups(loop, copies, stages);
  }
  if (SmallVector<GroupMmaOp> scores = scoreDotsOfCopies(loop, copies); stages > 2 && !scores.empty()) {
    return decideForChainedDots(loop, copies, scores, stages);
  }
  if (SmallVector<Operation *> reads = groupReadsAhead(loop, copies.ahead); stages > 2 && !reads.empty()) {
    return decideForReads(loop, copies, reads, stages);
  }
  if (SmallVector<LocalLoadOp> reads = readsOfOwnCopies(loop, copies); !reads.empty()) {
    return decideForOwnCopies(loop, copies, reads, stages);
  }
  // Reads an iteration ahead pay if the last dot can overlap with them.
  bool readsAhead = !copies.firstReads.empty() && LocalLoadOp(copies.lastRead)->isBeforeInBlock(copies.lastDot) &&
                    !llvm::is_contained(copies.firstReads, copies.lastRead);
  bool isAfterLastDot = false;
  LoopSchedule schedule;
  for (Operation &op : loop.getBody()->without_terminator()) {
    isAfterLastDot |= &op == copies.lastDot;
    if (copies.ahead.contains(&op)) {
      schedule.positions.push_back({0, readsAhead ? 2 : 0});
    } else if (!readsAhead || llvm::is_contained(copies.firstReads, &op)) {
      schedule.positions.push_back({stages - 1, 1});
    } else {
      schedule.positions.push_back({stages, isAfterLastDot ? 3 : 0});
    }
  }
  return schedule;
}

//===----------------------------------------------------------------------===//
// Loops around pipelined loops
//===----------------------------------------------------------------------===//

/// Whether shared memory has room for the slots of the loop's copies. Copies of a loop around others are worth less
/// than theirs, and are only made with what these leave, unless the user has asked for stages of this loop.
static bool hasRoom(scf::ForOp loop, const LoopCopies &copies, int64_t stages) {
  auto isCopied = [](Operation &op) {
    auto schedule = op.getAttrOfType<ScheduleAttr>(TileGPUDialect::kScheduleAttr);
    return schedule && schedule.getStage() == 0;
  };
  CopiedBuffers copied;
  loop.getBody()->walk([&](scf::ForOp inner) {
    copied.add(llvm::make_filter_range(inner.getBody()->getOperations(), isCopied), stagesOf(inner));
  });
  if (copied.buffers.empty() || loop->hasAttr(tile::TileDialect::kNumStagesAttr)) {
    return true;
  }
  copied.add(llvm::make_pointee_range(copies.ahead), stages);
  int64_t others = sharedBytesOf(loop->getParentOfType<func::FuncOp>(),
                                 [&](LocalAllocOp alloc) { return !copied.buffers.contains(alloc); });
  return copied.bytes + others <= targetOf(loop).sharedPerBlock;
}

//===----------------------------------------------------------------------===//
// Annotating
//===----------------------------------------------------------------------===//

static void annotate(scf::ForOp loop, const LoopSchedule &schedule) {
  for (auto [op, position] : llvm::zip_equal(loop.getBody()->without_terminator(), schedule.positions)) {
    op.setAttr(TileGPUDialect::kScheduleAttr,
               ScheduleAttr::get(loop.getContext(), position.stage, position.cluster, /*partition=*/0));
  }
  if (schedule.keptSlots > 0) {
    loop->setAttr(TileGPUDialect::kKeptSlotsAttr, Builder(loop.getContext()).getI64IntegerAttr(schedule.keptSlots));
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The loads of tiles in the loop, also those under conditions, but not those of loops in it.
static SmallVector<tile::LoadOp> loadsIn(Operation *loop) {
  SmallVector<tile::LoadOp> loads;
  loop->walk([&](tile::LoadOp load) {
    if (loopAround(load) == loop && isa<RankedTensorType>(load.getType())) {
      loads.push_back(load);
    }
  });
  return loads;
}

/// States a reason for a loop with loads.
static void stateNotPipelined(Operation *loop, StringRef why) {
  if (collectsDecisions(loop) && !loadsIn(loop).empty()) {
    stateRejected(loop, kPipelineChoice, why);
  }
}

/// States what keeps a loop from being counted before it begins.
static void stateWhile(scf::WhileOp loop) {
  if (!collectsDecisions(loop)) {
    return;
  }
  std::string why = "its number of iterations is not known when it begins";
  if (Operation *obstacle = LoopControl(loop).obstacle()) {
    why += isa<tile::LoadOp>(obstacle) ? ", but depends on a load in it" : ", but depends on what the loop computes";
    if (FileLineColLoc at = tile::findPosition(obstacle->getLoc())) {
      why += ", at line " + std::to_string(at.getLine());
    }
  } else {
    why += ", as in loops with `while`, `break` and `return`";
  }
  stateNotPipelined(loop, why);
}

static void stateConditionalLoads(scf::ForOp loop) {
  for (tile::LoadOp load : collectsDecisions(loop) ? loadsIn(loop) : SmallVector<tile::LoadOp>()) {
    if (load->getBlock() != loop.getBody()) {
      stateRejected(load, kCopyChoice, "it is executed under a condition");
    }
  }
}

/// Why registers can't hold the data of the loop's next iteration; empty if they can, or need not.
static std::string whyNotThroughRegisters(scf::ForOp loop, const LoopCopies &copies) {
  const hardware::GpuInfo &target = targetOf(loop);
  if (!target.copiesThroughRegisters()) {
    return "";
  }
  if (containsLoop(loop)) {
    return "registers would hold what it loads during the loops in it";
  }
  bool hasRoom = sharedBytesWith(loop, copies, 1) <= target.sharedPerBlock;
  return hasRoom ? "" : "shared memory lacks room for all of its buffers at once";
}

static void plan(scf::ForOp loop, const ReadOnlyMemory &readOnly, const PlanPipelineOptions &options) {
  if (targetOf(loop).copiesThroughRegisters() && !options.throughRegisters) {
    return stateNotPipelined(loop, "too few registers are left for what it loads");
  }
  int64_t stages = stagesOf(loop);
  if (stages < 2) {
    return stateNotPipelined(loop, "its num_stages is 1");
  }
  if (!hasPlainYields(loop)) {
    return stateNotPipelined(loop, "it counts unsigned, or carries a value that it does not compute");
  }
  LoopCopies copies = collect(loop, readOnly, options);
  stateConditionalLoads(loop);
  if (copies.ahead.empty()) {
    return stateNotPipelined(loop, "none of its loads can be copied asynchronously");
  }
  if (std::string why = whyNotThroughRegisters(loop, copies); !why.empty()) {
    return stateNotPipelined(loop, why);
  }
  if (!hasRoom(loop, copies, stages)) {
    return stateNotPipelined(loop, "copies of the loops in it leave too little shared memory");
  }
  annotate(loop, decide(loop, copies, stagesWithDotsInFlight(loop, copies, stages)));
}

namespace {
class PlanPipeline : public tilegpu::impl::PlanPipelineBase<PlanPipeline> {
  using PlanPipelineBase::PlanPipelineBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      ReadOnlyMemory readOnly(function);
      function.walk([&](scf::ForOp loop) { plan(loop, readOnly, {throughRegisters, asBoxes}); });
      function.walk(stateWhile);
    }
  }
};
} // namespace
