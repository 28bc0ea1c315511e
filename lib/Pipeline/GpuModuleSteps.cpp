#include "GpuModuleSteps.h"

#include "HostCode.h"

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Target/Libraries.h"

using namespace mlir;

namespace tilewright {

std::optional<int> checkThreads(StringRef target, const hardware::Limits &limits, const GpuOptions &options,
                                Compilation &compilation, CompileFailure &failure) {
  int64_t most = *limits.threads;
  int threads = static_cast<int>(*limits.lanesPerWarp) * options.numWarps;
  if (threads <= most) {
    return threads;
  }
  failure.excess = {"threads", threads, most};
  compilation.fail("target", "the kernel needs " + std::to_string(threads) + " threads, and " + target.str() + " has " +
                                 std::to_string(most) + " for each program; num_warps is at most " +
                                 std::to_string(most / *limits.lanesPerWarp));
  return std::nullopt;
}

void noteSharedMemory(ModuleOp module, const hardware::Limits &limits, CompileFailure &failure) {
  auto bytes = module->getAttrOfType<IntegerAttr>(tilegpu::TileGPUDialect::kSharedBytesAttr);
  if (bytes && bytes.getInt() > *limits.sharedBytes) {
    failure.excess = {"shared memory", bytes.getInt(), *limits.sharedBytes};
  }
}

bool hasPersistentKernel(ModuleOp module) {
  return llvm::any_of(module.getOps<func::FuncOp>(),
                      [](func::FuncOp function) { return function->hasAttr(tile::TileDialect::kPersistentAttr); });
}

void describeKernel(LLVM::LLVMFuncOp kernel, GpuModule &built) {
  built.symbol = kernel.getName().str();
  auto module = kernel->getParentOfType<ModuleOp>();
  if (auto bytes = module->getAttrOfType<IntegerAttr>(tilegpu::TileGPUDialect::kSharedBytesAttr)) {
    built.sharedBytes = bytes.getInt();
  }
  if (auto slots = kernel->getAttrOfType<DenseI32ArrayAttr>(tilegpu::TileGPUDialect::kSlotsAttr)) {
    built.slots = std::vector<int>(slots.asArrayRef().begin(), slots.asArrayRef().end());
  }
  built.accesses = readCheckedAccesses(kernel);
  built.asserts = readAsserts(kernel);
  built.isPersistent = kernel->hasAttr(tile::TileDialect::kPersistentAttr);
}

bool buildLLVMModule(ModuleOp module, llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine,
                     const CodeGeneratorSteps &steps, Compilation &compilation, GpuModule &built) {
  if (!machine) {
    return compilation.fail(steps.assemblyPhase, llvm::toString(machine.takeError()));
  }
  built.machine = std::move(*machine);
  built.context = std::make_unique<llvm::LLVMContext>();
  auto translated =
      compilation.timed("translate", [&] { return steps.translate(module, *built.context, *built.machine); });
  if (!translated) {
    return compilation.failWithModule("llvm", llvm::toString(translated.takeError()));
  }
  built.module = std::move(*translated);
  if (llvm::Error error = libraries::link(*built.module, /*isForHost=*/false)) {
    return compilation.fail("llvm", llvm::toString(std::move(error)));
  }
  compilation.timed("optimize", [&] {
    steps.optimize(*built.module, *built.machine);
    return 0;
  });
  if (compilation.wantsDump()) {
    compilation.dumpText("llvm", printModule(*built.module));
  }
  return true;
}

} // namespace tilewright
