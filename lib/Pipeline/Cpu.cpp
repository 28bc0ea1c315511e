#include "tilewright/Pipeline/Cpu.h"

#include "tilewright/Conversion/Passes.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Target/Host.h"

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
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <chrono>

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

/// One function, simplified while it is still about whole tiles.
static void addTilePasses(OpPassManager &passes) {
  passes.addPass(createInlinerPass());                // one function per kernel
  passes.addPass(createSymbolDCEPass());              // what was inlined is not needed any more
  passes.addPass(createCanonicalizerPass());          // constants reach the shapes of masks and strides
  passes.addPass(createCSEPass());                    // equal address tiles become one value
  passes.addPass(tile::createTileCombine());          // sums of products accumulate in the product
  passes.addPass(tile::createTileScalarizeAdvance()); // address tiles need not be carried around loops
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createLoopInvariantCodeMotionPass()); // a row's addresses outside the loop over columns
  passes.addPass(createCSEPass());
}

/// Loops over vectors.
static void addVectorPasses(OpPassManager &passes, StringRef features) {
  TileToVectorOptions options;
  options.features = features.str();
  passes.addPass(createTileToVector(options)); // nests of loops over scratch and user memory
  passes.addPass(createCSEPass());             // the same address is computed by several accesses
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createGuardDivision());               // masked elements may divide by zero
  passes.addPass(createDivideByUniform());             // rows are often divided by their sum
  passes.addPass(createExpandMinMax());                // two instructions where LLVM makes four
  passes.addPass(createExpandMath());                  // exp and its kin become arithmetic
  passes.addPass(createLoopInvariantCodeMotionPass()); // scalars and constants leave the inner loops
}

/// The LLVM dialect, by upstream's conversions.
static void addLLVMPasses(OpPassManager &passes, StringRef features) {
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = !features.contains("+avx512bf16"); // LLVM would call a function per element
  // Arithmetic on bfloat16 is float32's, rounded after each step: no host has all of it in vectors.
  passes.addPass(arith::createArithEmulateUnsupportedFloats({{"bf16"}, "f32"}));
  passes.addPass(createStrictRounding());
  passes.addPass(createSCFToControlFlowPass());
  passes.addNestedPass<func::FuncOp>(createReturnOnAssert()); // failed assertions leave the kernel
  passes.addPass(arith::createArithExpandOpsPass(expand));    // rounding divisions, bf16 conversions
  passes.addPass(createConvertMathToLLVMPass());              // what is an instruction or an intrinsic
  passes.addPass(createConvertMathToLibmPass());              // double precision functions without an intrinsic
  passes.addPass(createConvertToLLVMPass());                  // everything else, at once
}

void addCpuPasses(OpPassManager &passes, CpuPhase phase, StringRef features) {
  switch (phase) {
  case CpuPhase::Tile:
    return addTilePasses(passes);
  case CpuPhase::Vector:
    return addVectorPasses(passes, features);
  case CpuPhase::LLVM:
    return addLLVMPasses(passes, features);
  case CpuPhase::Object:
    return;
  }
}

LogicalResult verifyPhase(ModuleOp module, CpuPhase phase) {
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    bool onTiles = llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>) ||
                   llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
    bool fits = true;
    switch (phase) {
    case CpuPhase::Tile:
      fits = !isa<func::CallOp, cf::BranchOp, cf::CondBranchOp>(op);
      break;
    case CpuPhase::Vector:
      fits = !onTiles && !isa_and_nonnull<tile::TileDialect>(op->getDialect());
      break;
    case CpuPhase::LLVM:
    case CpuPhase::Object:
      fits = isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()) || isa<ModuleOp>(op);
      break;
    }
    return fits ? WalkResult::advance()
                : WalkResult(op->emitError()
                             << "'" << op->getName() << "' is left after the phase '" << stringifyPhase(phase) << "'");
  });
  return failure(result.wasInterrupted());
}

namespace {
struct CpuPipelineOptions : PassPipelineOptions<CpuPipelineOptions> {
  Option<std::string> features{*this, "features", llvm::cl::desc("the processor's features in LLVM's notation")};
};
} // namespace

void registerCpuPipelines() {
  for (CpuPhase phase : {CpuPhase::Tile, CpuPhase::Vector, CpuPhase::LLVM}) {
    std::string name = ("cpu-" + stringifyPhase(phase)).str();
    // The registry keeps the registration, not this object.
    PassPipelineRegistration<CpuPipelineOptions>(name, "The passes of one phase on the way to the host",
                                                 [phase](OpPassManager &passes, const CpuPipelineOptions &options) {
                                                   addCpuPasses(passes, phase, options.features);
                                                 });
  }
}

void registerCpuPipeline(DialectRegistry &registry) {
  func::registerInlinerExtension(registry);
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

//===----------------------------------------------------------------------===//
// Driving the phases
//===----------------------------------------------------------------------===//

namespace {

std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, OpPrintingFlags().enableDebugInfo(true, false));
  return text;
}

class Compilation {
public:
  Compilation(ModuleOp module, const CpuCompileOptions &options, CpuFailure &failure)
      : module(module), options(options), failure(failure) {}

  std::optional<CompiledForCpu> run() {
    auto target = host::parseTarget(options.target);
    if (!target) {
      return fail("target", llvm::toString(target.takeError()));
    }
    if (options.dump) {
      options.dump("source", print(module));
    }
    for (CpuPhase phase : {CpuPhase::Tile, CpuPhase::Vector, CpuPhase::LLVM}) {
      if (!runPasses(phase, target->features)) {
        return std::nullopt;
      }
    }
    return generateCode(*target);
  }

private:
  std::optional<CompiledForCpu> fail(StringRef phase, std::string message) {
    failure.phase = phase.str();
    failure.message = std::move(message);
    return std::nullopt;
  }

  /// Runs one step and notes how long it took.
  template <typename Step> auto timed(StringRef name, Step step) {
    auto start = std::chrono::steady_clock::now();
    auto result = step();
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    compiled.seconds.emplace_back(name.str(), elapsed.count());
    return result;
  }

  bool runPasses(CpuPhase phase, StringRef features) {
    OwningOpRef<ModuleOp> before(module.clone());
    bool ok = timed(stringifyPhase(phase), [&] {
      PassManager passes(module.getContext(), ModuleOp::getOperationName());
      addCpuPasses(passes, phase, features);
      return succeeded(passes.run(module)) && succeeded(verifyPhase(module, phase));
    });
    if (!ok) {
      fail(stringifyPhase(phase), ("the phase '" + stringifyPhase(phase) + "' failed").str());
      failure.reproducer = print(*before);
    } else if (options.dump && phase != CpuPhase::LLVM) {
      options.dump(stringifyPhase(phase), print(module));
    }
    return ok && (phase != CpuPhase::LLVM || findKernel());
  }

  bool findKernel() {
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      auto bytes = function->getAttrOfType<IntegerAttr>("tile.scratch_bytes");
      if (!bytes) {
        continue;
      }
      compiled.symbol = function.getName().str();
      compiled.scratchBytes = bytes.getInt();
      if (auto asserts = function->getAttrOfType<ArrayAttr>("tile.asserts")) {
        for (auto entry : asserts.getAsRange<DictionaryAttr>()) {
          compiled.asserts.push_back({entry.getAs<StringAttr>("message").str(), entry.getAs<StringAttr>("file").str(),
                                      entry.getAs<IntegerAttr>("line").getInt(),
                                      entry.getAs<IntegerAttr>("column").getInt()});
        }
      }
      return true;
    }
    fail("vector", "the module has no kernel");
    return false;
  }

  std::optional<CompiledForCpu> generateCode(const host::HostTarget &target) {
    auto machine = host::createTargetMachine(target);
    if (!machine) {
      return fail("object", llvm::toString(machine.takeError()));
    }
    auto context = std::make_unique<llvm::LLVMContext>();
    auto translated = timed("translate", [&] { return host::translate(module, *context, **machine); });
    if (!translated) {
      return fail("llvm", llvm::toString(translated.takeError()));
    }
    llvm::Module &llvmModule = **translated;
    timed("optimize", [&] {
      host::optimize(llvmModule, **machine);
      return 0;
    });
    if (options.dump) {
      dumpCode(llvmModule, **machine);
    }
    auto object = timed("codegen", [&] { return host::emit(llvmModule, **machine, false); });
    if (!object) {
      (void)translated->release(), (void)machine->release(), (void)context.release();
      failure.reproducer = print(module);
      return fail("object", llvm::toString(object.takeError()));
    }
    compiled.object.assign(object->begin(), object->end());
    return std::move(compiled);
  }

  void dumpCode(llvm::Module &llvmModule, llvm::TargetMachine &machine) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvmModule.print(stream, nullptr);
    options.dump("llvm", text);
    // The code generator changes the module: it gets a copy.
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(llvmModule);
    if (auto assembly = host::emit(*copy, machine, true)) {
      options.dump("asm", StringRef(assembly->data(), assembly->size()));
    } else {
      // The object file will fail the same way, and says so.
      (void)copy.release();
      llvm::consumeError(assembly.takeError());
    }
  }

  ModuleOp module;
  const CpuCompileOptions &options;
  CpuFailure &failure;
  CompiledForCpu compiled;
};

} // namespace

std::optional<CompiledForCpu> compileForCpu(ModuleOp module, const CpuCompileOptions &options, CpuFailure &failure) {
  return Compilation(module, options, failure).run();
}

} // namespace tilewright
