// Determines how values of a Python type are passed, once per type.

#include "tilewright/Launcher/Launcher.h"

#include <cstring>
#include <unordered_map>

namespace tilewright::launcher {

static bool has(PyTypeObject *type, const char *attribute) {
  return PyObject_HasAttrString(reinterpret_cast<PyObject *>(type), attribute);
}

/// Whether a class with this qualified name is among the type's bases.
static bool derivesFrom(PyTypeObject *type, const char *name) {
  for (Py_ssize_t i = 0; type->tp_mro && i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
    PyObject *base = PyTuple_GET_ITEM(type->tp_mro, i);
    if (PyType_Check(base) && std::strcmp(reinterpret_cast<PyTypeObject *>(base)->tp_name, name) == 0) {
      return true;
    }
  }
  return false;
}

/// The name of the class without its module. The tp_name of a type from C includes the module, that of a type from
/// Python does not.
static const char *shortName(PyTypeObject *type) {
  const char *dot = std::strrchr(type->tp_name, '.');
  return dot ? dot + 1 : type->tp_name;
}

static TypeKind scalarKind(PyTypeObject *type) {
  if (PyType_IsSubtype(type, &PyLong_Type) || derivesFrom(type, "numpy.integer")) {
    return TypeKind::Integer;
  }
  if (derivesFrom(type, "numpy.bool") || derivesFrom(type, "numpy.bool_")) {
    return TypeKind::Boolean;
  }
  if (PyType_IsSubtype(type, &PyFloat_Type) || derivesFrom(type, "numpy.floating")) {
    return TypeKind::Float;
  }
  return TypeKind::Unsupported;
}

static bool isConstant(PyTypeObject *type) {
  // Strings, dtypes of the language and of PyTorch, and @jit functions.
  return PyType_IsSubtype(type, &PyUnicode_Type) || std::strcmp(shortName(type), "dtype") == 0 ||
         has(type, "__tilewright_kernel__");
}

/// The alignment of a type whose bytes are passed by value; 0 for other types.
static size_t byValueAlignment(PyTypeObject *type) {
  Ref alignment = Ref::take(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__tilewright_by_value__"));
  size_t bytes = alignment && PyLong_Check(alignment.get()) ? PyLong_AsSize_t(alignment.get()) : 0;
  bool failed = PyErr_Occurred();
  PyErr_Clear();
  return failed ? 0 : bytes;
}

static TypeInfo arrayInfo(PyTypeObject *type) {
  if (has(type, "__tilewright_mock__")) {
    return {TypeKind::Mock};
  }
  if (has(type, "__array_struct__")) {
    return {TypeKind::ArrayStruct};
  }
  for (const DeviceKind *device : deviceKinds()) {
    if (device->arrayAttribute && has(type, device->arrayAttribute)) {
      return {TypeKind::DeviceArray, nullptr, nullptr, device};
    }
  }
  if (has(type, "__dlpack__")) {
    return {TypeKind::DLPack};
  }
  return {has(type, "data_ptr") ? TypeKind::DataPointer : TypeKind::Unsupported};
}

static TypeInfo inspectType(PyTypeObject *type) {
  if (TypeInfo exchange = findExchangeTable(type); exchange.exchange) {
    return exchange;
  }
  if (TypeKind kind = scalarKind(type); kind != TypeKind::Unsupported) {
    return {kind};
  }
  if (PyType_IsSubtype(type, &PyTuple_Type)) {
    return {TypeKind::Tuple};
  }
  if (has(type, "__tilewright_value__")) {
    return {TypeKind::Structure};
  }
  if (size_t alignment = byValueAlignment(type)) {
    TypeInfo info{TypeKind::ByValue};
    info.alignment = alignment;
    return info;
  }
  if (std::strcmp(shortName(type), "constexpr") == 0) {
    return {TypeKind::Wrapped};
  }
  if (isConstant(type)) {
    return {TypeKind::Constant};
  }
  if (TypeInfo info = arrayInfo(type); info.kind != TypeKind::Unsupported) {
    return info;
  }
  bool index = type->tp_as_number && type->tp_as_number->nb_index;
  return {index ? TypeKind::Integer : TypeKind::Unsupported};
}

const TypeInfo &typeInfoOf(PyTypeObject *type) {
  // Types in the map are kept alive, so that their addresses are not reused. Arguments often have the type of the one
  // before.
  static auto &known = *new std::unordered_map<PyTypeObject *, TypeInfo>();
  static PyTypeObject *latestType = nullptr;
  static const TypeInfo *latest = nullptr;
  if (type == latestType) {
    return *latest;
  }
  auto found = known.find(type);
  if (found == known.end()) {
    TypeInfo info = inspectType(type);
    Py_INCREF(type);
    found = known.emplace(type, info).first;
  }
  latestType = type;
  latest = &found->second;
  return *latest;
}

} // namespace tilewright::launcher
