// The extension module tilewright._core.

#include "Bindings.h"

#include "tilewright/Launcher/PythonTypes.h"

using namespace tilewright::bindings;
using namespace tilewright::launcher;

PYBIND11_MODULE(_core, module) {
  module.doc() = "The core of Tilewright: builds IR, compiles and launches.";
  bindDiagnostics(module);
  bindIR(module);
  bindCompile(module);
  bindAssemble(module);
  bindLauncher(module);
  bindLoadedKernels(module);
  bindTargets(module);
  bindLibraries(module);
}
