// Compiles the LLVM dialect to linked code objects, for every architecture.

#include "tilewright/Target/Amdgpu/Amdgpu.h"
#include "tilewright/Target/Amdgpu/KernelNotes.h"

#include "tilewright/Hardware/AmdInstructions.h"
#include "tilewright/Hardware/Nvidia.h"
#include "tilewright/Target/Nvptx/Nvptx.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Target/TargetMachine.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

namespace tilewright::amdgpu {
namespace {

/// A kernel of 64 threads with a vector load, shared memory and a barrier.
constexpr const char *kSum = R"mlir(
llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>

llvm.func @sum(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {rocdl.kernel, rocdl.flat_work_group_size = "64,64"} {
  %thread = rocdl.workitem.id.x : i32
  %at = llvm.getelementptr %in[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
  %values = llvm.load %at {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %mine = "llvm.intr.vector.reduce.fadd"(%zero, %values) : (f32, vector<4xf32>) -> f32
  %shared = llvm.mlir.addressof @dynamic : !llvm.ptr<3>
  %slot = llvm.getelementptr %shared[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  llvm.store %mine, %slot : f32, !llvm.ptr<3>
  llvm.fence syncscope("workgroup") release
  rocdl.s.barrier
  llvm.fence syncscope("workgroup") acquire
  %first = llvm.load %shared : !llvm.ptr<3> -> f32
  %to = llvm.getelementptr %out[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  llvm.store %first, %to : f32, !llvm.ptr<1>
  llvm.return
}
)mlir";

mlir::DialectRegistry createRegistry() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect, mlir::ROCDL::ROCDLDialect>();
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
  mlir::registerROCDLDialectTranslation(registry);
  return registry;
}

/// An object file, or the text of an error.
llvm::Expected<std::string> compile(llvm::StringRef source, const hardware::AmdInfo &info) {
  mlir::MLIRContext context(createRegistry());
  auto module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
  if (!module) {
    return llvm::createStringError("the sample could not be parsed");
  }
  auto machine = llvm::cantFail(createTargetMachine(info));
  llvm::LLVMContext llvmContext;
  auto translated = translate(*module, llvmContext, *machine);
  if (!translated) {
    return translated.takeError();
  }
  optimize(**translated, *machine);
  return emitObject(**translated, *machine);
}

std::string errorOf(llvm::Expected<std::string> result) { return result ? "" : llvm::toString(result.takeError()); }

class EveryAmdTarget : public testing::TestWithParam<hardware::AmdInfo> {};

TEST_P(EveryAmdTarget, LinksACodeObjectThatHasItsKernel) {
  auto object = compile(kSum, GetParam());
  ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
  auto linked = link(*object);
  ASSERT_TRUE(bool(linked)) << llvm::toString(linked.takeError());
  auto file = llvm::cantFail(llvm::object::ELFFile<llvm::object::ELF64LE>::create(*linked));
  EXPECT_EQ(file.getHeader().e_machine, llvm::ELF::EM_AMDGPU);
  EXPECT_EQ(file.getHeader().e_type, llvm::ELF::ET_DYN);
  EXPECT_EQ(file.getHeader().e_ident[llvm::ELF::EI_ABIVERSION], llvm::ELF::ELFABIVERSION_AMDGPU_HSA_V5);

  auto notes = readNotes(*linked);
  ASSERT_TRUE(bool(notes)) << llvm::toString(notes.takeError());
  const KernelNotes *kernel = notes->find("sum");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(notes->architecture, GetParam().name);
  EXPECT_GT(kernel->vectorRegisters, 0U);
  EXPECT_EQ(kernel->vectorSpills, 0U);
  EXPECT_EQ(kernel->scratchBytes, 0U);
  EXPECT_EQ(kernel->ldsBytes, 0U); // it is dynamic
  EXPECT_EQ(kernel->argumentBytes, 16U) << "hidden arguments that the kernel does not use";
  EXPECT_EQ(kernel->lanesPerWave, static_cast<uint32_t>(GetParam().lanesPerWarp));
  EXPECT_EQ(kernel->maxThreads, 64U);
}

INSTANTIATE_TEST_SUITE_P(Amdgpu, EveryAmdTarget, testing::ValuesIn(hardware::amdTargets()),
                         [](const auto &info) { return std::string(info.param.name); });

/// The type of a value in the LLVM dialect.
std::string typeOf(hardware::ValueType value) {
  static const std::map<hardware::ElementType, const char *> names = {
      {hardware::ElementType::F16, "f16"}, {hardware::ElementType::BF16, "bf16"}, {hardware::ElementType::F32, "f32"},
      {hardware::ElementType::F64, "f64"}, {hardware::ElementType::S16, "i16"},   {hardware::ElementType::S32, "i32"},
      {hardware::ElementType::S64, "i64"}};
  std::string element = names.at(value.type);
  return value.count == 1 ? element : "vector<" + std::to_string(value.count) + "x" + element + ">";
}

/// A kernel that executes the instruction once.
std::string kernelOf(const hardware::AmdMma &row) {
  std::string a = typeOf(row.a().value), c = typeOf(row.c().value), arguments, types;
  switch (row.form) {
  case hardware::AmdMmaForm::Mfma:
    arguments = "%a, %a, %c, %zero, %zero, %zero", types = a + ", " + a + ", " + c + ", i32, i32, i32";
    break;
  case hardware::AmdMmaForm::Wmma:
    arguments = "%a, %a, %c", types = a + ", " + a + ", " + c;
    break;
  case hardware::AmdMmaForm::WmmaInteger:
    arguments = "%no, %a, %no, %a, %c, %no", types = "i1, " + a + ", i1, " + a + ", " + c + ", i1";
    break;
  case hardware::AmdMmaForm::WmmaModified:
    arguments = "%no, %a, %no, %a, %short, %c, %no, %no";
    types = "i1, " + a + ", i1, " + a + ", i16, " + c + ", i1, i1";
    break;
  }
  return "llvm.func @f(%a: " + a + ", %c: " + c + ", %to: !llvm.ptr<1>) attributes {rocdl.kernel} {\n" +
         "  %zero = llvm.mlir.constant(0 : i32) : i32\n  %no = llvm.mlir.constant(false) : i1\n" +
         "  %short = llvm.mlir.constant(0 : i16) : i16\n  %d = llvm.call_intrinsic \"" + row.intrinsic + "\"(" +
         arguments + ") : (" + types + ") -> " + c + "\n  llvm.store %d, %to : " + c +
         ", !llvm.ptr<1>\n  llvm.return\n}\n";
}

/// LLVM selects an instruction for each row, and none for one of another generation.
TEST_P(EveryAmdTarget, HasTheMatrixInstructionsOfItsRows) {
  int rows = 0;
  for (const hardware::AmdRow<hardware::AmdMma> &row : hardware::amdMmaInstructions()) {
    if (row.targets & GetParam().target) {
      ++rows;
      EXPECT_EQ(errorOf(compile(kernelOf(row), GetParam())), "") << row.name;
    }
  }
  EXPECT_GT(rows, 0);
}

TEST(AmdgpuMma, OtherGenerationsAreErrors) {
  const hardware::AmdMma &row = *hardware::lookupAmdMma("mfma.m32n32k16.f16.f16.f32");
  EXPECT_NE(errorOf(compile(kernelOf(row), *hardware::lookupAmd("gfx942"))), "");
  EXPECT_NE(errorOf(compile(kernelOf(row), *hardware::lookupAmd("gfx1100"))), "");
}

const hardware::AmdInfo &target() { return *hardware::lookupAmd("gfx942"); }

/// gfx12 has the positions along y and z in one register; the kernel must not take both for y.
TEST(Amdgpu, PositionsAlongYAndZAreKeptApart) {
  mlir::MLIRContext context(createRegistry());
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"mlir(
llvm.func @f(%to: !llvm.ptr<1>) attributes {rocdl.kernel} {
  %y = rocdl.workgroup.id.y : i32
  llvm.store %y, %to : i32, !llvm.ptr<1>
  llvm.return
}
)mlir",
                                                        &context);
  auto machine = llvm::cantFail(createTargetMachine(*hardware::lookupAmd("gfx1201")));
  llvm::LLVMContext llvmContext;
  auto translated = llvm::cantFail(translate(*module, llvmContext, *machine));
  optimize(*translated, *machine);
  std::string text = llvm::cantFail(emitAssembly(*translated, *machine));
  EXPECT_NE(text.find("s_and_b32 s"), std::string::npos) << text;
  EXPECT_NE(text.find("ttmp7, 0xffff"), std::string::npos) << text;
}

TEST(Amdgpu, UndefinedFunctionsAreErrors) {
  std::string error = errorOf(compile(R"mlir(
llvm.func @sinf(f32) -> f32
llvm.func @f(%x: f32, %to: !llvm.ptr<1>) attributes {rocdl.kernel} {
  %y = llvm.call @sinf(%x) : (f32) -> f32
  llvm.store %y, %to : f32, !llvm.ptr<1>
  llvm.return
}
)mlir",
                                      target()));
  EXPECT_NE(error.find("'sinf'"), std::string::npos) << error;
}

TEST(Amdgpu, OnlyObjectFilesAreLinked) {
  std::string object = llvm::cantFail(compile(kSum, target()));
  std::string linked = llvm::cantFail(link(object));
  EXPECT_NE(errorOf(link("no object file")), "");
  EXPECT_NE(errorOf(link("BC\xC0\xDE and no more")), ""); // LLVM bitcode
  EXPECT_NE(errorOf(link(object.substr(0, 100))), "");
  EXPECT_EQ(errorOf(link(linked)), "what is to be linked is no object file for AMD's GPUs");
}

TEST(Amdgpu, UndefinedVariablesAreErrors) {
  std::string broken = llvm::cantFail(compile(R"mlir(
llvm.mlir.global external @missing() {addr_space = 1 : i32} : f32
llvm.func @f(%to: !llvm.ptr<1>) attributes {rocdl.kernel} {
  %from = llvm.mlir.addressof @missing : !llvm.ptr<1>
  %x = llvm.load %from : !llvm.ptr<1> -> f32
  llvm.store %x, %to : f32, !llvm.ptr<1>
  llvm.return
}
)mlir",
                                              target()));
  std::string error = errorOf(link(broken));
  EXPECT_NE(error.find("undefined symbol: missing"), std::string::npos) << error;
  EXPECT_EQ(errorOf(link(llvm::cantFail(compile(kSum, target())))), "") << "after the failure";
}

TEST(Amdgpu, ThreadsLinkAtTheSameTime) {
  std::string object = llvm::cantFail(compile(kSum, target()));
  std::string first = llvm::cantFail(link(object));
  std::vector<std::string> linked(4);
  std::vector<std::thread> threads;
  for (std::string &result : linked) {
    threads.emplace_back([&] { result = llvm::cantFail(link(object)); });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  for (const std::string &result : linked) {
    EXPECT_EQ(result, first);
  }
}

/// lld resets LLVM's command line options, among them the one that makes addresses in shared memory 32 bits wide.
TEST(Amdgpu, LinkingKeepsTheOptionsOfOtherCodeGenerators) {
  auto ptx = [] {
    mlir::MLIRContext context(createRegistry());
    auto module = mlir::parseSourceString<mlir::ModuleOp>(R"mlir(
llvm.mlir.global internal @shared() {addr_space = 3 : i32} : !llvm.array<32 x f32>
llvm.func @f(%x: f32, %i: i32) attributes {nvvm.kernel} {
  %shared = llvm.mlir.addressof @shared : !llvm.ptr<3>
  %to = llvm.getelementptr %shared[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  llvm.store volatile %x, %to : f32, !llvm.ptr<3>
  llvm.return
}
)mlir",
                                                          &context);
    auto machine = llvm::cantFail(nvptx::createTargetMachine(*hardware::lookupNvidia("sm_90a")));
    llvm::LLVMContext llvmContext;
    auto translated = llvm::cantFail(nvptx::translate(*module, llvmContext, *machine));
    nvptx::optimize(*translated, *machine);
    return llvm::cantFail(nvptx::emitPtx(*translated, *machine));
  };
  std::string before = ptx();
  EXPECT_EQ(before.find("mov.b64"), std::string::npos) << before;
  EXPECT_EQ(errorOf(link(llvm::cantFail(compile(kSum, target())))), "");
  EXPECT_EQ(ptx(), before);
}

} // namespace
} // namespace tilewright::amdgpu
