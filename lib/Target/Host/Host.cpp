#include "tilewright/Target/Host/Host.h"

#include "../CodeGenerator.h"
#include "HostWorkarounds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include <mutex>

using namespace llvm;

namespace tilewright::host {

//===----------------------------------------------------------------------===//
// Architectures
//===----------------------------------------------------------------------===//

StringRef stringifyArchitecture(Architecture architecture) {
  switch (architecture) {
  case Architecture::X86_64:
    return "x86-64";
  case Architecture::AArch64:
    return "AArch64";
  }
  llvm_unreachable("unknown architecture");
}

std::optional<Architecture> findArchitecture(const Triple &triple) {
  switch (triple.getArch()) {
  case Triple::x86_64:
    return Architecture::X86_64;
  case Triple::aarch64:
    return Architecture::AArch64;
  default:
    return std::nullopt;
  }
}

/// The triple for which code is compiled where the host has another architecture.
static StringRef tripleOf(Architecture architecture) {
  return architecture == Architecture::X86_64 ? "x86_64-unknown-linux-gnu" : "aarch64-unknown-linux-gnu";
}

static void initializeX86() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeX86AsmParser();
  disableStoreForwardingPass();
}

static void initializeAArch64() {
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  LLVMInitializeAArch64AsmParser();
}

/// Initializes the code generator of the triple's architecture when it is first needed, because most processes compile
/// for one architecture.
static void initializeTarget(const Triple &triple) {
  static std::once_flag common, x86, aarch64;
  std::call_once(common, limitSchedulingRegions);
  switch (triple.getArch()) {
  case Triple::x86_64:
    return std::call_once(x86, initializeX86);
  case Triple::aarch64:
    return std::call_once(aarch64, initializeAArch64);
  default:
    return; // lookupBackend() returns the error
  }
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

const HostTarget &getHost() {
  static const HostTarget host = [] {
    std::vector<std::pair<std::string, bool>> found;
    for (const auto &[name, enabled] : sys::getHostCPUFeatures()) {
      found.emplace_back(name.str(), enabled);
    }
    llvm::sort(found); // the order of the map differs between processes
    SubtargetFeatures features;
    for (const auto &[name, enabled] : found) {
      features.AddFeature(name, enabled);
    }
    return HostTarget{sys::getProcessTriple(), sys::getHostCPUName().str(), features.getString()};
  }();
  return host;
}

std::string HostTarget::key() const { return Triple(triple).getArchName().str() + ":" + cpu + ":" + features; }

bool HostTarget::has(StringRef feature) const {
  SmallVector<StringRef> all;
  StringRef(features).split(all, ',');
  return is_contained(all, ("+" + feature).str());
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

ArrayRef<Level> levels() {
  static constexpr StringLiteral sse4[] = {"sse4.2", "popcnt"}, avx2[] = {"avx2", "fma", "bmi2", "f16c"},
                                 avx512[] = {"avx512f", "avx512bw", "avx512dq", "avx512vl"};
  static constexpr StringLiteral ofSse2[] = {"x86-64"}, ofSse4[] = {"x86-64-v2"},
                                 ofAvx2[] = {"x86-64-v3", "haswell", "broadwell", "skylake",
                                             "alderlake", "znver1",  "znver2",    "znver3"},
                                 ofAvx512[] = {"x86-64-v4",      "skylake-avx512", "cascadelake",   "cooperlake",
                                               "icelake-client", "icelake-server", "tigerlake",     "rocketlake",
                                               "sapphirerapids", "emeraldrapids",  "graniterapids", "znver4",
                                               "znver5"};
  static constexpr StringLiteral neon[] = {"neon"}, dotprod[] = {"neon", "lse", "fullfp16", "dotprod"},
                                 sve[] = {"neon", "lse", "fullfp16", "dotprod", "sve", "bf16", "i8mm"},
                                 sve2[] = {"neon", "lse", "fullfp16", "dotprod", "sve", "bf16", "i8mm", "sve2"};
  static constexpr StringLiteral ofNeon[] = {"cortex-a53", "cortex-a57", "cortex-a72"},
                                 ofDotprod[] = {"cortex-a76", "neoverse-n1", "apple-m1"}, ofSve[] = {"neoverse-v1"},
                                 ofSve2[] = {"neoverse-n2", "neoverse-v2"};
  constexpr Architecture kX86 = Architecture::X86_64, kArm = Architecture::AArch64;
  static const Level all[] = {
      {kX86, "sse2", "x86-64", {}, ofSse2},      {kX86, "sse4", "x86-64-v2", sse4, ofSse4},
      {kX86, "avx2", "x86-64-v3", avx2, ofAvx2}, {kX86, "avx512", "x86-64-v4", avx512, ofAvx512},
      {kArm, "neon", "generic", neon, ofNeon},   {kArm, "dotprod", "cortex-a76", dotprod, ofDotprod},
      {kArm, "sve", "neoverse-v1", sve, ofSve},  {kArm, "sve2", "neoverse-n2", sve2, ofSve2}};
  return all;
}

static const Level *findLevel(StringRef name) {
  const Level *found =
      find_if(levels(), [&](const Level &level) { return name == level.name || is_contained(level.processors, name); });
  return found == levels().end() ? nullptr : found;
}

std::optional<Architecture> findForeignArchitecture(StringRef name) {
  const Level *level = findLevel(name);
  bool isForeign = level && level->architecture != findArchitecture(Triple(getHost().triple));
  return isForeign ? std::optional(level->architecture) : std::nullopt;
}

std::vector<StringRef> missingFeatures(StringRef name) {
  std::vector<StringRef> missing;
  if (const Level *level = findLevel(name)) {
    for (StringRef feature : level->features) {
      if (!getHost().has(feature)) {
        missing.push_back(feature);
      }
    }
  }
  return missing;
}

Expected<HostTarget> lookUpProcessor(StringRef name) {
  HostTarget target = getHost();
  if (name.empty()) {
    return target;
  }
  const Level *level = findLevel(name);
  if (!level) {
    return createStringError("unknown processor '" + name + "'");
  }
  StringRef processor = name == level->name ? StringRef(level->processor) : name;
  if (findForeignArchitecture(name)) {
    target.triple = tripleOf(level->architecture).str();
  } else if (name == target.cpu) {
    return target;
  }
  Triple triple(target.triple);
  initializeTarget(triple);
  auto backend = codegen::lookupBackend(triple);
  if (!backend) {
    return backend.takeError();
  }
  std::unique_ptr<MCSubtargetInfo> info((*backend)->createMCSubtargetInfo(triple, "", ""));
  if (!info->isCPUStringValid(processor)) {
    return createStringError("'" + processor + "' is not a processor of the architecture of " + target.triple);
  }
  target.cpu = processor.str();
  info.reset((*backend)->createMCSubtargetInfo(triple, processor, ""));
  SubtargetFeatures features;
  for (const SubtargetFeatureKV &feature : info->getAllProcessorFeatures()) {
    // SubtargetFeatures converts names to lower case, under which LLVM does not know those in upper case.
    bool isLowerCase = StringRef(feature.Key).lower() == feature.Key;
    if (isLowerCase && info->checkFeatures(std::string("+") + feature.Key)) {
      features.AddFeature(feature.Key);
    }
  }
  target.features = features.getString();
  return target;
}

Expected<std::unique_ptr<TargetMachine>> createTargetMachine(const HostTarget &target) {
  Triple triple(target.triple);
  initializeTarget(triple);
  auto backend = codegen::lookupBackend(triple);
  if (!backend) {
    return backend.takeError();
  }
  TargetOptions options;
  // a * b + c is fused only if both operations have the flag `contract`.
  options.AllowFPOpFusion = FPOpFusion::Standard;
  std::unique_ptr<TargetMachine> machine((*backend)->createTargetMachine(triple, target.cpu, target.features, options,
                                                                         Reloc::PIC_, CodeModel::Small,
                                                                         CodeGenOptLevel::Default, /*JIT=*/true));
  if (!machine) {
    return createStringError("no code generator for " + target.triple);
  }
  return machine;
}

} // namespace tilewright::host
