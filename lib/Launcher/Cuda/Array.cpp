// Reads arrays in GPU memory by their __cuda_array_interface__ (Numba, CuPy): a dict with shape, typestr, data, strides
// and stream.

#include "Device.h"

#include "tilewright/Launcher/Launcher.h"

#include "tilewright/Runtime/Cuda/Platform.h"

#include <cstdlib>
#include <cstring>

namespace tilewright::launcher {

using namespace runtime;

static bool malformed(Call &call, const Parameter &parameter) {
  if (PyErr_Occurred()) {
    setErrorFromPending("ArgumentError", call.state, &parameter, "has a malformed __cuda_array_interface__");
  } else {
    setError("ArgumentError", call.state, &parameter, "has a malformed __cuda_array_interface__");
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
static bool readType(Call &call, const Parameter &parameter, PyObject *object, PyObject *text, ArrayArgument &array) {
  const char *chars = text && PyUnicode_Check(text) ? PyUnicode_AsUTF8(text) : nullptr;
  if (!chars || std::strlen(chars) < 3) {
    return malformed(call, parameter);
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

/// Finds the device that owns the address.
static bool locate(DeviceType type, Call &call, const Parameter &parameter, ArrayArgument &array) {
  if (!array.address) {
    array.location = {kNowhere}; // an empty array has no location
    return true;
  }
  cuda::Platform &platform = cuda::Platform::instance();
  if (!platform.problem().empty()) {
    setError("DeviceError", call.state, &parameter, "is on a CUDA device, and there is none: " + platform.problem());
    return false;
  }
  int ordinal = 0;
  cuda::Status status = platform.driver().pointerGetAttribute(&ordinal, cuda::PointerAttribute::DeviceOrdinal,
                                                              static_cast<cuda::DevicePointer>(array.address));
  if (status != cuda::Status::Success) {
    setError("DeviceError", call.state, &parameter, "starts at an address that is on no CUDA device");
    return false;
  }
  array.location = {type, ordinal};
  return true;
}

/// Reads the integers of the interface: the array's address, extent and stream.
static bool readMemory(Call &call, const Parameter &parameter, PyObject *interface, ArrayArgument &array) {
  PyObject *data = itemOf(interface, "data"), *strides = itemOf(interface, "strides");
  PyObject *stream = itemOf(interface, "stream");
  llvm::SmallVector<int64_t, 8> shape, steps;
  if (!data || !PyTuple_Check(data) || PyTuple_GET_SIZE(data) != 2 ||
      !readIntegers(itemOf(interface, "shape"), shape) ||
      (strides && (!readIntegers(strides, steps) || steps.size() != shape.size()))) {
    return malformed(call, parameter);
  }
  array.address = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(data, 0));
  array.isReadOnly = PyObject_IsTrue(PyTuple_GET_ITEM(data, 1)) == 1;
  if (stream) {
    array.stream = PyLong_AsUnsignedLongLong(stream);
  }
  if (PyErr_Occurred()) {
    return malformed(call, parameter);
  }
  unsigned bytes = bytesOf(array.type);
  array.extent = extentOf(array.address, shape.size(), shape.data(), strides ? steps.data() : nullptr, 1, bytes);
  return true;
}

bool CudaDevices::readArray(Call &call, const Parameter &parameter, PyObject *object, ArrayArgument &array) const {
  static PyObject *attribute = PyUnicode_InternFromString(arrayAttribute);
  Ref interface = Ref::take(PyObject_GetAttr(object, attribute));
  if (!interface) {
    // The framework also has arrays on the host. Keep exceptions such as KeyboardInterrupt.
    if (PyErr_ExceptionMatches(PyExc_Exception)) {
      PyErr_Clear();
    }
    return false;
  }
  if (!PyDict_Check(interface.get())) {
    return malformed(call, parameter);
  }
  return readType(call, parameter, object, itemOf(interface.get(), "typestr"), array) &&
         readMemory(call, parameter, interface.get(), array) && locate(type, call, parameter, array);
}

} // namespace tilewright::launcher
