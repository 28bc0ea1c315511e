// The extension module tilewright._core.

#include "Bindings.h"

using namespace tilewright::bindings;

PYBIND11_MODULE(_core, module) {
  module.doc() = "The core of Tilewright: builds IR, compiles and launches.";
  bindDiagnostics(module);
  bindIR(module);
  bindCompile(module);
  bindAssemble(module);
  bindLauncher(module);
  bindLoadedKernel(module);
  bindHostKernel(module);
  bindCuda(module);
  bindCudaKernel(module);
  bindEmulatedKernel(module);
}
