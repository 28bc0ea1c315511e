// Compiles the LLVM dialect to a cubin, for every architecture.

#include "NvptxSamples.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

namespace tilewright::nvptx {
namespace {

testing::AssertionResult contains(const std::string &text, const std::string &part) {
  bool found = text.find(part) != std::string::npos;
  return found ? testing::AssertionSuccess() << text : testing::AssertionFailure() << part << " is not in " << text;
}

testing::AssertionResult matches(const std::string &text, const char *pattern) {
  bool found = llvm::Regex(pattern).match(text);
  return found ? testing::AssertionSuccess() : testing::AssertionFailure() << pattern << " is not in " << text;
}

/// The PTX, or the text of the error.
std::string textOf(llvm::Expected<std::string> result) { return result ? *result : llvm::toString(result.takeError()); }

const hardware::NvidiaInfo &target(std::string_view name) { return *hardware::lookupNvidia(name); }

class EveryTarget : public testing::TestWithParam<hardware::NvidiaInfo> {
protected:
  /// Checks that the sample's PTX contains all parts and assembles.
  void check(const char *source, std::initializer_list<const char *> parts) {
    std::string ptx = textOf(compileToPtx(source, GetParam()));
    EXPECT_TRUE(contains(ptx, ".target " + std::string(GetParam().name)));
    for (const char *part : parts) {
      EXPECT_TRUE(contains(ptx, part));
    }
    SKIP_WITHOUT_ASSEMBLER(options);
    auto cubin = cuda::assemble(ptx, GetParam(), options);
    ASSERT_TRUE(bool(cubin)) << llvm::toString(cubin.takeError());
    EXPECT_EQ(cubin->image.substr(1, 3), "ELF");
    EXPECT_GT(cubin->registers, 0);
    EXPECT_EQ(cubin->spillBytes, 0);
  }
};

TEST_P(EveryTarget, VectorsShufflesAndSharedMemory) {
  check(kSum, {".visible .entry sum(", ".reqntid 32", "ld.global.v4", "shfl.sync.bfly", "bar.sync"});
}

TEST_P(EveryTarget, TensorCores) { check(kProduct, {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"}); }

INSTANTIATE_TEST_SUITE_P(Nvptx, EveryTarget, testing::ValuesIn(hardware::nvidiaTargets()),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Nvptx, MatrixInstructionsAreFound) {
  bool sum = true, product = false;
  llvm::cantFail(compileToPtx(kSum, target("sm_90a"), {}, &sum).takeError());
  llvm::cantFail(compileToPtx(kProduct, target("sm_90a"), {}, &product).takeError());
  EXPECT_FALSE(sum);
  EXPECT_TRUE(product);
}

TEST(Nvptx, LoopsAreFound) {
  auto loops = [](const char *body) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic error;
    auto module = llvm::parseAssemblyString(std::string("declare void @other()\ndefine void @f(i1 %c) {\n") + body +
                                                "\nend:\n  ret void\n}\n",
                                            error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    return module && hasLoop(*module);
  };
  EXPECT_FALSE(loops("  br i1 %c, label %a, label %end\na:\n  call void @other()\n  br label %end"));
  EXPECT_TRUE(loops("  br label %a\na:\n  br i1 %c, label %a, label %end"));
  // Two entries: a cycle that is no natural loop.
  EXPECT_TRUE(loops("  br i1 %c, label %a, label %b\na:\n  br label %b\nb:\n  br i1 %c, label %a, label %end"));
}

TEST(Nvptx, AddressesInSharedMemoryTakeOneRegister) {
  std::string ptx = textOf(compileToPtx(kSum, target("sm_80")));
  EXPECT_TRUE(matches(ptx, "mov.b32 \t%r[0-9]+, shared;"));
}

std::string multiplyAdd(const std::string &flags) {
  return R"mlir(
llvm.func @f(%a: f32, %b: f32, %c: f32, %to: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %ab = llvm.fmul %a, %b )mlir" +
         flags + R"mlir(: f32
  %sum = llvm.fadd %ab, %c )mlir" +
         flags + R"mlir(: f32
  llvm.store %sum, %to : f32, !llvm.ptr<1>
  llvm.return
}
)mlir";
}

TEST(Nvptx, ProductsAndSumsAreFusedWhereTheyAllowIt) {
  std::string allowed = multiplyAdd("{fastmathFlags = #llvm.fastmath<contract>}");
  EXPECT_TRUE(contains(textOf(compileToPtx(allowed.c_str(), target("sm_80"))), "fma.rn.f32"));
  std::string strict = textOf(compileToPtx(multiplyAdd("").c_str(), target("sm_80")));
  // Because the rounding is explicit, the assembler does not fuse them either.
  EXPECT_TRUE(contains(strict, "mul.rn.f32"));
  EXPECT_TRUE(contains(strict, "add.rn.f32"));
  EXPECT_FALSE(contains(strict, "fma"));
}

TEST(Nvptx, DenormalNumbersAreKept) {
  EXPECT_FALSE(contains(textOf(compileToPtx(multiplyAdd("").c_str(), target("sm_80"))), ".ftz"));
}

TEST(Nvptx, ThePtxVersionIsAtLeastTheTargets) {
  EXPECT_TRUE(contains(textOf(compileToPtx(kProduct, target("sm_80"))), ".version 8.4"));
  EXPECT_TRUE(contains(textOf(compileToPtx(kProduct, target("sm_103a"))), ".version 8.8"));
  MachineOptions options;
  options.ptxVersion = 87;
  EXPECT_TRUE(contains(textOf(compileToPtx(kProduct, target("sm_80"), options)), ".version 8.7"));
}

TEST(Nvptx, FunctionsThatAreNoKernelsAreInlined) {
  std::string ptx = textOf(compileToPtx(R"mlir(
llvm.func @helper(%x: f32) -> f32 {
  %y = llvm.fadd %x, %x : f32
  llvm.return %y : f32
}
llvm.func @kernel(%x: f32, %to: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %y = llvm.call @helper(%x) : (f32) -> f32
  llvm.store %y, %to : f32, !llvm.ptr<1>
  llvm.return
}
)mlir",
                                        target("sm_80")));
  EXPECT_TRUE(contains(ptx, ".entry kernel("));
  EXPECT_FALSE(contains(ptx, "helper"));
}

TEST(Nvptx, LoopsAreUnrolled) {
  std::string ptx = textOf(compileToPtx(R"mlir(
llvm.func @kernel(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %four = llvm.mlir.constant(4 : i32) : i32
  %start = llvm.mlir.constant(0.0 : f32) : f32
  llvm.br ^loop(%zero, %start : i32, f32)
^loop(%i: i32, %sum: f32):
  %at = llvm.getelementptr %from[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %x = llvm.load %at : !llvm.ptr<1> -> f32
  %next = llvm.fadd %sum, %x : f32
  %j = llvm.add %i, %one : i32
  %more = llvm.icmp "slt" %j, %four : i32
  llvm.cond_br %more, ^loop(%j, %next : i32, f32), ^done
^done:
  llvm.store %next, %to : f32, !llvm.ptr<1>
  llvm.return
}
)mlir",
                                        target("sm_80")));
  EXPECT_TRUE(contains(ptx, ".entry kernel("));
  EXPECT_FALSE(contains(ptx, "bra"));
}

TEST(Nvptx, VectorsAreSplitIntoRegisters) {
  std::string ptx = textOf(compileToPtx(R"mlir(
llvm.func @kernel(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>, %n: vector<2xi32>, %h: vector<2xf16>) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %thread = nvvm.read.ptx.sreg.tid.x : i32
  %none = llvm.mlir.poison : vector<2xi32>
  %first = llvm.insertelement %thread, %none[%zero : i32] : vector<2xi32>
  %both = llvm.shufflevector %first, %none [0, 0] : vector<2xi32>
  %offsets = llvm.mlir.constant(dense<[0, 128]> : vector<2xi32>) : vector<2xi32>
  %indices = llvm.add %both, %offsets : vector<2xi32>
  %inside = llvm.icmp "slt" %indices, %n : vector<2xi32>
  %i = llvm.extractelement %indices[%zero : i32] : vector<2xi32>
  %j = llvm.extractelement %indices[%one : i32] : vector<2xi32>
  %at = llvm.getelementptr %from[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<2xf16>
  %x = llvm.load %at {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xf16>
  %sum = llvm.fadd %x, %h : vector<2xf16>
  %y = llvm.select %inside, %sum, %h : vector<2xi1>, vector<2xf16>
  %there = llvm.getelementptr %to[%j] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<2xf16>
  llvm.store %y, %there {alignment = 4 : i64} : vector<2xf16>, !llvm.ptr<1>
  llvm.return
}
)mlir",
                                        target("sm_80")));
  // The second address is the first one plus a constant, which only scalars show. Halves stay in pairs.
  EXPECT_EQ(ptx.find("mul.wide"), ptx.rfind("mul.wide")) << ptx;
  EXPECT_TRUE(contains(ptx, "+512]"));
  EXPECT_TRUE(contains(ptx, "add.rn.f16x2"));
}

constexpr const char *kCaller = R"mlir(
#file = #llvm.di_file<"kernel.py" in "/home/me">
#unit = #llvm.di_compile_unit<id = distinct[0]<>, sourceLanguage = DW_LANG_C, file = #file, isOptimized = true,
                              emissionKind = DebugDirectivesOnly>
#type = #llvm.di_subroutine_type<>
#scope = #llvm.di_subprogram<id = distinct[1]<>, compileUnit = #unit, scope = #file, name = "kernel", file = #file,
                             line = 10, scopeLine = 10, subprogramFlags = "Definition|Optimized", type = #type>
llvm.func @__nv_sinf(f32) -> f32
llvm.func @kernel(%x: f32, %to: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %y = llvm.BODY : (f32) -> f32 loc("kernel.py":12:5)
  llvm.store %y, %to : f32, !llvm.ptr<1> loc("kernel.py":13:5)
  llvm.return loc("kernel.py":14:5)
} loc(fused<#scope>["kernel.py":10:1])
)mlir";

std::string withBody(std::string body) {
  std::string source = kCaller;
  return source.replace(source.find("BODY"), 4, body);
}

TEST(Nvptx, LinesOfTheSourceAreKept) {
  std::string ptx = textOf(compileToPtx(withBody("intr.sqrt(%x)"), target("sm_90a")));
  EXPECT_TRUE(contains(ptx, "/home/me/kernel.py"));
  EXPECT_TRUE(matches(ptx, "\\.loc\t1 13 5"));
  EXPECT_FALSE(contains(ptx, ", debug")); // the assembler would not optimize
}

TEST(Nvptx, AMissingFunctionIsNamedWithTheCallersLine) {
  EXPECT_EQ(textOf(compileToPtx(withBody("call @__nv_sinf(%x)"), target("sm_90a"))),
            "the kernel calls '__nv_sinf' (called at kernel.py:12), a function of libdevice, which is not linked in");
}

TEST(Nvptx, WhatTheArchitectureLacksIsAnError) {
  // stmatrix requires sm_90.
  const char *source = R"mlir(
llvm.func @kernel(%at: !llvm.ptr<3>, %x: i32) attributes {nvvm.kernel} {
  nvvm.stmatrix %at, %x {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>,
                         eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32
  llvm.return
}
)mlir";
  EXPECT_TRUE(contains(textOf(compileToPtx(source, target("sm_90a"))), "stmatrix.sync"));
  std::string error = textOf(compileToPtx(source, target("sm_80")));
  EXPECT_TRUE(matches(error, "^the code generator failed: .*llvm.nvvm.stmatrix"));
}

} // namespace
} // namespace tilewright::nvptx
