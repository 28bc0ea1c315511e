#include "NvptxSamples.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Program.h"
#include "llvm/Target/TargetMachine.h"

#include <cstdlib>

namespace tilewright::nvptx {

const char *const kSum = R"mlir(
llvm.mlir.global internal @shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<32 x f32>

llvm.func @sum(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
  %thread = nvvm.read.ptx.sreg.tid.x : i32
  %at = llvm.getelementptr %in[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
  %values = llvm.load %at {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %mine = "llvm.intr.vector.reduce.fadd"(%zero, %values) : (f32, vector<4xf32>) -> f32
  %all = llvm.mlir.constant(-1 : i32) : i32
  %clamp = llvm.mlir.constant(31 : i32) : i32
  %distance = llvm.mlir.constant(16 : i32) : i32
  %other = nvvm.shfl.sync bfly %all, %mine, %distance, %clamp : f32 -> f32
  %both = llvm.fadd %mine, %other : f32
  %shared = llvm.mlir.addressof @shared : !llvm.ptr<3>
  %slot = llvm.getelementptr %shared[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  llvm.store %both, %slot : f32, !llvm.ptr<3>
  nvvm.barrier0
  %first = llvm.load %shared : !llvm.ptr<3> -> f32
  %to = llvm.getelementptr %out[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  llvm.store %first, %to : f32, !llvm.ptr<1>
  llvm.return
}
)mlir";

const char *const kProduct = R"mlir(
llvm.func @product(%a: vector<2xf16>, %to: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %d = nvvm.mma.sync A[%a, %a, %a, %a] B[%a, %a] C[%zero, %zero, %zero, %zero]
    {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
    : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  %x = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
  llvm.store %x, %to : f32, !llvm.ptr<1>
  llvm.return
}
)mlir";

static mlir::DialectRegistry createRegistry() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect>();
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
  return registry;
}

llvm::Expected<std::string> compileToPtx(llvm::StringRef source, const hardware::NvidiaInfo &info,
                                         const MachineOptions &options, bool *multipliesMatrices) {
  mlir::MLIRContext mlirContext(createRegistry(), mlir::MLIRContext::Threading::DISABLED);
  auto parsed = mlir::parseSourceString<mlir::ModuleOp>(source, &mlirContext);
  if (!parsed) {
    return llvm::createStringError("the sample does not parse");
  }
  auto machine = createTargetMachine(info, options);
  if (!machine) {
    return machine.takeError();
  }
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = translate(*parsed, *context, **machine);
  if (!module) {
    return module.takeError();
  }
  optimize(**module, **machine);
  if (multipliesMatrices) {
    *multipliesMatrices = hasMatrixInstruction(**module);
  }
  auto ptx = emitPtx(**module, **machine);
  if (!ptx) {
    (void)module->release(), (void)machine->release(), (void)context.release();
  }
  return ptx;
}

cuda::AssembleOptions findAssemblers() {
  cuda::AssembleOptions options;
  if (const char *library = std::getenv("TILEWRIGHT_NVJITLINK")) {
    options.nvJitLink = library;
  }
  if (auto program = llvm::sys::findProgramByName("ptxas")) {
    options.ptxas = *program;
  }
  return options;
}

} // namespace tilewright::nvptx
