#include "tilewright/Launcher/LoadedKernel.h"

#include <pybind11/pybind11.h>

#include <memory>

namespace py = pybind11;

namespace tilewright::launcher {

void bindLoadedKernel(py::module_ &module) {
  py::class_<LoadedKernel, std::shared_ptr<LoadedKernel>>(module, "LoadedKernel",
                                                          "A kernel's code that is loaded for execution.");
}

LoadedKernel *loadedKernelOf(PyObject *object) {
  try {
    return py::handle(object).cast<LoadedKernel *>();
  } catch (const py::cast_error &) {
    PyErr_Format(PyExc_TypeError, "expected a LoadedKernel, not %.200s", Py_TYPE(object)->tp_name);
    return nullptr;
  }
}

} // namespace tilewright::launcher
