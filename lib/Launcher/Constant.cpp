// Encodes compile-time values in keys: numbers, strings, dtypes and tuples by value, all other objects by identity. For
// a different object only the front end's record can determine whether the kernel would be the same. The __eq__ of the
// object's class is not called, because it may ignore attributes that the kernel reads.

#include "tilewright/Launcher/Launcher.h"

#include <cstring>

namespace tilewright::launcher {

/// Whether equal objects of the type are interchangeable: strings, integers beyond 64 bits, dtypes.
static bool hasValue(PyTypeObject *type) {
  if (type == &PyUnicode_Type || type == &PyLong_Type || type == &PyBytes_Type) {
    return true;
  }
  const char *dot = std::strrchr(type->tp_name, '.');
  return std::strcmp(dot ? dot + 1 : type->tp_name, "dtype") == 0;
}

static bool addObject(Call &call, const Parameter *parameter, PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  Py_hash_t hash = hasValue(type) ? PyObject_Hash(object) : 0;
  if (hash == -1 || type->tp_hash == PyObject_HashNotImplemented) {
    PyErr_Clear();
    setError("ArgumentError", call.state, parameter,
             "is a constant and must be hashable: unhashable type: '" + std::string(type->tp_name) + "'");
    return false;
  }
  call.key.byte(static_cast<uint8_t>(Tag::Object));
  call.key.word(static_cast<uint64_t>(hash));
  call.objects.push_back(object);
  return true;
}

static bool addTuple(Call &call, const Parameter *parameter, PyObject *tuple) {
  call.key.byte(static_cast<uint8_t>(Tag::Tuple));
  call.key.word(PyTuple_GET_SIZE(tuple));
  if (PyTuple_CheckExact(tuple)) {
    call.key.byte(static_cast<uint8_t>(Tag::None));
  } else if (!addObject(call, parameter, reinterpret_cast<PyObject *>(Py_TYPE(tuple)))) {
    return false;
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    if (!addConstant(call, parameter, PyTuple_GET_ITEM(tuple, i))) {
      return false;
    }
  }
  return true;
}

bool addConstant(Call &call, const Parameter *parameter, PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  if (type == &PyLong_Type) {
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow) {
      return addObject(call, parameter, object);
    }
    call.key.byte(static_cast<uint8_t>(Tag::Integer));
    call.key.word(static_cast<uint64_t>(value));
  } else if (type == &PyBool_Type) {
    call.key.byte(static_cast<uint8_t>(object == Py_True ? Tag::True : Tag::False));
  } else if (object == Py_None) {
    call.key.byte(static_cast<uint8_t>(Tag::None));
  } else if (type == &PyFloat_Type) {
    // By bits: 0.0 and -0.0 are different constants, and a NaN is equal to itself.
    double value = PyFloat_AS_DOUBLE(object);
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    call.key.byte(static_cast<uint8_t>(Tag::Float));
    call.key.word(bits);
  } else if (PyTuple_Check(object) && type->tp_dictoffset == 0) {
    // A named tuple without instance attributes is determined by its class and its items.
    return addTuple(call, parameter, object);
  } else if (type != &PyUnicode_Type && typeInfoOf(type).kind == TypeKind::Wrapped) {
    Ref value = Ref::take(PyObject_GetAttrString(object, "value"));
    if (!value) {
      return false;
    }
    call.keepAlive.push_back(value);
    return addConstant(call, parameter, value.get());
  } else {
    return addObject(call, parameter, object);
  }
  return true;
}

bool sameConstant(PyObject *a, PyObject *b) {
  if (a == b || Py_TYPE(a) != Py_TYPE(b) || !hasValue(Py_TYPE(a))) {
    return a == b;
  }
  int equal = PyObject_RichCompareBool(a, b, Py_EQ);
  if (equal == -1) {
    PyErr_Clear();
  }
  return equal == 1;
}

} // namespace tilewright::launcher
