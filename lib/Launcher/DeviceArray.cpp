// Reads arrays in GPU memory by their __cuda_array_interface__ (Numba, CuPy): a dict with shape, typestr, data, strides
// and stream. It does not name the device, and several kinds of devices use it.

#include "tilewright/Launcher/Launcher.h"

#include <cstdlib>
#include <cstring>

namespace tilewright::launcher {

using namespace runtime;

static bool malformed(Call &call, const Parameter &parameter, const DeviceKind &kind) {
  std::string message = std::string("has a malformed ") + kind.arrayAttribute;
  if (PyErr_Occurred()) {
    setErrorFromPending("ArgumentError", call.state, &parameter, message);
  } else {
    setError("ArgumentError", call.state, &parameter, message);
  }
  return false;
}

/// A borrowed reference; null if the dict has no such item, or it is None.
static PyObject *itemOf(PyObject *dict, const char *name) {
  PyObject *item = PyDict_GetItemString(dict, name);
  return item == Py_None ? nullptr : item;
}

static bool readIntegers(PyObject *tuple, llvm::SmallVectorImpl<int64_t> &values) {
  if (!tuple || !PyTuple_Check(tuple)) {
    return false;
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    values.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, i)));
  }
  return !PyErr_Occurred();
}

/// Reads a typestr such as "<f4": byte order, kind, size.
static bool readType(Call &call, const Parameter &parameter, PyObject *object, PyObject *text, const DeviceKind &kind,
                     ArrayArgument &array) {
  const char *chars = text && PyUnicode_Check(text) ? PyUnicode_AsUTF8(text) : nullptr;
  if (!chars || std::strlen(chars) < 3) {
    return malformed(call, parameter, kind);
  }
  unsigned bytes = static_cast<unsigned>(std::strtoul(chars + 2, nullptr, 10));
  std::optional<DataType> type = dataTypeFromArrayKind(chars[1], bytes);
  if (!type) {
    type = typeByName(object);
  }
  if (!type || bytesOf(*type) != bytes || (chars[0] == '>' && bytes > 1)) {
    return unknownType(call, parameter, object);
  }
  array.type = *type;
  return true;
}

/// Finds the device that owns the address, among those of all kinds with the attribute. `kind` is the first of them.
static bool locate(Call &call, const Parameter &parameter, const DeviceKind &kind, ArrayArgument &array) {
  if (!array.address) {
    array.location = {kNowhere}; // an empty array has no location
    return true;
  }
  const DeviceKind *present = nullptr;
  for (const DeviceKind *other : deviceKinds()) {
    if (!other->arrayAttribute || std::strcmp(other->arrayAttribute, kind.arrayAttribute) != 0 ||
        !other->problem().empty()) {
      continue;
    }
    if (std::optional<int32_t> ordinal = other->ownerOf(array.address)) {
      array.location = {other->type, *ordinal};
      return true;
    }
    present = present ? present : other;
  }
  std::string message = present
                            ? std::string("starts at an address that is on no ") + present->title + " device"
                            : std::string("is on a ") + kind.title + " device, and there is none: " + kind.problem();
  setError("DeviceError", call.state, &parameter, message);
  return false;
}

/// Reads the integers of the interface: the array's address, extent and stream.
static bool readMemory(Call &call, const Parameter &parameter, PyObject *interface, const DeviceKind &kind,
                       ArrayArgument &array) {
  PyObject *data = itemOf(interface, "data"), *strides = itemOf(interface, "strides");
  PyObject *stream = itemOf(interface, "stream");
  llvm::SmallVector<int64_t, 8> shape, steps;
  if (!data || !PyTuple_Check(data) || PyTuple_GET_SIZE(data) != 2 ||
      !readIntegers(itemOf(interface, "shape"), shape) ||
      (strides && (!readIntegers(strides, steps) || steps.size() != shape.size()))) {
    return malformed(call, parameter, kind);
  }
  array.address = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(data, 0));
  array.isReadOnly = PyObject_IsTrue(PyTuple_GET_ITEM(data, 1)) == 1;
  if (stream) {
    array.stream = PyLong_AsUnsignedLongLong(stream);
  }
  if (PyErr_Occurred()) {
    return malformed(call, parameter, kind);
  }
  unsigned bytes = bytesOf(array.type);
  array.extent = extentOf(array.address, shape.size(), shape.data(), strides ? steps.data() : nullptr, 1, bytes);
  return true;
}

/// The attribute's name as a Python object, which each launch needs. There are few names.
static PyObject *internedName(const char *attribute) {
  static llvm::SmallVector<std::pair<const char *, PyObject *>, 2> names;
  for (auto [name, object] : names) {
    if (name == attribute) {
      return object;
    }
  }
  return names.emplace_back(attribute, PyUnicode_InternFromString(attribute)).second;
}

bool readDeviceArray(Call &call, const Parameter &parameter, PyObject *object, const DeviceKind &kind,
                     ArrayArgument &array) {
  Ref interface = Ref::take(PyObject_GetAttr(object, internedName(kind.arrayAttribute)));
  if (!interface) {
    // The framework also has arrays on the host. Keep exceptions such as KeyboardInterrupt.
    if (PyErr_ExceptionMatches(PyExc_Exception)) {
      PyErr_Clear();
    }
    return false;
  }
  if (!PyDict_Check(interface.get())) {
    return malformed(call, parameter, kind);
  }
  return readType(call, parameter, object, itemOf(interface.get(), "typestr"), kind, array) &&
         readMemory(call, parameter, interface.get(), kind, array) && locate(call, parameter, kind, array);
}

} // namespace tilewright::launcher
