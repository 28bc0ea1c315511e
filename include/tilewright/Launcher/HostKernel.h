// A kernel that is linked into this process. The thread pool runs its programs.

#ifndef TILEWRIGHT_LAUNCHER_HOSTKERNEL_H
#define TILEWRIGHT_LAUNCHER_HOSTKERNEL_H

#include "tilewright/Launcher/LoadedKernel.h"

#include "tilewright/Runtime/AccessChecks.h"
#include "tilewright/Runtime/Host/Kernel.h"
#include "tilewright/Runtime/Host/ThreadPool.h"
#include "tilewright/Target/Host/LinkedCode.h"

#include <optional>
#include <vector>

namespace tilewright::launcher {

class HostKernel final : public LoadedKernel {
public:
  /// `sites` are the accesses whose bounds the code checks; none for code without bounds checks.
  /// `code` is the memory of a kernel that was linked; none for one that is part of the process.
  explicit HostKernel(runtime::KernelEntry entry, std::optional<std::vector<runtime::AccessSite>> sites = {},
                      host::LinkedCode code = {})
      : entry(entry), sites(std::move(sites)), code(std::move(code)) {}

  /// Returns after all programs have ended.
  bool launch(Call &call, PyObject *compiled, const runtime::Grid &grid) override;

  const runtime::KernelEntry entry;

private:
  bool launchChecked(Call &call, PyObject *compiled, const runtime::Grid &grid);
  runtime::Result run(const uint64_t *slots, const runtime::Grid &grid);

  const std::optional<std::vector<runtime::AccessSite>> sites;
  const host::LinkedCode code;
  runtime::ProgramCost cost;
};

} // namespace tilewright::launcher

#endif // TILEWRIGHT_LAUNCHER_HOSTKERNEL_H
