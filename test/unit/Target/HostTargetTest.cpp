#include "tilewright/Target/Host/Host.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

#include <gtest/gtest.h>

using namespace tilewright::host;

TEST(HostTarget, TheHostHasNoName) {
  auto target = lookUpProcessor("");
  ASSERT_TRUE(bool(target));
  EXPECT_EQ(target->key(), getHost().key());
  EXPECT_TRUE(missingFeatures("").empty());
}

TEST(HostTarget, LevelsStandForVectorInstructions) {
  auto avx2 = lookUpProcessor("avx2"), avx512 = lookUpProcessor("avx512"), haswell = lookUpProcessor("haswell");
  ASSERT_TRUE(bool(avx2) && bool(avx512) && bool(haswell));
  EXPECT_TRUE(avx2->has("avx2"));
  EXPECT_FALSE(avx2->has("avx512f"));
  EXPECT_TRUE(avx512->has("avx512f"));
  EXPECT_TRUE(haswell->has("avx2"));
}

TEST(HostTarget, EachProcessorHasTheFeaturesOfItsLevel) {
  for (const Level &level : levels()) {
    for (llvm::StringRef name : level.processors) {
      auto target = lookUpProcessor(name);
      ASSERT_TRUE(bool(target)) << llvm::toString(target.takeError());
      for (llvm::StringRef feature : level.features) {
        EXPECT_TRUE(target->has(feature)) << name.str() << " " << feature.str();
      }
    }
  }
}

TEST(HostTarget, TheHostLacksWhatItDoesNotHave) {
  for (const Level &level : levels()) {
    for (llvm::StringRef feature : missingFeatures(level.name)) {
      EXPECT_FALSE(getHost().has(feature));
    }
  }
}

TEST(HostTarget, UnknownProcessorsAreNamed) {
  auto target = lookUpProcessor("abacus");
  ASSERT_FALSE(bool(target));
  EXPECT_EQ(llvm::toString(target.takeError()), "unknown processor 'abacus'");
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
  for (const char *processor : {"sse2", "avx2", "avx512", "cooperlake", "sapphirerapids", "znver5"}) {
    auto machine = llvm::cantFail(createTargetMachine(llvm::cantFail(lookUpProcessor(processor))));
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
