#include "tilewright/Target/Host/Host.h"

#include "../CodeGenerator.h"
#include "HostWorkarounds.h"

#include "llvm/ADT/StringSwitch.h"
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
    return true;
  }();
  (void)once;
}

const HostTarget &getHost() {
  static const HostTarget host = [] {
    SubtargetFeatures features;
    for (const auto &[name, enabled] : sys::getHostCPUFeatures()) {
      features.AddFeature(name, enabled);
    }
    return HostTarget{sys::getProcessTriple(), sys::getHostCPUName().str(), features.getString()};
  }();
  return host;
}

Expected<HostTarget> parseTarget(StringRef name) {
  HostTarget target = getHost();
  StringRef family, cpu;
  std::tie(family, cpu) = name.split(':');
  if (family != "cpu") {
    return createStringError("'" + name + "' is not a CPU target");
  }
  if (cpu.empty() || cpu == target.cpu) {
    return target;
  }
  initializeTargets();
  Triple triple(target.triple);
  auto backend = codegen::lookupBackend(triple);
  if (!backend) {
    return backend.takeError();
  }
  // The x86-64 levels for these generations of vector instructions.
  StringRef level = StringSwitch<StringRef>(cpu)
                        .Case("generic", "x86-64")
                        .Case("avx2", "x86-64-v3")
                        .Case("avx512", "x86-64-v4")
                        .Default(cpu);
  std::unique_ptr<MCSubtargetInfo> info((*backend)->createMCSubtargetInfo(triple, "", ""));
  if (!info->isCPUStringValid(level)) {
    return createStringError("unknown processor '" + cpu + "' in target '" + name +
                             "'; known processors: generic, avx2, avx512, and LLVM's names of processors");
  }
  target.cpu = level.str();
  info.reset((*backend)->createMCSubtargetInfo(triple, level, ""));
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
  // a * b + c is rounded twice, unless the kernel uses fma.
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
