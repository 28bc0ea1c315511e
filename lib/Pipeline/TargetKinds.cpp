// The registered kinds of targets.

#include "tilewright/Pipeline/TargetKind.h"

#include "tilewright/Pipeline/GpuModule.h"

#include "llvm/ADT/STLExtras.h"

namespace tilewright {

// A kind defines a function that returns its object, such as cudaTarget().
#define TILEWRIGHT_TARGET_KIND(name, kind, device) const TargetKind &kind##Target();
#include "tilewright/Target/TargetKinds.def"
#undef TILEWRIGHT_TARGET_KIND

llvm::ArrayRef<const TargetKind *> targetKinds() {
  static const TargetKind *const all[] = {
#define TILEWRIGHT_TARGET_KIND(name, kind, device) &kind##Target(),
#include "tilewright/Target/TargetKinds.def"
#undef TILEWRIGHT_TARGET_KIND
  };
  return all;
}

std::optional<GpuModule> TargetKind::buildForEmulation(mlir::ModuleOp, llvm::StringRef, const GpuOptions &,
                                                       Compilation &compilation, CompileFailure &) const {
  compilation.fail("target", "'" + name.str() + "' can't be emulated");
  return std::nullopt;
}

const TargetKind *findTargetKind(llvm::StringRef name) {
  const auto *found = llvm::find_if(targetKinds(), [&](const TargetKind *kind) { return kind->name == name; });
  return found == targetKinds().end() ? nullptr : *found;
}

} // namespace tilewright
