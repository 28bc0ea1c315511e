// The extension module tilewright._core: one function per subject.

#include "Bindings.h"

using namespace tilewright::bindings;

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiler core of Tilewright: building IR, compiling, launching.";
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
