#include "tilewright/Pipeline/Cpu.h"

#include "HostCode.h"
#include "PhasePipelines.h"

#include "tilewright/Conversion/Passes.h"
#include "tilewright/Conversion/TileToVector/Emission.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Dialect/Tile/Transforms/RewriteOrder.h"
#include "tilewright/Hardware/Cpu.h"
#include "tilewright/Target/Host/Host.h"
#include "tilewright/Target/Libraries.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace tilewright {

StringRef stringifyPhase(CpuPhase phase) {
  switch (phase) {
  case CpuPhase::Tile:
    return "tile";
  case CpuPhase::Vector:
    return "vector";
  case CpuPhase::LLVM:
    return "llvm";
  case CpuPhase::Object:
    return "object";
  }
  llvm_unreachable("unknown phase");
}

/// From tiles to loops over vectors.
static void addVectorPasses(OpPassManager &passes, StringRef features, const CompileOptions &options) {
  TileToVectorOptions toVector;
  toVector.features = features.str();
  toVector.checkBounds = options.checkBounds();
  if (options.enableFpFusion && hardware::lookupCpu(features).hasFma) {
    passes.addPass(createFuseMultiplyAdd()); // must run before tile-to-vector, which computes tiles several times
  }
  passes.addPass(createExpandFloat8());         // 8-bit floats become bytes, with arithmetic in f32
  passes.addPass(createTileToVector(toVector)); // loop nests over scratch and user memory
  passes.addPass(createCSEPass());              // several accesses compute the same address
  passes.addPass(tile::createCanonicalizer());
  passes.addPass(createGuardDivision());   // masked elements may divide by zero
  passes.addPass(createExpandMinMax());    // two instructions instead of LLVM's four
  passes.addPass(createExpandMath());      // functions such as exp become arithmetic
  passes.addPass(createHoistInvariants()); // hoists scalars and constants out of inner loops
}

/// To the LLVM dialect, by upstream's conversions.
static void addLLVMPasses(OpPassManager &passes) {
  // bf16 arithmetic is computed in f32 and rounded after each step, as no host supports all of it in vectors.
  passes.addPass(arith::createArithEmulateUnsupportedFloats({{"bf16"}, "f32"}));
  passes.addPass(createStrictRounding());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createReturnOnAssert());            // failed assertions return from the kernel
  passes.addPass(arith::createArithExpandOpsPass()); // rounding divisions
  passes.addPass(createConvertMathToLLVMPass());     // functions with an instruction or an intrinsic
  passes.addPass(createConvertMathToLibmPass());     // double precision functions without an intrinsic
  passes.addPass(createConvertToLLVMPass());         // all other dialects at once
}

void addCpuPasses(OpPassManager &passes, CpuPhase phase, StringRef features, const CompileOptions &options) {
  switch (phase) {
  case CpuPhase::Tile:
    return addTilePasses(passes, options);
  case CpuPhase::Vector:
    return addVectorPasses(passes, features, options);
  case CpuPhase::LLVM:
    return addLLVMPasses(passes);
  case CpuPhase::Object:
    return;
  }
}

static bool isOnTiles(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>) ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
}

LogicalResult verifyPhase(ModuleOp module, CpuPhase phase) {
  switch (phase) {
  case CpuPhase::Tile:
    return verifyTilePhase(module);
  case CpuPhase::Vector:
    return verifyOperations(module, stringifyPhase(phase), [](Operation *op) {
      return !isOnTiles(op) && !isa_and_nonnull<tile::TileDialect>(op->getDialect());
    });
  case CpuPhase::LLVM:
  case CpuPhase::Object:
    return verifyOperations(module, stringifyPhase(phase), [](Operation *op) {
      return isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()) || isa<ModuleOp>(op);
    });
  }
  llvm_unreachable("unknown phase");
}

void registerCpuPipelines() {
  for (CpuPhase phase : {CpuPhase::Tile, CpuPhase::Vector, CpuPhase::LLVM}) {
    registerPhasePipeline({("cpu-" + stringifyPhase(phase)).str(),
                           "The passes of one phase of the pipeline for the host",
                           {"features", "the processor's features in LLVM's notation", ""},
                           [] { return std::make_unique<CompileOptions>(); },
                           [phase](OpPassManager &passes, StringRef features, const CompileOptions &options) {
                             addCpuPasses(passes, phase, features, options);
                           }});
  }
}

void registerCpuPipeline(DialectRegistry &registry) {
  registerTilePhase(registry);
  cpu::registerEmission(registry);
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

//===----------------------------------------------------------------------===//
// Running the phases
//===----------------------------------------------------------------------===//

namespace {

class CpuCompilation {
public:
  CpuCompilation(ModuleOp module, const host::HostTarget &target, const CompileOptions &options, PhaseDump dump,
                 CompileFailure &failure)
      : module(module), target(target), options(options), compilation(module, std::move(dump), failure) {}

  std::optional<Compiled> run() {
    if (compilation.wantsDump()) {
      compilation.dumpModule("source");
    }
    for (CpuPhase phase : {CpuPhase::Tile, CpuPhase::Vector, CpuPhase::LLVM}) {
      bool ok = compilation.runPasses(
          stringifyPhase(phase), [&](OpPassManager &passes) { addCpuPasses(passes, phase, target.features, options); },
          [&](ModuleOp result) { return verifyPhase(result, phase); }, phase != CpuPhase::LLVM);
      if (!ok) {
        return std::nullopt;
      }
    }
    if (!findKernel() || !generateCode()) {
      return std::nullopt;
    }
    compiled.seconds = std::move(compilation.seconds);
    return std::move(compiled);
  }

private:
  bool findKernel() {
    compiled.requirements = takeLaunchRequirements(module);
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      auto bytes = function->getAttrOfType<IntegerAttr>("tile.scratch_bytes");
      if (!bytes) {
        continue;
      }
      compiled.symbol = function.getName().str();
      compiled.metadata["scratch_bytes"] = bytes.getInt();
      compiled.metadata["asserts"] = readAsserts(function);
      compiled.accesses = readCheckedAccesses(function);
      return true;
    }
    return compilation.fail("vector", "the module has no kernel");
  }

  bool generateCode() {
    auto machine = host::createTargetMachine(target);
    if (!machine) {
      return compilation.fail("object", llvm::toString(machine.takeError()));
    }
    auto context = std::make_unique<llvm::LLVMContext>();
    auto translated = compilation.timed("translate", [&] { return host::translate(module, *context, **machine); });
    if (!translated) {
      return compilation.fail("llvm", llvm::toString(translated.takeError()));
    }
    llvm::Module &llvmModule = **translated;
    if (llvm::Error error = libraries::link(llvmModule, /*isForHost=*/true)) {
      return compilation.fail("llvm", llvm::toString(std::move(error)));
    }
    host::prepare(llvmModule, **machine); // the functions of libraries
    compilation.timed("optimize", [&] {
      host::optimize(llvmModule, **machine);
      return 0;
    });
    if (compilation.wantsDump()) {
      dumpHostCode(compilation, "llvm", llvmModule, **machine);
    }
    auto object = compilation.timed("codegen", [&] { return host::emit(llvmModule, **machine, false); });
    if (!object) {
      (void)translated->release(), (void)machine->release(), (void)context.release();
      return compilation.failWithModule("object", llvm::toString(object.takeError()));
    }
    compiled.object.assign(object->begin(), object->end());
    return true;
  }

  ModuleOp module;
  const host::HostTarget &target;
  const CompileOptions &options;
  Compilation compilation;
  Compiled compiled;
};

} // namespace

std::optional<Compiled> compileForCpu(ModuleOp module, const host::HostTarget &target, const CompileOptions &options,
                                      PhaseDump dump, CompileFailure &failure) {
  return CpuCompilation(module, target, options, std::move(dump), failure).run();
}

} // namespace tilewright
