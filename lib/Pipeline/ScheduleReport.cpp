#include "ScheduleReport.h"

#include "GpuModuleSteps.h"

#include "tilewright/Dialect/Tile/Transforms/Decisions.h"
#include "tilewright/Dialect/TileGPU/Transforms/ScheduledOps.h"
#include "tilewright/Hardware/Rates.h"
#include "tilewright/Transforms/Locations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/MapVector.h"

#include <cmath>

using namespace mlir;

namespace tilewright {

using namespace tilegpu;
namespace json = llvm::json;

json::Array framesToJson(Location loc) {
  json::Array frames;
  for (FileLineColLoc frame : getFrames(loc)) {
    frames.push_back(json::Array{frame.getFilename().str(), static_cast<int64_t>(frame.getLine()),
                                 static_cast<int64_t>(frame.getColumn())});
  }
  return frames;
}

namespace {
/// A choice that a pass has rejected.
struct Rejection {
  Location at;
  std::string choice, reason;

  bool operator==(const Rejection &other) const {
    return at == other.at && choice == other.choice && reason == other.reason;
  }
};

/// A loop, or all that is outside of loops.
struct Region {
  bool isWhile = false;
  int64_t depth = 0, copies = 0, stages = 1;
  std::vector<ScheduledOp> ops;
  SmallVector<Rejection> rejected;
};
} // namespace

struct ScheduleReport::State {
  explicit State(MLIRContext &context) : context(context) {}

  MLIRContext &context;
  llvm::MapVector<Attribute, Region> loops; ///< by position, outer ones first; null for what is outside of loops
  /// Remarks come before the loops are recorded.
  std::vector<std::pair<Attribute, Rejection>> rejections;

  void record(ModuleOp module);
  void recordLoop(Operation *loop);
};

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

namespace {
/// Appends the remarks of passes to a list.
class Collector : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Collector(std::vector<std::pair<Attribute, Rejection>> &rejections) : rejections(rejections) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    Attribute loop;
    std::string reason;
    for (const remark::detail::Remark::Arg &arg : remark.getArgs()) {
      if (arg.key == kLoopArgument) {
        loop = arg.getAttribute();
      } else {
        reason += arg.val;
      }
    }
    rejections.push_back({loop, {remark.getLocation(), remark.getRemarkName().str(), std::move(reason)}});
  }

private:
  std::vector<std::pair<Attribute, Rejection>> &rejections;
};

/// Calls back before the pass that consumes schedules.
class BeforeExpansion : public PassInstrumentation {
public:
  explicit BeforeExpansion(std::function<void(ModuleOp)> record) : record(std::move(record)) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (auto module = dyn_cast<ModuleOp>(op); module && pass->getArgument() == "expand-pipeline") {
      record(module);
    }
  }

private:
  std::function<void(ModuleOp)> record;
};
} // namespace

ScheduleReport::ScheduleReport(MLIRContext &context) : state(std::make_unique<State>(context)) {
  remark::RemarkCategories categories;
  categories.missed = kScheduleCategory.str();
  // Fails only without a streamer.
  (void)remark::enableOptimizationRemarks(context, std::make_unique<Collector>(state->rejections),
                                          std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}

ScheduleReport::~ScheduleReport() { state->context.setRemarkEngine(nullptr); }

void ScheduleReport::observe(PassManager &passes) {
  passes.addInstrumentation(std::make_unique<BeforeExpansion>([this](ModuleOp module) { state->record(module); }));
}

namespace {
/// A hint on a loop that changes nothing, and why.
struct UnusedHint {
  StringRef attribute, choice, reason;
};
} // namespace

static constexpr UnusedHint kUnusedHints[] = {
    {"tile.flatten", "flattening",
     "nests are pipelined as they are: copies of boxes, or `num_stages` of an outer loop, start those of its next "
     "iteration early"},
    {"tile.disallow_acc_multi_buffer", "multi-buffered accumulator",
     "accumulators are in registers, once for all stages, so disallow_acc_multi_buffer always holds"},
};

static void recordUnusedHints(Operation *loop, SmallVector<Rejection> &rejected) {
  for (const UnusedHint &hint : kUnusedHints) {
    if (loop->hasAttr(hint.attribute)) {
      rejected.push_back({loop->getLoc(), hint.choice.str(), hint.reason.str()});
    }
  }
}

void ScheduleReport::State::recordLoop(Operation *loop) {
  Region &region = loops[static_cast<Attribute>(loop->getLoc())];
  if (region.copies++ != 0) {
    return;
  }
  region.isWhile = !isa<scf::ForOp>(loop);
  recordUnusedHints(loop, region.rejected);
  for (Operation *around = loopAround(loop->getParentOp()); around; around = loopAround(around->getParentOp())) {
    ++region.depth;
  }
  for (mlir::Region &body : loop->getRegions()) {
    for (Block &block : body) {
      llvm::append_range(region.ops, scheduledOpsOf(block));
    }
  }
  for (const ScheduledOp &op : region.ops) {
    region.stages = std::max(region.stages, op.position ? op.position.getStage() + 1 : 1);
  }
}

void ScheduleReport::State::record(ModuleOp module) {
  loops.clear();
  for (auto function : module.getOps<func::FuncOp>()) {
    Region &outside = loops[Attribute()];
    for (Block &block : function.getBody()) {
      llvm::append_range(outside.ops, scheduledOpsOf(block));
    }
    function.walk<WalkOrder::PreOrder>([&](LoopLikeOpInterface loop) {
      if (isShown(loop)) {
        recordLoop(loop);
      }
    });
  }
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

/// The vendor's name of instructions of a warp.
static StringRef unitOf(const DotInstructions &dot) {
  const hardware::MmaInstruction *row = hardware::lookupMma(dot.instruction);
  return row ? StringRef(row->unit) : StringRef(dot.unit);
}

static json::Object toJson(const DotInstructions &dot) {
  return json::Object{{"unit", unitOf(dot).str()},
                      {"instruction", dot.instruction},
                      {"issued", dot.issued},
                      {"a", dot.a},
                      {"b", dot.b}};
}

namespace {
/// The positions of operations by what later passes have made of them.
struct Positions {
  llvm::DenseSet<Attribute> inFlight;                  ///< dots, across iterations
  llvm::DenseSet<Attribute> inTurns;                   ///< dots, started by one warp group at a time
  llvm::DenseMap<Attribute, int64_t> inOtherPartition; ///< copies

  explicit Positions(ModuleOp module) {
    module.walk([&](Operation *op) {
      if (auto dot = dyn_cast<GroupMmaOp>(op); dot && dot.getAsync()) {
        inFlight.insert(static_cast<Attribute>(op->getLoc()));
      } else if (auto turn = dyn_cast<TakeTurnOp>(op); turn && turn.getAfter()) {
        inTurns.insert(static_cast<Attribute>(op->getLoc()));
      } else if (isa<BoxCopyOp>(op) && partitionOf(op) != 0) {
        inOtherPartition[static_cast<Attribute>(op->getLoc())] = partitionOf(op);
      }
    });
  }
};
} // namespace

static json::Object toJson(const ScheduledOp &op, const Positions &positions) {
  json::Object object{{"kind", op.kind}, {"at", framesToJson(op.at)}, {"tile", op.tile}, {"count", op.count}};
  if (op.position) {
    object["stage"] = op.position.getStage();
    object["cluster"] = op.position.getCluster();
    auto moved = positions.inOtherPartition.find(static_cast<Attribute>(op.at));
    object["partition"] = moved != positions.inOtherPartition.end() ? moved->second : op.position.getPartition();
  }
  if (op.dot) {
    json::Object dot = toJson(*op.dot);
    bool isOfGroups = op.dot->unit == "wgmma";
    dot["in_flight"] = isOfGroups && positions.inFlight.contains(static_cast<Attribute>(op.at));
    dot["in_turns"] = isOfGroups && positions.inTurns.contains(static_cast<Attribute>(op.at));
    object["dot"] = std::move(dot);
  }
  return object;
}

static json::Object toJson(const Region &region, const Positions &positions) {
  json::Array operations, rejected;
  for (const ScheduledOp &op : region.ops) {
    operations.push_back(toJson(op, positions));
  }
  for (const Rejection &rejection : region.rejected) {
    rejected.push_back(
        json::Object{{"at", framesToJson(rejection.at)}, {"choice", rejection.choice}, {"reason", rejection.reason}});
  }
  return json::Object{{"operations", std::move(operations)}, {"rejected", std::move(rejected)}};
}

static json::Array buffersToJson(ModuleOp module) {
  json::Array buffers;
  module.walk([&](LocalAllocOp alloc) {
    BufferType type = alloc.getType();
    buffers.push_back(json::Object{{"at", framesToJson(alloc.getLoc())},
                                   {"tile", tileText(type.getShape(), type.getElementType())},
                                   {"slots", type.getSlots()},
                                   {"bytes", type.getBytes()},
                                   {"offset", alloc.getOffset() ? json::Value(*alloc.getOffset()) : nullptr},
                                   {"swizzle", swizzleText(type)}});
  });
  return buffers;
}

/// The type of a dot's operands.
static hardware::ElementType elementOf(const DotInstructions &dot) {
  if (const hardware::MmaInstruction *row = hardware::lookupMma(dot.instruction)) {
    return row->a().element;
  }
  using T = hardware::ElementType;
  return dot.elementBits == 32 ? T::TF32 : dot.elementBits == 16 ? T::F16 : T::S8;
}

/// The cycles of a multiprocessor for the dots of an iteration at the device's peak; 0 if there are none. Without a
/// value if a rate is not known; `unknown` says which one.
static std::optional<double> tensorCyclesOf(const Region &region, const hardware::GpuRates *rates, StringRef gpu,
                                            std::string &unknown) {
  double cycles = 0;
  for (const ScheduledOp &op : region.ops) {
    if (!op.dot || op.dot->elementBits == 0) {
      continue;
    }
    hardware::ElementType type = elementOf(*op.dot);
    int flops = rates ? rates->flops(type) : 0;
    if (flops == 0) {
      unknown = "the peak rate of " + gpu.str() + " for dots of " + std::string(hardware::nameOf(type));
      return std::nullopt;
    }
    bool isOfWarp = op.dot->unit != "wgmma";
    cycles +=
        2.0 * static_cast<double>(op.dot->products * op.count) / flops * (isOfWarp ? 100.0 / rates->mmaSyncPercent : 1);
  }
  return cycles;
}

/// What an iteration takes of a multiprocessor at the device's peak, if matrix instructions multiply in it.
static std::optional<json::Object> rooflineOf(const Region &region, StringRef gpu) {
  const hardware::GpuRates *rates = hardware::lookupRates(gpu);
  std::string unknown;
  std::optional<double> cycles = tensorCyclesOf(region, rates, gpu, unknown);
  if (!cycles) {
    return json::Object{{"unknown", unknown}};
  }
  if (*cycles == 0) {
    return std::nullopt;
  }
  int64_t bytes = 0;
  for (const ScheduledOp &op : region.ops) {
    bytes += op.bytes * op.count;
  }
  return json::Object{
      {"device", StringRef(rates->device)},
      {"tensor_cycles", static_cast<int64_t>(std::llround(*cycles))},
      {"memory_bytes", bytes},
      {"memory_cycles", static_cast<int64_t>(std::llround(static_cast<double>(bytes) / rates->memoryBytes()))}};
}

/// The warps that `specialize-warps` has added; none if there are none.
static std::optional<json::Object> producerOf(ModuleOp module) {
  auto warps = module->getAttrOfType<IntegerAttr>(TileGPUDialect::kProducerWarpsAttr);
  if (!warps) {
    return std::nullopt;
  }
  json::Object described{{"warps", warps.getInt()}};
  module.walk([&](SpecializeWarpsOp op) {
    if (std::optional<ArrayRef<int32_t>> registers = op.getRegisters()) {
      described["registers"] = json::Array(*registers);
    }
  });
  return described;
}

json::Object ScheduleReport::finish(ModuleOp module, StringRef gpu) {
  for (auto &[loop, rejection] : state->rejections) {
    SmallVector<Rejection> &rejected = state->loops[loop].rejected;
    if (!llvm::is_contained(rejected, rejection)) {
      rejected.push_back(rejection);
    }
  }
  Positions positions(module);
  json::Array loops;
  json::Object report{{"outside", toJson(Region(), positions)}};
  for (const auto &[loc, region] : state->loops) {
    json::Object described = toJson(region, positions);
    if (!loc) {
      report["outside"] = std::move(described);
      continue;
    }
    described["at"] = framesToJson(cast<LocationAttr>(loc));
    described["kind"] = region.isWhile ? "while" : "for";
    described["depth"] = region.depth;
    described["copies"] = region.copies;
    described["stages"] = region.stages;
    if (std::optional<json::Object> roofline = rooflineOf(region, gpu)) {
      described["roofline"] = std::move(*roofline);
    }
    loops.push_back(std::move(described));
  }
  report["loops"] = std::move(loops);
  if (std::optional<json::Object> producer = producerOf(module)) {
    report["producer"] = std::move(*producer);
  }
  report["buffers"] = buffersToJson(module);
  if (auto bytes = module->getAttrOfType<IntegerAttr>(TileGPUDialect::kSharedBytesAttr)) {
    report["shared_bytes"] = bytes.getInt();
  }
  return report;
}

//===----------------------------------------------------------------------===//
// Of a compilation
//===----------------------------------------------------------------------===//

void ScheduleCollection::start(ModuleOp module, const GpuOptions &options, Compilation &compilation) {
  if (*options.explain) {
    report.emplace(*module.getContext());
    compilation.instrument = [this](PassManager &passes) { report->observe(passes); };
  }
}

void ScheduleCollection::finish(ModuleOp module, StringRef gpu, const hardware::Limits &limits,
                                const GpuOptions &options, Compilation &compilation, GpuModule &built) {
  if (!report) {
    return;
  }
  json::Object schedule = report->finish(module, gpu);
  schedule["shared_limit"] = *limits.sharedBytes;
  schedule["threads"] = built.threads;
  schedule["warps"] = *options.numWarps;
  schedule["persistent"] = hasPersistentKernel(module);
  built.schedule = std::move(schedule);
  compilation.instrument = nullptr;
  report.reset();
}

} // namespace tilewright
