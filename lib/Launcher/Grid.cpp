// Evaluates the grid: an integer, a tuple or list of one to three integers, or a function of the kernel's arguments
// that returns one of these.

#include "tilewright/Launcher/Launcher.h"
namespace tilewright::launcher {

static bool gridError(const Call &call, const std::string &message) {
  setError("GridError", call.state, nullptr, message);
  return false;
}

static bool readAxis(const Call &call, PyObject *object, size_t axis, int64_t &value) {
  Ref held = Ref::share(object);
  Ref index = Ref::take(PyLong_Check(object) ? Py_NewRef(object) : PyNumber_Index(object));
  if (!index) {
    PyErr_Clear();
    return gridError(call, "axis " + std::to_string(axis) + " of the grid is of type " + Py_TYPE(object)->tp_name +
                               ", not an integer; tilewright.cdiv(n, BLOCK) counts blocks");
  }
  int overflow = 0;
  value = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
  if (overflow) {
    value = overflow < 0 ? INT64_MIN : INT64_MAX;
  }
  if (value < 0 || value > INT32_MAX) {
    std::string number = overflow ? "beyond 64 bits" : std::to_string(value);
    return gridError(call, "axis " + std::to_string(axis) + " of the grid is " + number + ", must be from 0 to " +
                               std::to_string(INT32_MAX));
  }
  return true;
}

/// A dictionary with the parameters' names as keys.
static Ref nameParameters(const Call &call) {
  Ref names = Ref::take(PyDict_New());
  for (const Parameter &parameter : call.state.parameters) {
    if (!names || PyDict_SetItem(names.get(), parameter.name.get(), Py_None) < 0) {
      return {};
    }
  }
  return names;
}

/// Calls the function with the dict {parameter: argument}, which includes the options.
static PyObject *callGrid(const Call &call, PyObject *function) {
  // A copy of a dictionary with the same keys is faster than one that grows.
  Ref &names = call.state.namedArguments;
  if (!names) {
    names = nameParameters(call);
  }
  Ref arguments = Ref::take(names ? PyDict_Copy(names.get()) : nullptr);
  if (!arguments) {
    return nullptr;
  }
  for (size_t i = 0; i < call.values.size(); ++i) {
    if (PyDict_SetItem(arguments.get(), call.state.parameters[i].name.get(), call.values[i]) < 0) {
      return nullptr;
    }
  }
  for (auto [name, value] : call.options) {
    if (PyDict_SetItem(arguments.get(), name, value) < 0) {
      return nullptr;
    }
  }
  return PyObject_CallOneArg(function, arguments.get());
}

bool evaluateGrid(const Call &call, PyObject *object, runtime::Grid &grid) {
  Ref owned;
  // A tl.constexpr that holds a function is callable, too.
  if (!PyTuple_Check(object) && !PyIndex_Check(object) && PyCallable_Check(object)) {
    owned = Ref::take(callGrid(call, object));
    if (!owned) {
      return false;
    }
    object = owned.get();
  }
  std::array<int64_t, 3> axes = {1, 1, 1};
  if (PyTuple_Check(object) || PyList_Check(object)) {
    size_t count = PySequence_Fast_GET_SIZE(object);
    if (count < 1) {
      return gridError(call, "a grid has one to three axes, not 0");
    }
    for (size_t axis = 0; axis < count; ++axis) {
      // An element's __index__ may have shrunk the list.
      if (axis >= static_cast<size_t>(PySequence_Fast_GET_SIZE(object))) {
        return gridError(call, "the grid changed while it was read");
      }
      int64_t further = 1; // programs written for Triton have more axes than three, of one program each
      if (!readAxis(call, PySequence_Fast_GET_ITEM(object, axis), axis, axis < axes.size() ? axes[axis] : further)) {
        return false;
      }
      if (further != 1) {
        return gridError(call, "a grid has three axes, and further ones of one program; axis " + std::to_string(axis) +
                                   " has " + std::to_string(further));
      }
    }
  } else if (!PyIndex_Check(object)) {
    return gridError(call, std::string("a grid is an integer, a tuple of up to three, or a function that returns one; "
                                       "not of type ") +
                               Py_TYPE(object)->tp_name);
  } else if (!readAxis(call, object, 0, axes[0])) {
    return false;
  }
  std::optional<runtime::Grid> made = runtime::Grid::make(axes);
  if (!made) {
    return gridError(call, "the grid has more than 2^63 - 1 programs");
  }
  grid = *made;
  return true;
}

} // namespace tilewright::launcher
