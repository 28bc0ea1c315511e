#include "tilewright/Target/Host/Host.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

#include <gtest/gtest.h>

using namespace tilewright::host;

TEST(HostTarget, TheHostIsTheDefault) {
  auto target = parseTarget("cpu");
  ASSERT_TRUE(bool(target));
  EXPECT_EQ(target->key(), getHost().key());
}

TEST(HostTarget, LevelsStandForVectorInstructions) {
  auto avx2 = parseTarget("cpu:avx2"), avx512 = parseTarget("cpu:avx512");
  ASSERT_TRUE(bool(avx2) && bool(avx512));
  EXPECT_NE(avx2->features.find("+avx2"), std::string::npos);
  EXPECT_EQ(avx2->features.find("+avx512f"), std::string::npos);
  EXPECT_NE(avx512->features.find("+avx512f"), std::string::npos);
}

TEST(HostTarget, UnknownProcessorsAreNamed) {
  auto target = parseTarget("cpu:abacus");
  ASSERT_FALSE(bool(target));
  EXPECT_NE(llvm::toString(target.takeError()).find("unknown processor 'abacus'"), std::string::npos);
}

/// The IR of a copy of the lanes [first, 64) of a vector.
static std::string maskedCopy(const std::string &type, const std::string &suffix, int first) {
  std::string lanes = "<64 x " + type + ">", mask = "<64 x i1> <";
  for (int lane = 0; lane < 64; ++lane) {
    mask += std::string(lane ? ", " : "") + (lane < first ? "i1 false" : "i1 true");
  }
  mask += ">";
  std::string name = "@llvm.masked.";
  return "define void @kernel(ptr %from, ptr %to) {\n"
         "%lanes = call " +
         lanes + " " + name + "load.v64" + suffix + ".p0(ptr align 2 %from, " + mask + ", " + lanes +
         " zeroinitializer)\n"
         "call void " +
         name + "store.v64" + suffix + ".p0(" + lanes + " %lanes, ptr align 2 %to, " + mask +
         ")\n"
         "ret void\n}";
}

// Part of the code's constant mask selects a single lane.
TEST(HostTarget, MaskedAccessesOfEveryTypeCompileForEveryProcessor) {
  const std::pair<const char *, const char *> types[] = {{"bfloat", "bf16"}, {"half", "f16"}, {"float", "f32"},
                                                         {"double", "f64"},  {"i8", "i8"},    {"i16", "i16"},
                                                         {"i32", "i32"},     {"i64", "i64"}};
  for (const char *processor : {"generic", "avx2", "avx512", "cooperlake", "sapphirerapids", "znver5"}) {
    auto machine = llvm::cantFail(createTargetMachine(llvm::cantFail(parseTarget(std::string("cpu:") + processor))));
    for (auto [type, suffix] : types) {
      for (int first : {7, 15, 31, 63}) {
        llvm::LLVMContext context;
        llvm::SMDiagnostic diagnostic;
        auto module = llvm::parseAssemblyString(maskedCopy(type, suffix, first), diagnostic, context);
        ASSERT_TRUE(module) << diagnostic.getMessage().str();
        module->setTargetTriple(machine->getTargetTriple());
        module->setDataLayout(machine->createDataLayout());
        prepare(*module, *machine);
        optimize(*module, *machine);
        auto object = emit(*module, *machine, false);
        EXPECT_TRUE(bool(object)) << processor << " " << type << " " << first << ": "
                                  << llvm::toString(object.takeError());
      }
    }
  }
}
