// Decodes the bytes of a key to the description of a launch for the compiler: for each parameter a descriptor
// ("*fp32:D", "i32", ...), a constant or a tuple of these; whether arrays are disjoint; the options; and the device.

#include "tilewright/Launcher/Launcher.h"

#include <cstring>

namespace tilewright::launcher {

namespace {

class Decoder {
public:
  explicit Decoder(const Call &call) : bytes(call.key.bytes()), objects(call.objects) {}

  bool atEnd() const { return position == bytes.size(); }
  Tag tag() { return static_cast<Tag>(bytes[position++]); }
  PyObject *value(bool isConstexpr);

private:
  uint64_t word() {
    uint64_t value;
    std::memcpy(&value, bytes.data() + position, sizeof(value));
    position += sizeof(value);
    return value;
  }
  PyObject *typed(bool isPointer);
  Ref parts(Py_ssize_t count, bool isConstexpr);
  PyObject *tuple(bool isConstexpr);
  PyObject *structure();
  PyObject *object(bool isConstexpr);

  std::string_view bytes;
  llvm::ArrayRef<PyObject *> objects;
  size_t position = 0;
  size_t nextObject = 0;
};

} // namespace

/// The text of a descriptor, from a function of python/tilewright/language/descriptor.py.
template <typename... Arguments> static PyObject *descriptor(const char *function, Arguments... arguments) {
  Ref module = Ref::take(PyImport_ImportModule("tilewright.language.descriptor"));
  return module ? PyObject_CallMethod(module.get(), function, arguments...) : nullptr;
}

PyObject *Decoder::typed(bool isPointer) {
  auto type = static_cast<runtime::DataType>(bytes[position++]);
  bool isDivisible = bytes[position++] & divisibleBy16;
  return descriptor("describe_typed", "sOO", std::string(nameOf(type)).c_str(), isPointer ? Py_True : Py_False,
                    isDivisible ? Py_True : Py_False);
}

Ref Decoder::parts(Py_ssize_t count, bool isConstexpr) {
  Ref items = Ref::take(PyTuple_New(count));
  for (Py_ssize_t i = 0; items && i < count; ++i) {
    PyObject *item = value(isConstexpr);
    if (!item) {
      return {};
    }
    PyTuple_SET_ITEM(items.get(), i, item);
  }
  return items;
}

PyObject *Decoder::structure() {
  Py_ssize_t count = static_cast<Py_ssize_t>(word());
  Ref type = Ref::take(value(true)), key = Ref::take(type ? value(true) : nullptr);
  Ref items = key ? parts(count, false) : Ref();
  Ref protocol = Ref::take(items ? PyImport_ImportModule("tilewright.language.value") : nullptr);
  return protocol ? PyObject_CallMethod(protocol.get(), "Described", "OOO", type.get(), key.get(), items.get())
                  : nullptr;
}

PyObject *Decoder::tuple(bool isConstexpr) {
  Py_ssize_t count = static_cast<Py_ssize_t>(word());
  Ref type = Ref::take(value(true));
  Ref items = type ? parts(count, isConstexpr) : Ref();
  if (!items || type.get() == Py_None) {
    return items.release();
  }
  // Create named tuples without running the code of their class.
  Ref arguments = Ref::take(PyTuple_Pack(1, items.get()));
  return arguments ? PyTuple_Type.tp_new(reinterpret_cast<PyTypeObject *>(type.get()), arguments.get(), nullptr)
                   : nullptr;
}

/// Descriptors are strings. A constant that is a string is wrapped in a constexpr to distinguish it.
PyObject *Decoder::object(bool isConstexpr) {
  word();
  PyObject *object = objects[nextObject++];
  if (isConstexpr || !PyUnicode_Check(object)) {
    return Py_NewRef(object);
  }
  Ref language = Ref::take(PyImport_ImportModule("tilewright.language"));
  return language ? PyObject_CallMethod(language.get(), "constexpr", "O", object) : nullptr;
}

PyObject *Decoder::value(bool isConstexpr) {
  switch (tag()) {
  case Tag::One:
    return PyLong_FromLong(1);
  case Tag::Scalar:
    return typed(false);
  case Tag::Pointer:
    return typed(true);
  case Tag::Tuple:
    return tuple(isConstexpr);
  case Tag::Structure:
    return structure();
  case Tag::ByValue: {
    uint64_t bytes = word(), alignment = word();
    return descriptor("describe_bytes", "KK", static_cast<unsigned long long>(bytes),
                      static_cast<unsigned long long>(alignment));
  }
  case Tag::Integer:
    return PyLong_FromLongLong(static_cast<long long>(word()));
  case Tag::True:
    return Py_NewRef(Py_True);
  case Tag::False:
    return Py_NewRef(Py_False);
  case Tag::Float: {
    uint64_t bits = word();
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return PyFloat_FromDouble(value);
  }
  case Tag::Object:
    return object(isConstexpr);
  default:
    return Py_NewRef(Py_None);
  }
}

PyObject *describeSignature(const Call &call) {
  Decoder decoder(call);
  size_t count = call.state.parameters.size();
  Ref signature = Ref::take(PyTuple_New(count));
  for (size_t i = 0; signature && i < count; ++i) {
    PyObject *value = decoder.value(call.state.parameters[i].isConstexpr);
    if (!value) {
      return nullptr;
    }
    PyTuple_SET_ITEM(signature.get(), i, value);
  }
  bool disjoint = decoder.tag() == Tag::NoAlias;
  Ref options = Ref::take(signature ? PyDict_New() : nullptr);
  while (options && !decoder.atEnd() && decoder.tag() == Tag::Option) {
    Ref name = Ref::take(decoder.value(true)), value = Ref::take(name ? decoder.value(true) : nullptr);
    if (!value || PyDict_SetItem(options.get(), name.get(), value.get()) < 0) {
      return nullptr;
    }
  }
  if (options && ((!call.specializeRanges && PyDict_SetItemString(options.get(), "specialize_ranges", Py_False) < 0) ||
                  (!call.takesTensorMaps && PyDict_SetItemString(options.get(), "tensor_maps", Py_False) < 0))) {
    return nullptr;
  }
  Ref device = Ref::take(options ? describeDevice(call) : nullptr);
  return device ? Py_BuildValue("(OOOO)", signature.get(), options.get(), disjoint ? Py_True : Py_False, device.get())
                : nullptr;
}

} // namespace tilewright::launcher
