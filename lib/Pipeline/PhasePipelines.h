// Phases as pass pipelines for command lines, such as `--cuda-tile="target=sm_80 checks=bounds"`.

#ifndef TILEWRIGHT_LIB_PIPELINE_PHASEPIPELINES_H
#define TILEWRIGHT_LIB_PIPELINE_PHASEPIPELINES_H

#include "tilewright/Pipeline/Options.h"

#include "mlir/Pass/PassManager.h"

#include <functional>
#include <memory>
#include <string>

namespace tilewright {

/// The hardware for which a phase is run, as an option of its pipeline.
struct HardwareOption {
  const char *name;
  const char *doc;
  const char *initial;
};

struct PhasePipeline {
  std::string name; ///< "cuda-tile"
  std::string doc;
  HardwareOption hardware;
  /// The options of the kind of target. Those that launches accept are options of the pipeline, with '-' for '_'.
  std::function<std::unique_ptr<CompileOptions>()> createOptions;
  /// Adds the phase's passes for the hardware and the options, which are from createOptions.
  std::function<void(mlir::OpPassManager &, llvm::StringRef, const CompileOptions &)> addPasses;
};

void registerPhasePipeline(const PhasePipeline &pipeline);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_PIPELINE_PHASEPIPELINES_H
