// Checks whether the dependencies of a variant have changed. The comparison is by identity and takes some nanoseconds
// per variable. Only if it fails, Python compares by value.
//
// The front end records the dependencies while it compiles the variant (python/tilewright/dependencies).

#include "tilewright/Launcher/Launcher.h"

namespace tilewright::launcher {

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

/// The references keep the objects alive: reading an attribute may run Python code that replaces the watches.
static bool attributeHolds(const Watch &watch) {
  Ref container = watch.container, name = watch.name, expected = watch.value;
  Ref found = Ref::take(PyObject_GetAttr(container.get(), name.get()));
  if (!found) {
    PyErr_Clear();
  }
  return found.get() == expected.get();
}

static bool listHolds(PyObject *list, PyObject *items) {
  Py_ssize_t count = PyTuple_GET_SIZE(items);
  if (PyList_GET_SIZE(list) != count) {
    return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (PyList_GET_ITEM(list, i) != PyTuple_GET_ITEM(items, i)) {
      return false;
    }
  }
  return true;
}

static bool dictHolds(PyObject *dict, PyObject *items) {
  if (2 * PyDict_GET_SIZE(dict) != PyTuple_GET_SIZE(items)) {
    return false;
  }
  PyObject *key, *value;
  Py_ssize_t position = 0, i = 0;
  while (PyDict_Next(dict, &position, &key, &value)) {
    if (key != PyTuple_GET_ITEM(items, i) || value != PyTuple_GET_ITEM(items, i + 1)) {
      return false;
    }
    i += 2;
  }
  return true;
}

/// The iteration order of an unchanged set is the same.
static bool setHolds(PyObject *set, PyObject *items) {
  if (PySet_GET_SIZE(set) != PyTuple_GET_SIZE(items)) {
    return false;
  }
  Ref iterator = Ref::take(PyObject_GetIter(set));
  for (Py_ssize_t i = 0; iterator && i < PyTuple_GET_SIZE(items); ++i) {
    Ref item = Ref::take(PyIter_Next(iterator.get()));
    if (item.get() != PyTuple_GET_ITEM(items, i)) {
      PyErr_Clear();
      return false;
    }
  }
  PyErr_Clear();
  return bool(iterator);
}

/// A number that changes whenever the dictionary does; 0 if this version of Python has none.
static uint64_t versionOf(PyObject *dict) {
#if PY_VERSION_HEX < 0x030E0000
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  return reinterpret_cast<PyDictObject *>(dict)->ma_version_tag;
#pragma GCC diagnostic pop
#else
  return 0;
#endif
}

/// A borrowed reference to the dictionary of a class; null if it has none.
static PyObject *membersOf(PyObject *type) { return reinterpret_cast<PyTypeObject *>(type)->tp_dict; }

static bool contentHolds(Watch &watch) {
  PyObject *container = watch.container.get(), *items = watch.value.get();
  if (PyList_Check(container)) {
    return listHolds(container, items);
  }
  if (PyAnySet_Check(container)) {
    return setHolds(container, items);
  }
  PyObject *dict = PyType_Check(container) ? membersOf(container) : container;
  uint64_t version = dict ? versionOf(dict) : 0;
  if (version && version == watch.version) {
    return true;
  }
  if (!dict || !dictHolds(dict, items)) {
    return false;
  }
  watch.version = version;
  return true;
}

static bool entryHolds(Watch &watch) {
  // Most dictionaries have not changed at all.
  uint64_t version = versionOf(watch.container.get());
  if (version && version == watch.version) {
    return true;
  }
  PyObject *found = PyDict_GetItemWithError(watch.container.get(), watch.name.get());
  if (!found) {
    PyErr_Clear();
  }
  if (found != watch.value.get()) {
    return false;
  }
  watch.version = version;
  return true;
}

static bool holds(Watch &watch) {
  switch (watch.kind) {
  case Watch::Entry:
    return entryHolds(watch);
  case Watch::Cell:
    return PyCell_GET(watch.container.get()) == watch.value.get();
  case Watch::Attribute:
    return attributeHolds(watch);
  case Watch::Content:
    return contentHolds(watch);
  case Watch::Never:
    break;
  }
  return false;
}

bool dependenciesUnchanged(Variant &variant) {
  // Iterate by index, because reading an attribute may run code that replaces the watches.
  for (size_t i = 0; i < variant.watches.size(); ++i) {
    if (!holds(variant.watches[i])) {
      return false;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Dependencies from Python
//===----------------------------------------------------------------------===//

static bool readWatch(PyObject *item, Watch &watch) {
  PyObject *container, *name, *value = nullptr;
  if (!PyArg_ParseTuple(item, "OO|O", &container, &name, &value)) {
    return false;
  }
  watch.kind = Watch::Attribute;
  watch.container = Ref::share(container);
  watch.name = Ref::share(name);
  watch.value = Ref::share(value);
  if (container == Py_None) {
    watch.kind = Watch::Never;
  } else if (name == Py_None) {
    watch.kind = Watch::Content;
    bool isContainer = PyList_Check(container) || PyDict_Check(container) || PyAnySet_Check(container);
    if (!value || !PyTuple_Check(value) || !(isContainer || PyType_Check(container))) {
      PyErr_SetString(PyExc_TypeError, "the content of a list, a dict, a set or a class must be given as a tuple");
      return false;
    }
  } else if (PyDict_CheckExact(container)) {
    watch.kind = Watch::Entry;
  } else if (PyCell_Check(container)) {
    watch.kind = Watch::Cell;
  }
  return true;
}

static bool readWatches(Variant &variant) {
  Ref list = Ref::take(PyObject_GetAttrString(variant.dependencies.get(), "watches"));
  Ref items = Ref::take(list ? PySequence_Tuple(list.get()) : nullptr);
  if (!items) {
    return false;
  }
  std::vector<Watch> watches(PyTuple_GET_SIZE(items.get()));
  for (size_t i = 0; i < watches.size(); ++i) {
    if (!readWatch(PyTuple_GET_ITEM(items.get(), i), watches[i])) {
      return false;
    }
  }
  // The old watches are destroyed at the end, because that may run Python code.
  std::swap(variant.watches, watches);
  return true;
}

bool setDependencies(Variant &variant, PyObject *dependencies) {
  variant.dependencies = Ref::share(dependencies);
  if (dependencies != Py_None) {
    return readWatches(variant);
  }
  auto watches = std::exchange(variant.watches, {});
  return true;
}

int recheck(Variant &variant) {
  Ref dependencies = variant.dependencies;
  Ref same = Ref::take(PyObject_CallMethod(dependencies.get(), "recheck", nullptr));
  int holds = same ? PyObject_IsTrue(same.get()) : -1;
  return holds == 1 && !readWatches(variant) ? -1 : holds;
}

void invalidateWatches(VariantTable &variants) {
  // The old watches are destroyed after each iteration, which may run Python code that inserts variants.
  for (size_t i = 0; i < variants.all().size(); ++i) {
    Variant &variant = *variants.all()[i];
    if (variant.dependencies.get() != Py_None) {
      auto old = std::exchange(variant.watches, {Watch()});
    }
  }
}

int visitWatches(const Variant &variant, visitproc visit, void *arg) {
  Py_VISIT(variant.dependencies.get());
  for (const Watch &watch : variant.watches) {
    Py_VISIT(watch.container.get());
    Py_VISIT(watch.name.get());
    Py_VISIT(watch.value.get());
  }
  return 0;
}

} // namespace tilewright::launcher
