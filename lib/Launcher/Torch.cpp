// Reads PyTorch's current device and stream, if PyTorch is imported.

#include "tilewright/Launcher/Launcher.h"

namespace tilewright::launcher {

/// A borrowed reference to a member of a module; null without an exception if there is none.
static PyObject *itemOf(PyObject *module, PyObject *name) {
  return module && PyModule_Check(module) ? PyDict_GetItemWithError(PyModule_GetDict(module), name) : nullptr;
}

/// A function of torch._C; null in builds without GPUs. It is looked up for every launch, because PyTorch may be
/// imported later, and takes only three dictionary lookups.
static PyObject *torchFunction(PyObject *name) {
  static PyObject *torch = PyUnicode_InternFromString("torch");
  static PyObject *extension = PyUnicode_InternFromString("_C");
  PyObject *module = PyDict_GetItemWithError(PyImport_GetModuleDict(), torch);
  return itemOf(itemOf(module, extension), name);
}

bool torchIsForHip() {
  // Interned, since each launch asks.
  static PyObject *torch = PyUnicode_InternFromString("torch"), *versions = PyUnicode_InternFromString("version"),
                  *hip = PyUnicode_InternFromString("hip");
  PyObject *version = itemOf(itemOf(PyDict_GetItemWithError(PyImport_GetModuleDict(), torch), versions), hip);
  return version && version != Py_None;
}

std::optional<int32_t> torchDevice() {
  static PyObject *name = PyUnicode_InternFromString("_cuda_getDevice");
  PyObject *function = torchFunction(name);
  Ref result = Ref::take(function ? PyObject_CallNoArgs(function) : nullptr);
  long ordinal = result ? PyLong_AsLong(result.get()) : -1;
  // A build with CUDA raises an exception if there is no driver.
  PyErr_Clear();
  return ordinal < 0 ? std::nullopt : std::optional<int32_t>(ordinal);
}

bool torchStream(int32_t device, uintptr_t &stream) {
  static PyObject *name = PyUnicode_InternFromString("_cuda_getCurrentRawStream");
  stream = 0;
  PyObject *function = torchFunction(name);
  if (!function) {
    return !PyErr_Occurred();
  }
  Ref ordinal = Ref::take(PyLong_FromLong(device));
  Ref result = Ref::take(ordinal ? PyObject_CallOneArg(function, ordinal.get()) : nullptr);
  stream = result ? PyLong_AsUnsignedLongLong(result.get()) : 0;
  return !PyErr_Occurred();
}

} // namespace tilewright::launcher
