// The module of a kernel for a GPU before machine code is generated, from which the emulator continues.

#ifndef TILEWRIGHT_PIPELINE_GPUMODULE_H
#define TILEWRIGHT_PIPELINE_GPUMODULE_H

#include "tilewright/Pipeline/Compilation.h"
#include "tilewright/Runtime/TensorMapParameters.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

struct GpuModule {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module; ///< optimized
  std::string symbol;
  int threads = 0;         ///< per thread block
  int64_t sharedBytes = 0; ///< dynamic shared memory per thread block
  LaunchRequirements requirements;
  std::vector<int> slots;                  ///< for each parameter of the code, the index of its launch argument
  runtime::TensorMapParameters tensorMaps; ///< the parameters after those of `slots`
  std::vector<AccessPlace> accesses;
  llvm::json::Array asserts;                  ///< of the metadata
  bool isPersistent = false;                  ///< takes the launch's grid in hidden slots 0 to 2
  std::optional<llvm::json::Object> schedule; ///< what passes decided, if the option `explain` asks for it

  /// Must be called if code generation failed, as LLVM may have left its objects in an inconsistent state.
  void leak() { (void)module.release(), (void)machine.release(), (void)context.release(); }
};

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_GPUMODULE_H
