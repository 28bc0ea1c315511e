// The passes that all GPUs share, in order, with the reason for their position. They find the target's instructions in
// its GpuInfo.

#include "GpuPasses.h"

#include "tilewright/Conversion/Passes.h"
#include "tilewright/Dialect/Thread/IR/Thread.h"
#include "tilewright/Dialect/Tile/Transforms/RewriteOrder.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"
#include "tilewright/Hardware/Gpu.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tilewright {

void addGpuTilePasses(OpPassManager &passes, const GpuOptions &options) {
  addTilePasses(passes, options);
  if (options.checkBounds()) {
    passes.addPass(createCheckBounds()); // after the simplifications, to check fewer accesses
    passes.addPass(createCSEPass());     // checks of one access share addresses and masks
  }
  passes.addPass(createReportAsserts()); // after check-bounds, whose mailbox and numbers it extends
  passes.addPass(createDropUnitDims());  // after check-bounds, which names elements by the user's dimensions
}

/// Kernels are persistent on request. If the user says nothing, where that is expected to pay, which was only seen
/// where copies of boxes overlap with matrix instructions of warp groups.
static std::optional<MakePersistentOptions> persistence(const hardware::GpuInfo *info, const GpuOptions &options,
                                                        const TileGPUSettings &settings) {
  bool mayOverlap = info && info->copiesBoxes && !info->groupMma.empty() && settings.usesGroupMma &&
                    options.specializeRanges && options.tensorMaps;
  if (!options.persistent->value_or(mayOverlap)) {
    return std::nullopt;
  }
  MakePersistentOptions persistent;
  persistent.cooperative = settings.isCooperative;
  persistent.automatic = !options.persistent->has_value();
  return persistent;
}

/// What has to happen before tiles have layouts.
static void addProgramPasses(OpPassManager &passes, const hardware::GpuInfo *info, const GpuOptions &options,
                             const TileGPUSettings &settings) {
  if (options.enableFpFusion) {
    FuseMultiplyAddOptions fuse;
    fuse.narrow = true;
    passes.addPass(createFuseMultiplyAdd(fuse)); // must run before passes that move operations, or compute tiles twice
  }
  if (auto persistent = persistence(info, options, settings)) {
    passes.addPass(createMakePersistent(*persistent)); // must run before passes that look at loops
    passes.addPass(createHoistInvariants());           // hoists what all programs share
  }
  PredicateLoadsOptions predicate;
  predicate.numStages = options.numStages;
  predicate.sharedBytes = info ? info->sharedPerBlock : 0;
  passes.addPass(createPredicateLoads(predicate)); // must run before layouts are chosen for the loads
  passes.addPass(createSpeculateLoads()); // must run before assign-layouts because it moves tiles without layouts
}

/// Gives each tile a layout, and converts it where its users need others.
static void addLayoutPasses(OpPassManager &passes, StringRef target, const GpuOptions &options,
                            const TileGPUSettings &settings) {
  tilegpu::AssignLayoutsOptions assign;
  assign.target = target.str();
  assign.numWarps = options.numWarps;
  assign.numStages = options.numStages;
  passes.addPass(tilegpu::createAssignLayouts(assign)); // must run before all other passes, which need layouts
  passes.addPass(tilegpu::createCoalesce());            // adjacent threads access adjacent memory
  tilegpu::ChooseMmaOptions chooseMma;
  chooseMma.groups = settings.usesGroupMma;
  chooseMma.side = settings.mmaSide;
  passes.addPass(tilegpu::createChooseMma(chooseMma));  // must run after coalesce because it reads the layouts of loads
  passes.addPass(createCSEPass());                      // merges equal conversions
  passes.addPass(tilegpu::createPropagateLayouts());    // must run after these because it weighs their layouts
  passes.addPass(tilegpu::createWarnLargeTiles());      // layouts are final, and tiles still those of the user's lines
  passes.addPass(tilegpu::createDecomposeReductions()); // adds conversions for stage-operands
  passes.addPass(tile::createCanonicalizer());          // merges consecutive conversions
}

/// Whether copies may be of boxes: launches check what these assume.
static bool plansBoxes(const GpuOptions &options) { return options.specializeRanges && options.tensorMaps; }

/// Moves data between threads and between memories through buffers in shared memory.
static void addStagingPasses(OpPassManager &passes, const GpuOptions &options) {
  passes.addPass(tilegpu::createStageGroupOperands()); // stores what matrix instructions read from shared memory
  passes.addPass(tilegpu::createRaiseConversions());   // lets asynchronous copies replace loads of operands
  passes.addPass(tilegpu::createStageOperands());      // moves data between warps through shared memory
  passes.addPass(tilegpu::createDecomposeGathers());   // the same for gathers
  passes.addPass(createCSEPass());
  // Must run after stage-operands, whose buffers limit its own.
  passes.addPass(tilegpu::createStageLoads({plansBoxes(options)}));
  passes.addPass(tilegpu::createSliceDotsK()); // overlaps loads with dots of the previous slice
}

/// Overlaps the iterations of loops.
static void addPipelinePasses(OpPassManager &passes, const GpuOptions &options, const TileGPUSettings &settings) {
  // Decides when operations of a loop are executed.
  passes.addPass(tilegpu::createPlanPipeline({settings.throughRegisters, plansBoxes(options)}));
  if (plansBoxes(options)) {
    passes.addPass(tilegpu::createPlanBoxes()); // must run while copies still are loads
  }
  passes.addPass(tilegpu::createExpandPipeline());     // pipelines the loops accordingly, with asynchronous copies
  passes.addPass(tilegpu::createPipelineOuterLoops()); // must run before simplifications, which move and merge copies
  passes.addPass(tilegpu::createDeferStoreWaits());    // must run after the passes that make buffers larger
  passes.addPass(tilegpu::createOverlapGroupMma());    // must run before simplifications, which unroll loops
  passes.addPass(tilegpu::createReleaseSlots());       // must run after the pass that decides how long slots are read
  passes.addPass(tile::createCanonicalizer());         // simplifies loops with known trip counts
  passes.addPass(createCSEPass());
}

/// Places buffers, orders accesses to them, and divides the work among warps.
static void addOrderPasses(OpPassManager &passes, const GpuOptions &options, const TileGPUSettings &settings) {
  passes.addPass(tilegpu::createRaiseLoads());     // must run after cse: fewer addresses have to move then
  passes.addPass(tilegpu::createAllocateShared()); // must run after all passes that create buffers
  passes.addPass(tilegpu::createInsertBarriers()); // must run after all passes that move accesses
  passes.addPass(tilegpu::createResolveWaits());   // must run after all passes that move copies
  tilegpu::SpecializeWarpsOptions specialize;
  specialize.always = options.specializeWarps->value_or(false);
  specialize.never = !options.specializeWarps->value_or(true);
  specialize.automatic = !options.specializeWarps->has_value();
  specialize.limitsRegisters = options.maxRegisters->has_value();
  specialize.canMoveRegisters = settings.canMoveRegisters;
  passes.addPass(tilegpu::createSpecializeWarps(specialize)); // must run after all passes that order accesses
  passes.addPass(tilegpu::createTakeTurns());                 // must run after all passes that make warps wait
  passes.addPass(tilegpu::createGuardSelects());              // must run after passes that do not look through scf.if
  passes.addPass(tilegpu::createStartFromZero());             // the same: it wraps loops in scf.if
}

/// Assigns layouts to tiles and lowers the movement of data.
void addTileGPUPasses(OpPassManager &passes, StringRef target, const GpuOptions &options,
                      const TileGPUSettings &settings) {
  const hardware::GpuInfo *info = hardware::lookupGpu(target.str()); // assign-layouts rejects others
  addProgramPasses(passes, info, options, settings);
  addLayoutPasses(passes, target, options, settings);
  addStagingPasses(passes, options);
  addPipelinePasses(passes, options, settings);
  addOrderPasses(passes, options, settings);
}

/// From tiles to thread-level code.
void addThreadPasses(OpPassManager &passes) {
  ExpandMathOptions expandMath;
  expandMath.gpu = true;
  passes.addPass(tilegpu::createAnnotateConstancy()); // must run after all passes that change comparisons
  passes.addPass(createTileGPUToThread());            // one vector with a thread's elements of each tile
  passes.addPass(createCSEPass());                    // patterns compute lane and warp redundantly
  passes.addPass(tile::createCanonicalizer());
  passes.addPass(createExpandFloat8());         // after tilegpu-to-thread: matrix instructions need the types
  passes.addPass(createExpandRemainder());      // LLVM's expansions for GPUs are inexact
  passes.addPass(createExpandDivision());       // the hardware's division is inexact for integer quotients
  passes.addPass(createGuardDivision());        // LLVM takes divisors for not zero, and drops conditions
  passes.addPass(createExpandMath(expandMath)); // after expand-division: expansions allow inexact division
  passes.addPass(createScalarizeCalls());       // after the expansions, which change the types of elements
  passes.addPass(createSplitVectors());         // after the expansions: they would visit each piece
  passes.addPass(createSplitMasks());           // must run after all passes that create masks
  passes.addPass(createHoistInvariants());      // hoists what depends only on the thread
  passes.addPass(createShortenLifetimes());     // must run after split-vectors and hoist-invariants
  passes.addPass(createHoistReleases());        // must run after hoist-invariants, which hoists an atomic's mask
}

/// Whether an operation may remain after tiles have become vectors. There are no instructions of a vendor yet: these
/// are operations of dialects that the list lacks, assembly, or intrinsics.
static bool isThreadLevelOp(Operation *op) {
  bool onTiles = llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>) ||
                 llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
  bool isNeutral =
      isa<ModuleOp>(op) ||
      isa_and_nonnull<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect,
                      thread::ThreadDialect, ub::UBDialect, vector::VectorDialect>(op->getDialect());
  return isNeutral && !onTiles && !isa<LLVM::InlineAsmOp, LLVM::CallIntrinsicOp>(op);
}

LogicalResult verifyThreadPhase(ModuleOp module) { return verifyOperations(module, "thread", isThreadLevelOp); }

} // namespace tilewright
