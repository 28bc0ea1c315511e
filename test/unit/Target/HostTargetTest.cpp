#include "tilewright/Target/Host/Host.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

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

TEST(HostTarget, AProcessorHasTheTripleOfItsArchitecture) {
  auto neon = lookUpProcessor("neon"), neoverse = lookUpProcessor("neoverse-v2"), avx2 = lookUpProcessor("avx2");
  ASSERT_TRUE(bool(neon) && bool(neoverse) && bool(avx2));
  EXPECT_EQ(llvm::Triple(neon->triple).getArchName(), "aarch64");
  EXPECT_EQ(llvm::Triple(neoverse->triple).getArchName(), "aarch64");
  EXPECT_EQ(llvm::Triple(avx2->triple).getArchName(), "x86_64");
  EXPECT_TRUE(neoverse->has("sve2"));
  EXPECT_FALSE(neon->has("sve") || neon->has("lse"));
}

TEST(HostTarget, ExactlyTheProcessorsOfOtherArchitecturesAreForeign) {
  std::optional<Architecture> host = findArchitecture(llvm::Triple(getHost().triple));
  for (const Level &level : levels()) {
    for (llvm::StringRef name : level.processors) {
      std::optional<Architecture> foreign = findForeignArchitecture(name);
      EXPECT_EQ(foreign.has_value(), level.architecture != host) << name.str();
      EXPECT_EQ(foreign.value_or(level.architecture), level.architecture);
    }
  }
  EXPECT_FALSE(findForeignArchitecture(""));
}

TEST(HostTarget, KeysOfArchitecturesDiffer) {
  HostTarget x86{"x86_64-unknown-linux-gnu", "generic", ""}, arm{"aarch64-unknown-linux-gnu", "generic", ""};
  EXPECT_NE(x86.key(), arm.key());
}

// Names in upper case would be ignored, with a message on the standard error stream.
TEST(HostTarget, FeaturesAreThoseThatLlvmKnows) {
  for (const char *name : {"neon", "neoverse-v2", "avx512"}) {
    auto machine = llvm::cantFail(createTargetMachine(llvm::cantFail(lookUpProcessor(name))));
    llvm::SmallVector<llvm::StringRef> features;
    machine->getTargetFeatureString().split(features, ',');
    for (llvm::StringRef feature : features) {
      EXPECT_TRUE(machine->getMCSubtargetInfo()->checkFeatures(feature.str())) << name << " " << feature.str();
    }
  }
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
  for (const char *processor : {"sse2", "avx2", "avx512", "cooperlake", "sapphirerapids", "znver5", "neon", "apple-m1",
                                "neoverse-v1", "neoverse-v2"}) {
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

static std::string print(const llvm::Module &module) {
  std::string printed;
  llvm::raw_string_ostream(printed) << module;
  return printed;
}

/// The module of the text, optimized for the machine.
static std::unique_ptr<llvm::Module> optimized(llvm::LLVMContext &context, llvm::TargetMachine &machine,
                                               const std::string &text) {
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  module->setTargetTriple(machine.getTargetTriple());
  module->setDataLayout(machine.createDataLayout());
  prepare(*module, machine);
  optimize(*module, machine);
  return module;
}

static std::string optimizedText(const char *processor, const std::string &text) {
  auto machine = llvm::cantFail(createTargetMachine(llvm::cantFail(lookUpProcessor(processor))));
  llvm::LLVMContext context;
  return print(*optimized(context, *machine, text));
}

static int count(llvm::StringRef text, llvm::StringRef part) { return int(text.count(part)); }

// The code generator considers folding the load into the insertion of its value.
TEST(HostTarget, NonTemporalLoadsOfOneByteCompile) {
  auto machine = llvm::cantFail(createTargetMachine(llvm::cantFail(lookUpProcessor("znver5"))));
  llvm::LLVMContext context;
  auto module = optimized(context, *machine,
                          "define <8 x i8> @kernel(ptr %p) {\n"
                          "%one = load <1 x i8>, ptr %p, !nontemporal !0\n"
                          "%lanes = shufflevector <1 x i8> %one, <1 x i8> zeroinitializer, <8 x i32> "
                          "<i32 0, i32 poison, i32 poison, i32 poison, i32 1, i32 1, i32 1, i32 1>\n"
                          "ret <8 x i8> %lanes\n}\n"
                          "!0 = !{i32 1}");
  EXPECT_TRUE(bool(emit(*module, *machine, false)));
}

TEST(HostTarget, VectorsOfBfloatsAreShuffledAsIntegers) {
  std::string text = optimizedText("znver5", "define void @kernel(ptr %p, <16 x bfloat> %x, <16 x bfloat> %y) {\n"
                                             "%part = shufflevector <16 x bfloat> %x, <16 x bfloat> %y, <4 x i32> "
                                             "<i32 14, i32 15, i32 16, i32 17>\n"
                                             "store <4 x bfloat> %part, ptr %p\nret void\n}");
  EXPECT_EQ(count(text, "shufflevector <16 x i16>"), 1) << text;
  EXPECT_EQ(count(text, "shufflevector <16 x bfloat>"), 0) << text;
}

/// The optimized IR of a load of `lanes` floats whose mask is a comparison.
static std::string optimizedLoad(const char *processor, int lanes) {
  std::string n = std::to_string(lanes), floats = "<" + n + " x float>", words = "<" + n + " x i32>";
  return optimizedText(processor, "define void @kernel(ptr %p, ptr %to, " + words + " %i, " + words + " %n) {\n" +
                                      "%mask = icmp slt " + words + " %i, %n\n" + //
                                      "%x = call " + floats + " @llvm.masked.load.v" + n + "f32.p0(ptr align 4 %p, <" +
                                      n + " x i1> %mask, " + floats + " zeroinitializer)\n" + //
                                      "store " + floats + " %x, ptr %to, align 4\nret void\n}");
}

TEST(HostTarget, MaskedAccessesAreSplitForTheProcessor) {
  EXPECT_EQ(count(optimizedLoad("avx512", 16), "call <16 x float> @llvm.masked.load"), 1);
  EXPECT_EQ(count(optimizedLoad("avx2", 16), "@llvm.x86.avx.maskload.ps.256(ptr"), 3); // two calls, a declaration
  EXPECT_EQ(count(optimizedLoad("neon", 16), "call <16 x float> @llvm.masked.load"), 1);
  for (int lanes : {2, 4, 16}) {
    std::string sve = optimizedLoad("neoverse-v2", lanes);
    EXPECT_EQ(count(sve, "call <4 x float> @llvm.masked.load"), std::max(1, lanes / 4)) << sve;
    EXPECT_EQ(count(sve, "icmp slt <4 x i32>"), lanes / 4) << sve;
  }
}

// Several blocks would use the masked integer.
TEST(HostTarget, ElementsOfVectorsAreExtracted) {
  std::string text = optimizedText("avx512", "define void @kernel(ptr %p, <4 x i16> %x) {\n"
                                             "%all = bitcast <4 x i16> %x to i64\n"
                                             "%first = and i64 %all, 65535\n"
                                             "%above = lshr i64 %all, 16\n"
                                             "%second = and i64 %above, 65535\n"
                                             "%last = lshr i64 %all, 48\n"
                                             "%some = and i64 %all, 4294967295\n" // of two elements
                                             "%a = getelementptr i64, ptr %p, i64 %first\n"
                                             "%b = getelementptr i64, ptr %a, i64 %second\n"
                                             "%c = getelementptr i64, ptr %b, i64 %last\n"
                                             "store i64 %some, ptr %c\nret void\n}");
  for (const char *element : {"i64 0", "i64 1", "i64 3"}) {
    EXPECT_EQ(count(text, std::string("extractelement <4 x i16> %x, ") + element), 1) << text;
  }
  EXPECT_EQ(count(text, "extractelement"), 3) << text;
  EXPECT_EQ(count(text, "zext i16"), 3) << text;
}

// Only the shift of the vector is exact. It is that of the number, which is stored, too.
TEST(HostTarget, FlagsOfVectorsStay) {
  std::string text = optimizedText("avx512", "define void @kernel(ptr %p, i32 %x) {\n"
                                             "%number = lshr i32 %x, 5\n"
                                             "store i32 %number, ptr %p\n"
                                             "%scaled = shl nuw nsw i32 %number, 3\n"
                                             "%one = insertelement <4 x i32> poison, i32 %scaled, i64 0\n"
                                             "%all = shufflevector <4 x i32> %one, <4 x i32> poison, "
                                             "<4 x i32> zeroinitializer\n"
                                             "%numbers = lshr exact <4 x i32> %all, splat (i32 3)\n"
                                             "%q = getelementptr i32, ptr %p, i64 4\n"
                                             "store <4 x i32> %numbers, ptr %q\nret void\n}");
  EXPECT_EQ(count(text, "lshr exact i32"), 0) << text;
  EXPECT_EQ(count(text, "lshr i32 %x, 5"), 1) << text;
}

// A function without a pointer has no condition that the code generator does not know.
TEST(HostTarget, LongBlocksAreSplit) {
  auto branches = [](const std::string &parameter, const std::string &pointer, int stores) {
    std::string text = "@word = global i32 0\ndefine void @kernel(" + parameter + ") {\n";
    for (int i = 0; i < stores; ++i) {
      text += "store volatile i32 " + std::to_string(i) + ", ptr " + pointer + "\n";
    }
    return count(optimizedText("avx512", text + "ret void\n}"), "br i1");
  };
  EXPECT_EQ(branches("ptr %p", "%p", 900), 0);
  EXPECT_EQ(branches("ptr %p", "%p", 3500), 3);
  EXPECT_EQ(branches("i32 %x", "@word", 3500), 0);
}

TEST(HostTarget, AttributesAreThoseOfTheArchitecture) {
  EXPECT_EQ(count(optimizedLoad("avx512", 16), "prefer-vector-width"), 1);
  EXPECT_EQ(count(optimizedLoad("neoverse-v2", 16), "prefer-vector-width"), 0);
  EXPECT_GT(count(optimizedLoad("neoverse-v2", 16), "vscale_range(1,16)"), 0);
  EXPECT_EQ(count(optimizedLoad("neon", 16), "vscale_range"), 0);
}
