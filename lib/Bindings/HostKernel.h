// A kernel linked into this process, whose programs the thread pool runs.

#ifndef TILEWRIGHT_LIB_BINDINGS_HOSTKERNEL_H
#define TILEWRIGHT_LIB_BINDINGS_HOSTKERNEL_H

#include "LoadedKernel.h"

#include "tilewright/Runtime/Kernel.h"
#include "tilewright/Runtime/ThreadPool.h"

namespace tilewright::bindings {

class HostKernel final : public LoadedKernel {
public:
  explicit HostKernel(runtime::KernelEntry entry) : entry(entry) {}

  /// Returns when all programs have ended.
  bool launch(Call &call, PyObject *compiled, const runtime::Grid &grid) override;

  const runtime::KernelEntry entry;

private:
  runtime::ProgramCost cost;
};

} // namespace tilewright::bindings

#endif // TILEWRIGHT_LIB_BINDINGS_HOSTKERNEL_H
