#include "tilewright/Launcher/LoadedKernel.h"

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <system_error>

namespace py = pybind11;

namespace tilewright::launcher {

LoadedKernel *loadedKernelOf(PyObject *object) {
  try {
    return py::handle(object).cast<LoadedKernel *>();
  } catch (const py::cast_error &) {
    PyErr_Format(PyExc_TypeError, "expected a LoadedKernel, not %.200s", Py_TYPE(object)->tp_name);
    return nullptr;
  }
}

void setLinkError(llvm::Error error) {
  bool isOutOfMemory = false;
  std::string message;
  llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase &each) {
    isOutOfMemory |= each.convertToErrorCode() == std::errc::not_enough_memory;
    message += (message.empty() ? "" : "; ") + each.message();
  });
  PyErr_Format(isOutOfMemory ? PyExc_MemoryError : PyExc_ValueError, "the object file cannot be loaded: %s",
               message.c_str());
}

} // namespace tilewright::launcher
