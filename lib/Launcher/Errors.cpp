// Raises exceptions of tilewright.errors. The module is imported when the first one is raised.

#include "tilewright/Launcher/Launcher.h"

namespace tilewright::launcher {

static std::string textOf(PyObject *object) {
  Ref text = Ref::take(PyObject_Str(object));
  const char *chars = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  if (!chars) {
    PyErr_Clear();
    return "";
  }
  return chars;
}

void setError(const char *kind, const LauncherState &state, const Parameter *parameter, const std::string &message) {
  Ref errors = Ref::take(PyImport_ImportModule("tilewright.errors"));
  Ref type = Ref::take(errors ? PyObject_GetAttrString(errors.get(), kind) : nullptr);
  if (!type) {
    return;
  }
  std::string text = state.label + ": ";
  if (parameter) {
    text += "argument '" + textOf(parameter->name.get()) + "' ";
  }
  PyErr_SetString(type.get(), (text + message).c_str());
}

void setErrorFromPending(const char *kind, const LauncherState &state, const Parameter *parameter,
                         const std::string &message) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  Ref ownedType = Ref::take(type), cause = Ref::take(value), ownedTraceback = Ref::take(traceback);
  // KeyboardInterrupt and similar exceptions are not caused by the argument.
  if (cause && !PyErr_GivenExceptionMatches(cause.get(), PyExc_Exception)) {
    PyErr_Restore(ownedType.release(), cause.release(), ownedTraceback.release());
    return;
  }
  // Use the first line only, because PyTorch's messages continue with a backtrace.
  std::string reason = cause ? textOf(cause.get()) : "";
  setError(kind, state, parameter, message + ": " + reason.substr(0, reason.find('\n')));
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (value && cause) {
    PyException_SetCause(value, cause.release());
  }
  PyErr_Restore(type, value, traceback);
}

void hideInternalFrames() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  Ref errors = Ref::take(PyImport_ImportModule("tilewright.errors"));
  Ref shown = Ref::take(errors ? PyObject_CallMethod(errors.get(), "without_internal_frames", "OO", value,
                                                     traceback ? traceback : Py_None)
                               : nullptr);
  PyErr_Clear(); // of a failure to filter, after which the whole traceback is shown
  if (shown) {
    Py_XDECREF(traceback);
    traceback = shown.get() == Py_None ? nullptr : shown.release();
  }
  PyErr_Restore(type, value, traceback);
}

} // namespace tilewright::launcher
