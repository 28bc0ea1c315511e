// Loads code by the registered kind of its target.

#include "tilewright/Launcher/Load.h"

#include "GpuKernel.h"
#include "tilewright/Launcher/PythonTypes.h"

namespace py = pybind11;

namespace tilewright::launcher {

// A kind defines a function that loads its code, such as cudaLoad(), and one that binds the class of its loaded kernels
// and what else it has for Python.
// NOLINTBEGIN(bugprone-macro-parentheses): not allowed around a type
#define TILEWRIGHT_TARGET_KIND(name, kind, device)                                                                     \
  std::shared_ptr<LoadedKernel> kind##Load(const LoadRequest &request);                                                \
  void kind##Bind(py::module_ &module);
// NOLINTEND(bugprone-macro-parentheses)
#include "tilewright/Target/TargetKinds.def"
#undef TILEWRIGHT_TARGET_KIND

std::shared_ptr<LoadedKernel> load(llvm::StringRef kind, const LoadRequest &request) {
#define TILEWRIGHT_TARGET_KIND(name, kindName, device)                                                                 \
  if (kind == name) {                                                                                                  \
    return kindName##Load(request);                                                                                    \
  }
#include "tilewright/Target/TargetKinds.def"
#undef TILEWRIGHT_TARGET_KIND
  throw py::value_error("there is no kind of target '" + kind.str() + "'");
}

void bindLoadedKernels(py::module_ &module) {
  // NOLINTNEXTLINE(bugprone-unused-raii): the module keeps the class
  py::class_<LoadedKernel, std::shared_ptr<LoadedKernel>>(module, "LoadedKernel",
                                                          "A kernel's code that is loaded for execution.");
  bindGpuKernel(module);
#define TILEWRIGHT_TARGET_KIND(name, kind, device) kind##Bind(module);
#include "tilewright/Target/TargetKinds.def"
#undef TILEWRIGHT_TARGET_KIND
}

template <typename Entry> static std::vector<Entry> readList(const py::object &list) {
  std::vector<Entry> all;
  for (py::handle entry : list) {
    all.push_back(py::tuple(py::reinterpret_borrow<py::object>(entry)).cast<Entry>());
  }
  return all;
}

PyAccesses LoadRequest::accesses() const {
  py::object accesses = metadata["accesses"];
  return accesses.is_none() ? PyAccesses() : readList<PyAccess>(accesses);
}

std::vector<PyAssert> LoadRequest::asserts() const {
  // Metadata that other programs make may lack them.
  return metadata.contains("asserts") ? readList<PyAssert>(metadata["asserts"]) : std::vector<PyAssert>();
}

} // namespace tilewright::launcher
