// What the passes on tiles decided, for `tilewright explain`: each loop's operations with their stages and
// instructions, the buffers in shared memory, and the choices that passes rejected.
//
//     ScheduleReport report(context);      collects the remarks of passes (Decisions.h) while it exists
//     report.observe(passes);              records the loops before expand-pipeline, when they have schedules
//     passes.run(module);
//     report.finish(module);               adds what later passes decided
//
// The report is JSON. Positions are call stacks: [[file, line, column], ...], innermost first.
//
//     {"loops": [{"at", "kind": "for" | "while", "depth", "copies", "stages",
//                 "operations": [{"kind", "at", "tile", "count", "stage"?, "cluster"?, "partition"?, "dot"?}],
//                 "rejected": [{"at", "choice", "reason"}],
//                 "roofline"?: {"device", "tensor_cycles", "memory_bytes", "memory_cycles"} | {"unknown"}}],
//      "outside": {"operations", "rejected"},
//      "buffers": [{"at", "tile", "slots", "bytes", "offset", "swizzle"}],
//      "shared_bytes", "shared_limit", "threads", "warps", "persistent", "producer"?: {"warps", "registers"?}}
//
// "producer" is what specialize-warps has added; "registers" are those of a thread of it, and of the other threads.
// "roofline" has what an iteration takes at least of a multiprocessor, without the loops in it; "unknown" is the reason
// why that is not known although the loop has dots.
// "dot" is {"unit", "instruction", "issued", "a", "b", "in_flight", "in_turns"}. Loops at one position, such as copies
// of an unrolled loop's body, are one entry.

#ifndef TILEWRIGHT_LIB_PIPELINE_SCHEDULEREPORT_H
#define TILEWRIGHT_LIB_PIPELINE_SCHEDULEREPORT_H

#include "tilewright/Hardware/Limits.h"
#include "tilewright/Pipeline/Compilation.h"
#include "tilewright/Pipeline/GpuModule.h"
#include "tilewright/Pipeline/Options.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/JSON.h"

#include <memory>
#include <optional>

namespace tilewright {

class ScheduleReport {
public:
  /// Installs a remark engine in the context.
  explicit ScheduleReport(mlir::MLIRContext &context);
  /// Removes it.
  ~ScheduleReport();
  ScheduleReport(const ScheduleReport &) = delete;
  ScheduleReport &operator=(const ScheduleReport &) = delete;

  /// Adds an instrumentation that refers to this object.
  void observe(mlir::PassManager &passes);

  /// The report, of a module after the passes on tiles for a GPU such as "sm_90a". If one of them failed, of what the
  /// others decided.
  llvm::json::Object finish(mlir::ModuleOp module, llvm::StringRef gpu);

private:
  struct State;
  std::unique_ptr<State> state;
};

/// The report of a compilation, if its option `explain` asks for one.
class ScheduleCollection {
public:
  /// Observes the passes that the compilation runs from now on.
  void start(mlir::ModuleOp module, const GpuOptions &options, Compilation &compilation);

  /// Must be called after the passes on tiles: sets the report of `built`, whose threads are known, and stops
  /// observing.
  void finish(mlir::ModuleOp module, llvm::StringRef gpu, const hardware::Limits &limits, const GpuOptions &options,
              Compilation &compilation, GpuModule &built);

private:
  std::optional<ScheduleReport> report;
};

/// A call stack, as the report has it.
llvm::json::Array framesToJson(mlir::Location loc);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_PIPELINE_SCHEDULEREPORT_H
