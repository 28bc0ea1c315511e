// Reads the address, extent and dtype of tensors and arrays, by the fastest interface that their type has.

#include "tilewright/Launcher/Launcher.h"

#include "third_party/dlpack/DLPack.h"

namespace tilewright::launcher {

using namespace runtime;

//===----------------------------------------------------------------------===//
// Errors and locations
//===----------------------------------------------------------------------===//

static bool argumentError(Call &call, const Parameter &parameter, const std::string &message) {
  setError("ArgumentError", call.state, &parameter, message);
  return false;
}

static bool unreachable(Call &call, const Parameter &parameter, const std::string &device) {
  setError("DeviceError", call.state, &parameter,
           "is on " + device + ", which kernels can't reach; pass a copy in host memory (x.cpu())");
  return false;
}

static std::string textOf(PyObject *object) {
  Ref text = Ref::take(object ? PyObject_Str(object) : nullptr);
  const char *chars = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  PyErr_Clear();
  return chars ? chars : "?";
}

/// The text of an attribute; empty if there is none.
static std::string attributeText(PyObject *object, const char *name) {
  Ref attribute = Ref::take(PyObject_GetAttrString(object, name));
  if (!attribute) {
    PyErr_Clear();
    return "";
  }
  return textOf(attribute.get());
}

static std::string dtypeText(PyObject *object) {
  std::string text = attributeText(object, "dtype");
  return text.empty() ? "unknown" : text;
}

bool unknownType(Call &call, const Parameter &parameter, PyObject *object) {
  return argumentError(call, parameter, "has elements of type " + dtypeText(object) + ", which kernels do not support");
}

/// kNowhere if kernels cannot access the memory.
static Location locationOf(dlpack::Device device) {
  const MemoryType memory = static_cast<size_t>(device.type) < kMemoryTypes ? memoryTypes[device.type] : MemoryType();
  return {memory.device, memory.device == kHost ? 0 : device.id, memory.isManaged};
}

/// The location for a device name of PyTorch, such as "cpu" or "cuda:1".
static Location locationOf(llvm::StringRef device) {
  auto [name, number] = device.split(':');
  for (const DeviceKind *kind : deviceKinds()) {
    if (kind->isCalled(name)) {
      int32_t ordinal = 0;
      number.getAsInteger(10, ordinal);
      return {kind->type, kind->type == kHost ? 0 : ordinal};
    }
  }
  return {device.empty() ? kHost : kNowhere};
}

static std::string deviceName(dlpack::Device device) {
  std::string name = device.type == dlpack::Metal    ? "metal"
                     : device.type == dlpack::Vulkan ? "vulkan"
                     : device.type == dlpack::OneAPI ? "xpu"
                     : device.type == dlpack::OpenCL ? "opencl"
                                                     : "device type " + std::to_string(device.type);
  return name + ":" + std::to_string(device.id);
}

//===----------------------------------------------------------------------===//
// DLPack
//===----------------------------------------------------------------------===//

TypeInfo findExchangeTable(PyTypeObject *type) {
  // PyTorch 2.10 uses the second name.
  for (const char *name : {"__dlpack_c_exchange_api__", "__c_dlpack_exchange_api__"}) {
    Ref capsule = Ref::take(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), name));
    if (!capsule || !PyCapsule_IsValid(capsule.get(), "dlpack_exchange_api")) {
      PyErr_Clear();
      continue;
    }
    auto *table = static_cast<dlpack::ExchangeTable *>(PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
    while (table && table->version.major > 1) {
      table = table->previous;
    }
    if (table && table->version.major == 1) {
      return {TypeKind::ExchangeTable, reinterpret_cast<void *>(table->tensorFromObject), table->currentStream};
    }
  }
  return {};
}

static bool fromDLPack(Call &call, const Parameter &parameter, PyObject *object, const dlpack::Tensor &tensor,
                       ArrayArgument &array) {
  array.location = locationOf(tensor.device);
  if (array.location.type == kNowhere) {
    return unreachable(call, parameter, deviceName(tensor.device));
  }
  std::optional<DataType> type;
  if (tensor.type.lanes == 1) {
    type = dataTypeFromDLPack(tensor.type.code, tensor.type.bits);
  }
  if (!type) {
    return unknownType(call, parameter, object);
  }
  array.type = *type;
  array.address = reinterpret_cast<uintptr_t>(tensor.data) + tensor.byteOffset;
  unsigned bytes = bytesOf(*type);
  array.extent = extentOf(array.address, tensor.rank, tensor.shape, tensor.strides, bytes, bytes);
  if (!tensor.data && array.extent->begin < array.extent->end) {
    return argumentError(call, parameter, "has elements but no memory (a fake tensor?)");
  }
  return true;
}

/// A framework does not report why it cannot describe a tensor. Often the reason is the device.
static bool explainExchange(Call &call, const Parameter &parameter, PyObject *object) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  std::string device = attributeText(object, "device");
  PyErr_Restore(type, value, traceback);
  if (locationOf(device).type == kNowhere) {
    PyErr_Clear();
    return unreachable(call, parameter, device);
  }
  setErrorFromPending("ArgumentError", call.state, &parameter, "is a tensor without plain memory");
  return false;
}

static bool readExchange(Call &call, const Parameter &parameter, PyObject *object, const TypeInfo &info,
                         ArrayArgument &array) {
  dlpack::Tensor tensor;
  auto describe = reinterpret_cast<int (*)(void *, dlpack::Tensor *)>(info.exchange);
  if (describe(object, &tensor) != 0) {
    return explainExchange(call, parameter, object);
  }
  array.currentStream = info.currentStream;
  return fromDLPack(call, parameter, object, tensor, array);
}

static bool readDataPointer(Call &call, const Parameter &parameter, PyObject *object, ArrayArgument &array);

static bool readCapsule(Call &call, const Parameter &parameter, PyObject *object, ArrayArgument &array) {
  Ref capsule = Ref::take(PyObject_CallMethod(object, "__dlpack__", nullptr));
  if (!capsule) {
    // PyTorch versions without an exchange table reject tensors that require a gradient.
    if (PyErr_ExceptionMatches(PyExc_Exception) && PyObject_HasAttrString(object, "data_ptr")) {
      PyErr_Clear();
      return readDataPointer(call, parameter, object, array);
    }
    setErrorFromPending("ArgumentError", call.state, &parameter, "does not export its memory");
    return false;
  }
  call.keepAlive.push_back(capsule);
  if (PyCapsule_IsValid(capsule.get(), "dltensor")) {
    auto *managed = static_cast<dlpack::ManagedTensor *>(PyCapsule_GetPointer(capsule.get(), "dltensor"));
    return fromDLPack(call, parameter, object, managed->tensor, array);
  }
  if (PyCapsule_IsValid(capsule.get(), "dltensor_versioned")) {
    auto *managed = static_cast<dlpack::VersionedTensor *>(PyCapsule_GetPointer(capsule.get(), "dltensor_versioned"));
    if (managed->version.major == 1) {
      array.isReadOnly = managed->flags & dlpack::kReadOnly;
      return fromDLPack(call, parameter, object, managed->tensor, array);
    }
  }
  return argumentError(call, parameter, "uses an unsupported version of DLPack");
}

//===----------------------------------------------------------------------===//
// NumPy's array interface
//===----------------------------------------------------------------------===//

namespace {
/// The contents of the capsule of `__array_struct__`.
struct ArrayInterface {
  int two;
  int rank;
  char kind;
  int itemSize;
  int flags;
  Py_ssize_t *shape;
  Py_ssize_t *strides; // in bytes
  void *data;
  PyObject *description;
};
constexpr int arrayAligned = 0x100;
constexpr int arrayNotSwapped = 0x200;
constexpr int arrayWriteable = 0x400;
} // namespace

std::optional<DataType> typeByName(PyObject *object) {
  Ref dtype = Ref::take(PyObject_GetAttrString(object, "dtype"));
  if (!dtype) {
    PyErr_Clear();
    return std::nullopt;
  }
  std::string name = attributeText(dtype.get(), "name");
  return dataTypeFromName(name.empty() ? textOf(dtype.get()) : name);
}

static bool readArrayStruct(Call &call, const Parameter &parameter, PyObject *object, ArrayArgument &array) {
  static PyObject *attribute = PyUnicode_InternFromString("__array_struct__");
  Ref capsule = Ref::take(PyObject_GetAttr(object, attribute));
  auto *interface = static_cast<ArrayInterface *>(capsule ? PyCapsule_GetPointer(capsule.get(), nullptr) : nullptr);
  if (!interface || interface->two != 2) {
    setErrorFromPending("ArgumentError", call.state, &parameter, "has no usable __array_struct__");
    return false;
  }
  std::optional<DataType> type = dataTypeFromArrayKind(interface->kind, interface->itemSize);
  if (!type && interface->kind == 'V') {
    type = typeByName(object);
  }
  if (!type) {
    return unknownType(call, parameter, object);
  }
  if (interface->itemSize > 1 && !(interface->flags & arrayNotSwapped)) {
    return argumentError(call, parameter,
                         "has elements in the other byte order; pass x.astype(x.dtype.newbyteorder('='))");
  }
  if (!(interface->flags & arrayAligned)) {
    return argumentError(call, parameter, "has elements that are not aligned; pass a copy");
  }
  array.type = *type;
  array.isReadOnly = !(interface->flags & arrayWriteable);
  array.address = reinterpret_cast<uintptr_t>(interface->data);
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  array.extent = extentOf(array.address, interface->rank, reinterpret_cast<int64_t *>(interface->shape),
                          reinterpret_cast<int64_t *>(interface->strides), 1, interface->itemSize);
  call.keepAlive.push_back(std::move(capsule));
  return true;
}

//===----------------------------------------------------------------------===//
// data_ptr() and dtype
//===----------------------------------------------------------------------===//

static bool readNamedType(Call &call, const Parameter &parameter, PyObject *object, ArrayArgument &array) {
  std::optional<DataType> type = dataTypeFromName(dtypeText(object));
  if (!type) {
    return unknownType(call, parameter, object);
  }
  array.type = *type;
  return true;
}

static bool readDataPointer(Call &call, const Parameter &parameter, PyObject *object, ArrayArgument &array) {
  std::string device = attributeText(object, "device");
  array.location = locationOf(device);
  if (array.location.type == kNowhere) {
    return unreachable(call, parameter, device);
  }
  Ref address = Ref::take(PyObject_CallMethod(object, "data_ptr", nullptr));
  if (address) {
    array.address = PyLong_AsUnsignedLongLong(address.get());
  }
  if (PyErr_Occurred()) {
    setErrorFromPending("ArgumentError", call.state, &parameter, "does not return its address");
    return false;
  }
  return readNamedType(call, parameter, object, array);
}

bool readArray(Call &call, const Parameter &parameter, PyObject *object, const TypeInfo &info, ArrayArgument &array) {
  switch (info.kind) {
  case TypeKind::ExchangeTable:
    return readExchange(call, parameter, object, info, array);
  case TypeKind::ArrayStruct:
    return readArrayStruct(call, parameter, object, array);
  case TypeKind::DeviceArray:
    if (readDeviceArray(call, parameter, object, *info.device, array) || PyErr_Occurred()) {
      return !PyErr_Occurred();
    }
    return PyObject_HasAttrString(object, "__dlpack__") ? readCapsule(call, parameter, object, array)
                                                        : readDataPointer(call, parameter, object, array);
  case TypeKind::DLPack:
    return readCapsule(call, parameter, object, array);
  case TypeKind::Mock:
    array.extent = Extent{};
    array.location = {kNowhere};
    return readNamedType(call, parameter, object, array);
  default:
    return readDataPointer(call, parameter, object, array);
  }
}

} // namespace tilewright::launcher
