// WrappedKernel: the base class of kernels that launch another one with further keyword arguments, which autotuning has
// chosen or heuristics compute (python/tilewright/tuning). The first launch with arguments of a kind calls the method
// `run` of the Python class; later ones are done here.
//
// `run` enters the choices of an autotuned kernel into the dictionary `_choices`. The key is a tuple: the values of the
// arguments that distinguish choices, and a description of each argument. Without the dictionary, each launch calls
// `run`.

#include "tilewright/Launcher/Launcher.h"

#include "third_party/dlpack/DLPack.h"

#include "llvm/ADT/STLExtras.h"

#include <structmember.h>

namespace tilewright::launcher {

namespace {

/// Python sets the members; null and None mean that a member is not set.
struct WrappedKernel {
  PyObject_HEAD PyObject *inner; // the kernel that is wrapped
  PyObject *names;               // tuple: the names of its parameters, interned
  PyObject *defaultRun;          // the method `run` whose launches are done here
  // Of autotuned kernels.
  PyObject *keys;       // tuple of integers: the parameters whose values distinguish choices
  PyObject *choices;    // dictionary: key -> (configuration, names, values, place)
  PyObject *bestConfig; // of the latest launch
  PyObject *place;
  // Of kernels with heuristics.
  PyObject *computedNames; // tuple of interned strings
  PyObject *functions;     // tuple of functions
  // The names of the latest launch and what was appended to them.
  PyObject *lastKeywords, *lastAdded, *lastJoined;
};

/// A launch: the arguments of a vectorcall.
struct Arguments {
  PyObject *grid;
  PyObject *const *values;
  size_t count;
  PyObject *keywords;

  size_t keywordCount() const { return keywords ? PyTuple_GET_SIZE(keywords) : 0; }
  llvm::ArrayRef<PyObject *> all() const { return {values, count + keywordCount()}; }
};

WrappedKernel &wrapped(PyObject *self) { return *reinterpret_cast<WrappedKernel *>(self); }

bool isSet(PyObject *member) { return member && member != Py_None; }

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// An integer for the device of a tensor with DLPack's C functions.
PyObject *describeDevice(PyObject *tensor, const TypeInfo &info) {
  dlpack::Tensor described;
  if (reinterpret_cast<int (*)(void *, dlpack::Tensor *)>(info.exchange)(tensor, &described) != 0) {
    return nullptr; // the launch reports the error
  }
  return PyLong_FromUnsignedLongLong(static_cast<uint64_t>(described.device.type) << 32 |
                                     static_cast<uint32_t>(described.device.id));
}

/// The part of a key for an argument besides its value. Null if `run` has to find the choice, with or without an
/// exception. Sets `device` at the first tensor: the others are on the same one, or the launch fails.
PyObject *describe(PyObject *object, Ref &device) {
  static PyObject *dtype = PyUnicode_InternFromString("dtype");
  PyTypeObject *type = Py_TYPE(object);
  if (type == &PyLong_Type || type == &PyFloat_Type || type == &PyBool_Type || object == Py_None) {
    return Py_NewRef(Py_None);
  }
  const TypeInfo &info = typeInfoOf(type);
  switch (info.kind) {
  case TypeKind::ExchangeTable:
    if (!device) {
      device = Ref::take(describeDevice(object, info));
    }
    return device ? PyObject_GetAttr(object, dtype) : nullptr;
  case TypeKind::ArrayStruct:
    return PyObject_GetAttr(object, dtype);
  case TypeKind::Integer:
  case TypeKind::Boolean:
  case TypeKind::Float:
  case TypeKind::Wrapped:
  case TypeKind::Constant:
    return Py_NewRef(reinterpret_cast<PyObject *>(type));
  default:
    return nullptr;
  }
}

/// The index of a name among the parameters, or their number.
size_t indexOf(PyObject *names, PyObject *name, size_t hint) {
  size_t count = PyTuple_GET_SIZE(names);
  for (size_t i = 0; i < count; ++i) {
    size_t index = (hint + i) % count;
    if (PyTuple_GET_ITEM(names, index) == name) {
      return index;
    }
  }
  return count;
}

/// Puts the arguments of parameters in the parameters' order; null where there is none. Returns false if `run` has to
/// find out what the arguments mean.
bool bind(const WrappedKernel &self, const Arguments &arguments, llvm::SmallVectorImpl<PyObject *> &bound) {
  size_t arity = PyTuple_GET_SIZE(self.names);
  if (arguments.count > arity) {
    return false;
  }
  bound.assign(arguments.values, arguments.values + arguments.count);
  bound.resize(arity, nullptr);
  for (size_t i = 0; i < arguments.keywordCount(); ++i) {
    PyObject *name = PyTuple_GET_ITEM(arguments.keywords, i);
    size_t index = indexOf(self.names, name, arguments.count + i);
    if (index < arity) {
      bound[index] = arguments.values[arguments.count + i];
    } else if (!PyUnicode_CHECK_INTERNED(name) || PyUnicode_CompareWithASCIIString(name, "target") == 0) {
      return false; // it may name a parameter; a target changes where the launch runs
    }
  }
  return true;
}

/// The key of a launch: the values of the key's arguments, a description of each argument, the device, and the default
/// target. Empty without an exception if `run` has to find the choice.
Ref keyOf(const WrappedKernel &self, const Arguments &arguments) {
  llvm::SmallVector<PyObject *, 32> bound;
  if (!isSet(self.names) || !isSet(self.keys) || !bind(self, arguments, bound)) {
    return {};
  }
  Py_ssize_t keys = PyTuple_GET_SIZE(self.keys), size = keys + static_cast<Py_ssize_t>(bound.size()) + 2;
  Ref key = Ref::take(PyTuple_New(size)), device;
  for (Py_ssize_t i = 0; key && i < keys; ++i) {
    size_t index = PyLong_AsSize_t(PyTuple_GET_ITEM(self.keys, i));
    PyObject *value = index < bound.size() ? bound[index] : nullptr;
    PyTuple_SET_ITEM(key.get(), i, Py_NewRef(value ? value : Py_Ellipsis));
  }
  for (Py_ssize_t i = keys; key && i + 2 < size; ++i) {
    PyObject *part = bound[i - keys] ? describe(bound[i - keys], device) : Py_NewRef(Py_Ellipsis);
    if (!part) {
      PyErr_Clear();
      return {};
    }
    PyTuple_SET_ITEM(key.get(), i, part);
  }
  if (key) {
    PyObject *target = exchangeDefaultTarget(Py_None);
    Ref none = Ref::take(exchangeDefaultTarget(target));
    PyTuple_SET_ITEM(key.get(), size - 1, target);
    PyTuple_SET_ITEM(key.get(), size - 2, device ? device.release() : Py_NewRef(Py_None));
  }
  return key;
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

/// Calls `run(*arguments, grid=grid, warmup=False)`.
PyObject *callRun(PyObject *self, const Arguments &arguments) {
  static PyObject *run = PyUnicode_InternFromString("run");
  static PyObject *added =
      Py_BuildValue("(NN)", PyUnicode_InternFromString("grid"), PyUnicode_InternFromString("warmup"));
  Ref names = arguments.keywords ? Ref::take(PySequence_Concat(arguments.keywords, added)) : Ref::share(added);
  if (!names) {
    return nullptr;
  }
  llvm::SmallVector<PyObject *, 40> stack = {self};
  stack.append(arguments.all().begin(), arguments.all().end());
  stack.append({arguments.grid, Py_False});
  return PyObject_VectorcallMethod(run, stack.data(), 1 + arguments.count, names.get());
}

/// The names of keyword arguments with further ones. Null without an exception if a name is in both.
PyObject *join(WrappedKernel &self, PyObject *keywords, PyObject *added) {
  if (!keywords || PyTuple_GET_SIZE(keywords) == 0) {
    return added;
  }
  if (self.lastKeywords == keywords && self.lastAdded == added) {
    return self.lastJoined;
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(added); ++i) {
    int found = PySequence_Contains(keywords, PyTuple_GET_ITEM(added, i));
    if (found != 0) {
      return nullptr;
    }
  }
  PyObject *joined = PySequence_Concat(keywords, added);
  if (joined) {
    Py_XSETREF(self.lastKeywords, Py_NewRef(keywords));
    Py_XSETREF(self.lastAdded, Py_NewRef(added));
    Py_XSETREF(self.lastJoined, joined);
  }
  return joined;
}

/// Launches the wrapped kernel with further keyword arguments.
PyObject *launchInner(WrappedKernel &self, const Arguments &arguments, PyObject *names,
                      llvm::ArrayRef<PyObject *> added) {
  Ref inner = Ref::share(self.inner ? self.inner : Py_None), joined = Ref::share(join(self, arguments.keywords, names));
  if (!joined) {
    return PyErr_Occurred() ? nullptr : callRun(reinterpret_cast<PyObject *>(&self), arguments);
  }
  llvm::SmallVector<PyObject *, 40> stack(arguments.all());
  stack.append(added.begin(), added.end());
  return launchAny(inner.get(), arguments.grid, stack.data(), arguments.count, joined.get());
}

bool isChoice(PyObject *entry) {
  return PyTuple_Check(entry) && PyTuple_GET_SIZE(entry) == 4 && PyTuple_Check(PyTuple_GET_ITEM(entry, 1)) &&
         PyTuple_Check(PyTuple_GET_ITEM(entry, 2)) &&
         PyTuple_GET_SIZE(PyTuple_GET_ITEM(entry, 1)) == PyTuple_GET_SIZE(PyTuple_GET_ITEM(entry, 2));
}

/// Launches with the configuration that was chosen for arguments like these.
PyObject *launchTuned(WrappedKernel &self, const Arguments &arguments) {
  // Comparing keys may run Python code, which may replace the dictionary.
  Ref choices = Ref::share(self.choices), key = keyOf(self, arguments);
  PyObject *found = key ? PyDict_GetItemWithError(choices.get(), key.get()) : nullptr;
  if (!found) {
    PyErr_Clear(); // an argument that can't be hashed, which `run` reports
    return callRun(reinterpret_cast<PyObject *>(&self), arguments);
  }
  Ref choice = Ref::share(found);
  PyObject *names = isChoice(found) ? PyTuple_GET_ITEM(found, 1) : nullptr;
  if (!names) {
    PyErr_SetString(PyExc_TypeError, "a choice is a tuple of a configuration, names, values and a place");
    return nullptr;
  }
  PyObject *values = PyTuple_GET_ITEM(found, 2);
  Py_XSETREF(self.bestConfig, Py_NewRef(PyTuple_GET_ITEM(found, 0)));
  Py_XSETREF(self.place, Py_NewRef(PyTuple_GET_ITEM(found, 3)));
  return launchInner(self, arguments, names, {&PyTuple_GET_ITEM(values, 0), size_t(PyTuple_GET_SIZE(values))});
}

/// A dictionary of the arguments by name.
Ref named(const WrappedKernel &self, const Arguments &arguments) {
  Ref all = Ref::take(PyDict_New());
  for (size_t i = 0; all && i < arguments.all().size(); ++i) {
    PyObject *name = i < arguments.count ? PyTuple_GET_ITEM(self.names, i)
                                         : PyTuple_GET_ITEM(arguments.keywords, i - arguments.count);
    if (PyDict_SetItem(all.get(), name, arguments.values[i]) < 0) {
      return {};
    }
  }
  return all;
}

/// Launches with the values that the functions compute from the arguments.
PyObject *launchComputed(WrappedKernel &self, const Arguments &arguments) {
  if (arguments.count > static_cast<size_t>(PyTuple_GET_SIZE(self.names))) {
    return callRun(reinterpret_cast<PyObject *>(&self), arguments);
  }
  Ref names = Ref::share(self.computedNames), functions = Ref::share(self.functions);
  if (!join(self, arguments.keywords, names.get())) {
    return PyErr_Occurred() ? nullptr : callRun(reinterpret_cast<PyObject *>(&self), arguments);
  }
  Ref all = named(self, arguments);
  llvm::SmallVector<PyObject *, 8> values;
  for (Py_ssize_t i = 0; all && i < PyTuple_GET_SIZE(functions.get()); ++i) {
    // Each function gets a dictionary of its own, which it may change.
    bool isLast = i + 1 == PyTuple_GET_SIZE(functions.get());
    Ref given = isLast ? Ref::share(all.get()) : Ref::take(PyDict_Copy(all.get()));
    Ref value = Ref::take(given ? PyObject_CallOneArg(PyTuple_GET_ITEM(functions.get(), i), given.get()) : nullptr);
    if (!value || PyDict_SetItem(all.get(), PyTuple_GET_ITEM(names.get(), i), value.get()) < 0) {
      all = {};
      break;
    }
    values.push_back(value.release());
  }
  PyObject *launched = all ? launchInner(self, arguments, names.get(), values) : nullptr;
  for (PyObject *value : values) {
    Py_DECREF(value);
  }
  return launched;
}

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

PyTypeObject *wrappedKernelType = nullptr;

/// _key_of(*args, **kwargs): the key of a launch in `_choices`, or None if a launch can't use it.
PyObject *keyOfLaunch(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
  Ref key = keyOf(wrapped(self), {nullptr, args, static_cast<size_t>(count), keywords});
  return key || PyErr_Occurred() ? key.release() : Py_NewRef(Py_None);
}

constexpr PyObject *WrappedKernel::*members[] = {
    &WrappedKernel::inner,     &WrappedKernel::names,        &WrappedKernel::defaultRun, &WrappedKernel::keys,
    &WrappedKernel::choices,   &WrappedKernel::bestConfig,   &WrappedKernel::place,      &WrappedKernel::computedNames,
    &WrappedKernel::functions, &WrappedKernel::lastKeywords, &WrappedKernel::lastAdded,  &WrappedKernel::lastJoined};

int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  for (PyObject *WrappedKernel::*member : members) {
    Py_VISIT(wrapped(self).*member);
  }
  return 0;
}

int clear(PyObject *self) {
  for (PyObject *WrappedKernel::*member : members) {
    Py_CLEAR(wrapped(self).*member);
  }
  return 0;
}

void deallocate(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMethodDef methods[] = {{"_key_of", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(keyOfLaunch)),
                          METH_FASTCALL | METH_KEYWORDS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

PyMemberDef memberDefinitions[] = {
    {"fn", T_OBJECT, offsetof(WrappedKernel, inner), 0, "The kernel that is wrapped."},
    {"best_config", T_OBJECT, offsetof(WrappedKernel, bestConfig), 0, "The configuration of the latest launch."},
    {"_names", T_OBJECT, offsetof(WrappedKernel, names), 0, nullptr},
    {"_default_run", T_OBJECT, offsetof(WrappedKernel, defaultRun), 0, nullptr},
    {"_keys", T_OBJECT, offsetof(WrappedKernel, keys), 0, nullptr},
    {"_choices", T_OBJECT, offsetof(WrappedKernel, choices), 0, nullptr},
    {"_place", T_OBJECT, offsetof(WrappedKernel, place), 0, nullptr},
    {"_computed_names", T_OBJECT, offsetof(WrappedKernel, computedNames), 0, nullptr},
    {"_functions", T_OBJECT, offsetof(WrappedKernel, functions), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_doc, const_cast<char *>("A kernel that launches another one.")},
                       {Py_tp_dealloc, reinterpret_cast<void *>(deallocate)},
                       {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void *>(clear)},
                       {Py_mp_subscript, reinterpret_cast<void *>(makeBoundGrid)},
                       {Py_tp_methods, methods},
                       {Py_tp_members, memberDefinitions},
                       {0, nullptr}};

PyType_Spec spec = {"tilewright._core.WrappedKernel", sizeof(WrappedKernel), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, slots};

/// The method `run` of @jit functions, as it is defined. A program may replace it for a while, to see launches.
PyObject *defaultRun = nullptr;

/// The method `run` that a class has or inherits, borrowed; null if there is none.
PyObject *runOf(PyTypeObject *type) {
  static PyObject *name = PyUnicode_InternFromString("run");
  return _PyType_Lookup(type, name);
}

/// Whether the type has a method `run` other than that of @jit functions.
bool replacesRun(PyTypeObject *type) {
  PyObject *run = runOf(type);
  return run && run != defaultRun;
}

} // namespace

PyObject *makeWrappedKernelType() {
  PyObject *type = PyType_FromSpec(&spec);
  wrappedKernelType = reinterpret_cast<PyTypeObject *>(type);
  return type;
}

void setDefaultRun(PyObject *run) { Py_XSETREF(defaultRun, Py_NewRef(run)); }

PyObject *launchAny(PyObject *kernel, PyObject *grid, PyObject *const *args, size_t count, PyObject *keywords) {
  Arguments arguments{grid, args, count, keywords};
  if (isLauncher(kernel)) {
    return replacesRun(Py_TYPE(kernel))
               ? callRun(kernel, arguments)
               : launch(*reinterpret_cast<Launcher *>(kernel), grid, args, count, keywords, true);
  }
  if (!PyObject_TypeCheck(kernel, wrappedKernelType)) {
    return callRun(kernel, arguments);
  }
  WrappedKernel &self = wrapped(kernel);
  if (!isSet(self.defaultRun) || runOf(Py_TYPE(kernel)) != self.defaultRun) {
    return callRun(kernel, arguments);
  }
  if (isSet(self.choices) && PyDict_Check(self.choices)) {
    return launchTuned(self, arguments);
  }
  bool computes = isSet(self.functions) && isSet(self.computedNames) && isSet(self.names);
  return computes ? launchComputed(self, arguments) : callRun(kernel, arguments);
}

} // namespace tilewright::launcher
