// Throws exceptions of tilewright.errors through pybind11. Code on the raw CPython interface sets them with setError()
// of Launcher.h.

#ifndef TILEWRIGHT_LAUNCHER_RAISE_H
#define TILEWRIGHT_LAUNCHER_RAISE_H

#include <pybind11/pybind11.h>

#include <utility>

namespace tilewright::launcher {

/// Throws an exception object.
[[noreturn]] inline void throwError(const pybind11::object &error) {
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
  throw pybind11::error_already_set();
}

/// Throws the exception `kind` of tilewright.errors, which is created with these arguments.
template <typename... Arguments> [[noreturn]] void raise(const char *kind, Arguments &&...arguments) {
  throwError(pybind11::module_::import("tilewright.errors").attr(kind)(std::forward<Arguments>(arguments)...));
}

} // namespace tilewright::launcher

#endif // TILEWRIGHT_LAUNCHER_RAISE_H
