// Encodes a value as key bytes, which determine how it specializes the kernel, and as slots, which hold its value.
// Every leaf of an argument takes a slot, even if the code does not read it, and bytes that are passed by value
// several.

#include "tilewright/Launcher/Launcher.h"

namespace tilewright::launcher {

using namespace runtime;

namespace {

class Classifier {
public:
  Classifier(Call &call, const Parameter &parameter) : call(call), parameter(parameter) {}

  bool value(PyObject *object);

private:
  bool slow(PyObject *object, const TypeInfo &info);
  bool integer(PyObject *object);
  bool boolean(bool value);
  bool floating(double value);
  bool scalarFromInteger(IntegerValue value, DataType type);
  bool array(PyObject *object, const TypeInfo &info);
  bool tuple(PyObject *object);
  bool structure(PyObject *object);
  bool byValue(PyObject *object, size_t alignment);
  bool parts(PyObject *const *items, Py_ssize_t count);
  bool unsupported(PyObject *object);

  void addTyped(Tag tag, DataType type, uint8_t flags) {
    call.key.byte(static_cast<uint8_t>(tag));
    call.key.byte(static_cast<uint8_t>(type));
    call.key.byte(flags);
  }
  uint8_t divisibility(uint64_t value) const {
    return parameter.specialize && parameter.specializeAlignment && value % 16 == 0 ? divisibleBy16 : 0;
  }
  bool constant(PyObject *object) {
    call.slots.push_back(0);
    return addConstant(call, &parameter, object);
  }

  Call &call;
  const Parameter &parameter;
};

} // namespace

bool Classifier::value(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  if (type == &PyLong_Type) {
    return integer(object);
  }
  if (type == &PyFloat_Type) {
    return floating(PyFloat_AS_DOUBLE(object));
  }
  if (type == &PyBool_Type) {
    return boolean(object == Py_True);
  }
  if (object == Py_None) {
    call.key.byte(static_cast<uint8_t>(Tag::None));
    call.slots.push_back(0);
    return true;
  }
  return slow(object, typeInfoOf(type));
}

bool Classifier::slow(PyObject *object, const TypeInfo &info) {
  switch (info.kind) {
  case TypeKind::Integer:
    return integer(object);
  case TypeKind::Boolean: {
    int truth = PyObject_IsTrue(object);
    return truth >= 0 && boolean(truth);
  }
  case TypeKind::Float: {
    double number = PyFloat_AsDouble(object);
    return (number != -1 || !PyErr_Occurred()) && floating(number);
  }
  case TypeKind::Tuple:
    return tuple(object);
  case TypeKind::Structure:
    return structure(object);
  case TypeKind::ByValue:
    return byValue(object, info.alignment);
  case TypeKind::Wrapped:
  case TypeKind::Constant:
    return constant(object);
  case TypeKind::Unsupported:
    return unsupported(object);
  default:
    return array(object, info);
  }
}

bool Classifier::integer(PyObject *object) {
  Ref index = Ref::take(PyLong_Check(object) ? Py_NewRef(object) : PyNumber_Index(object));
  if (!index) {
    return false;
  }
  int overflow = 0;
  IntegerValue value;
  value.bits = static_cast<uint64_t>(PyLong_AsLongLongAndOverflow(index.get(), &overflow));
  if (overflow > 0) {
    value = {PyLong_AsUnsignedLongLong(index.get()), true};
    overflow = PyErr_Occurred() != nullptr;
  }
  if (overflow) {
    PyErr_Clear();
    setError("ArgumentError", call.state, &parameter, "is an integer beyond 64 bits");
    return false;
  }
  if (parameter.scalarType) {
    return scalarFromInteger(value, *parameter.scalarType);
  }
  call.slots.push_back(value.bits);
  if (value.bits == 1 && parameter.specialize) {
    call.key.byte(static_cast<uint8_t>(Tag::One));
  } else {
    addTyped(Tag::Scalar, narrowestType(value), divisibility(value.bits));
  }
  return true;
}

/// An integer for a parameter whose annotation specifies a type. It is never specialized to a constant.
bool Classifier::scalarFromInteger(IntegerValue value, DataType type) {
  if (!isInteger(type)) {
    return floating(value.beyondInt64 ? static_cast<double>(value.bits)
                                      : static_cast<double>(static_cast<int64_t>(value.bits)));
  }
  if (!fits(value, type)) {
    std::string number = value.beyondInt64 ? std::to_string(value.bits) : std::to_string(int64_t(value.bits));
    setError("ArgumentError", call.state, &parameter,
             "is " + number + ", which does not fit its type " + std::string(nameOf(type)));
    return false;
  }
  call.slots.push_back(value.bits);
  addTyped(Tag::Scalar, type, type == DataType::I1 ? 0 : divisibility(value.bits));
  return true;
}

bool Classifier::boolean(bool value) {
  if (parameter.scalarType) {
    return scalarFromInteger({value, false}, *parameter.scalarType);
  }
  call.slots.push_back(value);
  addTyped(Tag::Scalar, DataType::I1, 0);
  return true;
}

bool Classifier::floating(double value) {
  DataType type = parameter.scalarType.value_or(DataType::FP32);
  if (isInteger(type)) {
    setError("ArgumentError", call.state, &parameter, "is a float, but its type is " + std::string(nameOf(type)));
    return false;
  }
  call.slots.push_back(floatBits(value, type));
  addTyped(Tag::Scalar, type, 0);
  return true;
}

bool Classifier::array(PyObject *object, const TypeInfo &info) {
  ArrayArgument array;
  if (!readArray(call, parameter, object, info, array) || !recordDevice(call, parameter, array)) {
    return false;
  }
  if (array.address % bytesOf(array.type)) {
    setError("ArgumentError", call.state, &parameter,
             "starts at an address that is not a multiple of its element's size; pass a copy");
    return false;
  }
  if (array.extent) {
    call.extents.push_back(*array.extent);
  } else {
    call.extentsKnown = false;
  }
  call.arrays.push_back({&parameter, call.slots.size(), array.extent});
  if (array.isReadOnly) {
    call.readOnlyArrays.push_back(call.arrays.back());
  }
  call.slots.push_back(array.address);
  addTyped(Tag::Pointer, array.type, divisibility(array.address));
  return true;
}

bool Classifier::parts(PyObject *const *items, Py_ssize_t count) {
  if (Py_EnterRecursiveCall(" in a structure passed to a kernel")) {
    return false;
  }
  bool ok = true;
  for (Py_ssize_t i = 0; ok && i < count; ++i) {
    ok = value(items[i]);
  }
  Py_LeaveRecursiveCall();
  return ok;
}

bool Classifier::tuple(PyObject *object) {
  call.key.byte(static_cast<uint8_t>(Tag::Tuple));
  call.key.word(PyTuple_GET_SIZE(object));
  return addConstant(call, &parameter,
                     PyTuple_CheckExact(object) ? Py_None : reinterpret_cast<PyObject *>(Py_TYPE(object))) &&
         parts(&PyTuple_GET_ITEM(object, 0), PyTuple_GET_SIZE(object));
}

/// An object of a class with the value protocol: `flatten()` returns its parts and its key.
bool Classifier::structure(PyObject *object) {
  Ref flat = Ref::take(PyObject_CallMethod(object, "flatten", nullptr));
  if (!flat) {
    return false;
  }
  bool isPair = PyTuple_Check(flat.get()) && PyTuple_GET_SIZE(flat.get()) == 2;
  Ref items = Ref::take(isPair ? PySequence_Tuple(PyTuple_GET_ITEM(flat.get(), 0)) : nullptr);
  if (!items) {
    if (!PyErr_Occurred()) {
      setError("ArgumentError", call.state, &parameter, "has a flatten() that does not return its parts and its key");
    }
    return false;
  }
  // The parts may be objects that only the tuple owns.
  call.keepAlive.push_back(flat);
  call.keepAlive.push_back(items);
  call.key.byte(static_cast<uint8_t>(Tag::Structure));
  call.key.word(PyTuple_GET_SIZE(items.get()));
  return addConstant(call, &parameter, reinterpret_cast<PyObject *>(Py_TYPE(object))) &&
         addConstant(call, &parameter, PyTuple_GET_ITEM(flat.get(), 1)) &&
         parts(&PyTuple_GET_ITEM(items.get(), 0), PyTuple_GET_SIZE(items.get()));
}

/// Bytes that the kernel's code gets as they are, such as a CUDA tensor map.
bool Classifier::byValue(PyObject *object, size_t alignment) {
  Py_buffer bytes;
  if (PyObject_GetBuffer(object, &bytes, PyBUF_SIMPLE) < 0) {
    return false;
  }
  bool fits = ArgumentBlock::canHold(bytes.len, alignment);
  if (fits) {
    call.slots.append(bytes.buf, bytes.len, alignment);
    call.key.byte(static_cast<uint8_t>(Tag::ByValue));
    call.key.word(bytes.len);
    call.key.word(alignment);
  } else {
    setError("ArgumentError", call.state, &parameter,
             "is a structure of " + std::to_string(bytes.len) + " bytes aligned to " + std::to_string(alignment) +
                 "; at most 128 bytes can be passed by value, aligned to a power of two from 8 to 64 that divides "
                 "the size");
  }
  PyBuffer_Release(&bytes);
  return fits;
}

bool Classifier::unsupported(PyObject *object) {
  std::string type = Py_TYPE(object)->tp_name;
  std::string hint = PyList_Check(object) ? "; pass a tuple"
                                          : "; a value known when compiling goes to a parameter "
                                            "annotated tl.constexpr";
  setError("ArgumentError", call.state, &parameter,
           "is of type " + type +
               ", which can't be passed to a kernel: arguments are tensors, arrays, numbers, None "
               "and tuples and structures of these" +
               hint);
  return false;
}

bool classifyArguments(Call &call) {
  for (size_t i = 0; i < call.values.size(); ++i) {
    const Parameter &parameter = call.state.parameters[i];
    if (parameter.isConstexpr) {
      call.slots.push_back(0);
      if (!addConstant(call, &parameter, call.values[i])) {
        return false;
      }
    } else if (!Classifier(call, parameter).value(call.values[i])) {
      return false;
    }
  }
  bool disjoint = call.extentsKnown && pairwiseDisjoint(call.extents.data(), call.extents.size());
  call.key.byte(static_cast<uint8_t>(disjoint ? Tag::NoAlias : Tag::MayAlias));
  for (auto &[name, value] : call.options) {
    if (PyDict_Check(value)) { // has no hash; its pairs stand for it
      Ref items = Ref::take(PyDict_Items(value)), pairs = Ref::take(items ? PyList_AsTuple(items.get()) : nullptr);
      if (!pairs) {
        return false;
      }
      value = pairs.get();
      call.keepAlive.push_back(pairs);
    }
    call.key.byte(static_cast<uint8_t>(Tag::Option));
    if (!addConstant(call, nullptr, name) || !addConstant(call, nullptr, value)) {
      return false;
    }
  }
  return true;
}

} // namespace tilewright::launcher
