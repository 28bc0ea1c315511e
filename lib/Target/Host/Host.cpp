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

using namespace llvm;

namespace tilewright::host {

static void initializeTargets() {
  static const bool once = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser();
    disableStoreForwardingPass();
    limitSchedulingRegions();
    return true;
  }();
  (void)once;
}

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
  static const Level all[] = {{"sse2", "x86-64", {}, ofSse2},
                              {"sse4", "x86-64-v2", sse4, ofSse4},
                              {"avx2", "x86-64-v3", avx2, ofAvx2},
                              {"avx512", "x86-64-v4", avx512, ofAvx512}};
  return all;
}

static const Level *findLevel(StringRef name) {
  const Level *found =
      find_if(levels(), [&](const Level &level) { return name == level.name || is_contained(level.processors, name); });
  return found == levels().end() ? nullptr : found;
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
  if (processor == target.cpu) {
    return target;
  }
  initializeTargets();
  Triple triple(target.triple);
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
    if (info->checkFeatures(std::string("+") + feature.Key)) {
      features.AddFeature(feature.Key);
    }
  }
  target.features = features.getString();
  return target;
}

Expected<std::unique_ptr<TargetMachine>> createTargetMachine(const HostTarget &target) {
  initializeTargets();
  Triple triple(target.triple);
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
