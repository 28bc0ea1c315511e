// A kernel linked into this process, whose programs the thread pool runs.

#ifndef TILEWRIGHT_LIB_BINDINGS_HOSTKERNEL_H
#define TILEWRIGHT_LIB_BINDINGS_HOSTKERNEL_H

#include "LoadedKernel.h"

#include "tilewright/Runtime/AccessChecks.h"
#include "tilewright/Runtime/Kernel.h"
#include "tilewright/Runtime/ThreadPool.h"

#include <optional>
#include <vector>

namespace tilewright::bindings {

class HostKernel final : public LoadedKernel {
public:
  /// `sites`: the accesses whose bounds the code checks; nothing where it checks none.
  explicit HostKernel(runtime::KernelEntry entry, std::optional<std::vector<runtime::AccessSite>> sites = {})
      : entry(entry), sites(std::move(sites)) {}

  /// Returns when all programs have ended.
  bool launch(Call &call, PyObject *compiled, const runtime::Grid &grid) override;

  const runtime::KernelEntry entry;

private:
  bool launchChecked(Call &call, PyObject *compiled, const runtime::Grid &grid);
  runtime::Result run(const uint64_t *slots, const runtime::Grid &grid);

  const std::optional<std::vector<runtime::AccessSite>> sites;
  runtime::ProgramCost cost;
};

} // namespace tilewright::bindings

#endif // TILEWRIGHT_LIB_BINDINGS_HOSTKERNEL_H
