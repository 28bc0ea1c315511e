// A kernel for a GPU that runs in this process, on an emulated one.

#ifndef TILEWRIGHT_LIB_BINDINGS_EMULATEDKERNEL_H
#define TILEWRIGHT_LIB_BINDINGS_EMULATEDKERNEL_H

#include "LoadedKernel.h"

#include "tilewright/Emulator/Launch.h"
#include "tilewright/Runtime/ThreadPool.h"

namespace tilewright::bindings {

class EmulatedKernel final : public LoadedKernel {
public:
  explicit EmulatedKernel(emulator::Kernel kernel) : kernel(std::move(kernel)) {}

  /// Returns when all programs have ended.
  bool launch(Call &call, PyObject *compiled, const runtime::Grid &grid) override;

  const emulator::Kernel kernel;

private:
  runtime::ProgramCost cost;
};

} // namespace tilewright::bindings

#endif // TILEWRIGHT_LIB_BINDINGS_EMULATEDKERNEL_H
