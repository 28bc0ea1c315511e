// The Python types of launches: Launcher, the base class of JITFunction, and BoundGrid, the result of `kernel[grid]`.

#include "tilewright/Launcher/Launcher.h"

#include <structmember.h>

#include <pybind11/pybind11.h>

namespace tilewright::launcher {

namespace {

//===----------------------------------------------------------------------===//
// BoundGrid
//===----------------------------------------------------------------------===//

struct BoundGrid {
  PyObject_HEAD vectorcallfunc call;
  PyObject *launcher;
  PyObject *grid;
};

PyTypeObject *boundGridType = nullptr;
/// The last deallocated BoundGrid, which the next launch reuses.
BoundGrid *spareBoundGrid = nullptr;

PyObject *callBoundGrid(PyObject *self, PyObject *const *args, size_t flags, PyObject *keywords) {
  auto *bound = reinterpret_cast<BoundGrid *>(self);
  return launchAny(bound->launcher, bound->grid, args, PyVectorcall_NARGS(flags), keywords);
}

} // namespace

PyObject *makeBoundGrid(PyObject *launcher, PyObject *grid) {
  BoundGrid *bound = std::exchange(spareBoundGrid, nullptr);
  if (bound) {
    Py_SET_REFCNT(bound, 1);
  } else {
    bound = PyObject_GC_New(BoundGrid, boundGridType);
  }
  if (!bound) {
    return nullptr;
  }
  bound->call = callBoundGrid;
  bound->launcher = Py_NewRef(launcher);
  bound->grid = Py_NewRef(grid);
  PyObject_GC_Track(bound);
  return reinterpret_cast<PyObject *>(bound);
}

namespace {

int traverseBoundGrid(PyObject *self, visitproc visit, void *arg) {
  auto *bound = reinterpret_cast<BoundGrid *>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(bound->launcher);
  Py_VISIT(bound->grid);
  return 0;
}

int clearBoundGrid(PyObject *self) {
  auto *bound = reinterpret_cast<BoundGrid *>(self);
  Py_CLEAR(bound->launcher);
  Py_CLEAR(bound->grid);
  return 0;
}

void deallocateBoundGrid(PyObject *self) {
  PyObject_GC_UnTrack(self);
  clearBoundGrid(self);
  if (!spareBoundGrid) {
    spareBoundGrid = reinterpret_cast<BoundGrid *>(self);
    return;
  }
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

PyMemberDef boundGridMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(BoundGrid, call), READONLY, nullptr},
    {"kernel", T_OBJECT, offsetof(BoundGrid, launcher), READONLY, "The @jit function."},
    {"grid", T_OBJECT, offsetof(BoundGrid, grid), READONLY, "The grid between the brackets."},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot boundGridSlots[] = {{Py_tp_doc, const_cast<char *>("A kernel with its grid; calling it launches.")},
                                {Py_tp_dealloc, reinterpret_cast<void *>(deallocateBoundGrid)},
                                {Py_tp_traverse, reinterpret_cast<void *>(traverseBoundGrid)},
                                {Py_tp_clear, reinterpret_cast<void *>(clearBoundGrid)},
                                {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
                                {Py_tp_members, boundGridMembers},
                                {0, nullptr}};

PyType_Spec boundGridSpec = {"tilewright._core.BoundGrid", sizeof(BoundGrid), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                                 Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             boundGridSlots};

//===----------------------------------------------------------------------===//
// Launcher
//===----------------------------------------------------------------------===//

Launcher *launcherOf(PyObject *self) { return reinterpret_cast<Launcher *>(self); }

PyObject *newLauncher(PyTypeObject *type, PyObject *, PyObject *) {
  PyObject *self = type->tp_alloc(type, 0);
  if (self) {
    launcherOf(self)->state = new LauncherState();
    launcherOf(self)->preRunHooks = PyList_New(0);
  }
  return self;
}

bool readParameter(PyObject *item, Parameter &parameter) {
  PyObject *name, *defaultValue;
  const char *scalarType;
  int hasDefault, isConstexpr, keywordOnly, collects, specialize, specializeAlignment;
  if (!PyArg_ParseTuple(item, "UpOpppppz", &name, &hasDefault, &defaultValue, &isConstexpr, &keywordOnly, &collects,
                        &specialize, &specializeAlignment, &scalarType)) {
    return false;
  }
  Py_INCREF(name);
  PyUnicode_InternInPlace(&name);
  parameter.name = Ref::take(name);
  parameter.defaultValue = hasDefault ? Ref::share(defaultValue) : Ref();
  parameter.isConstexpr = isConstexpr;
  parameter.keywordOnly = keywordOnly;
  parameter.collects = collects;
  parameter.specialize = specialize;
  parameter.specializeAlignment = specializeAlignment;
  parameter.scalarType = scalarType ? runtime::dataTypeFromName(scalarType) : std::nullopt;
  return true;
}

int initLauncher(PyObject *self, PyObject *args, PyObject *) {
  const char *label;
  PyObject *items;
  if (!PyArg_ParseTuple(args, "sO!", &label, &PyList_Type, &items)) {
    return -1;
  }
  LauncherState &state = *launcherOf(self)->state;
  state.label = label;
  std::vector<Parameter> parameters(PyList_GET_SIZE(items));
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!readParameter(PyList_GET_ITEM(items, i), parameters[i])) {
      return -1;
    }
  }
  auto collects = [](const Parameter &parameter) { return parameter.collects; };
  auto found = llvm::find_if(parameters, collects);
  state.collecting = found == parameters.end() ? std::nullopt : std::optional<size_t>(found - parameters.begin());
  state.parameters = std::move(parameters);
  return 0;
}

int traverseLauncher(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Launcher *launcher = launcherOf(self);
  Py_VISIT(launcher->preRunHooks);
  if (LauncherState *state = launcher->state) {
    for (const Parameter &parameter : state->parameters) {
      Py_VISIT(parameter.defaultValue.get());
    }
    for (const std::unique_ptr<Variant> &variant : state->variants.all()) {
      Py_VISIT(variant->compiled.get());
      if (int result = visitWatches(*variant, visit, arg)) {
        return result;
      }
      for (const Ref &object : variant->objects) {
        Py_VISIT(object.get());
      }
    }
  }
  return 0;
}

int clearLauncher(PyObject *self) {
  Launcher *launcher = launcherOf(self);
  Py_CLEAR(launcher->preRunHooks);
  if (LauncherState *state = launcher->state) {
    auto parameters = std::exchange(state->parameters, {});
    state->variants.clear();
  }
  return 0;
}

void deallocateLauncher(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clearLauncher(self);
  delete std::exchange(launcherOf(self)->state, nullptr);
  type->tp_free(self);
  Py_DECREF(type);
}

/// _prepare(*args, **kwargs): returns the compiled kernel that a launch with these arguments would use.
PyObject *prepare(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
  return launch(*launcherOf(self), nullptr, args, count, keywords, false);
}

/// _launch(grid, *args, **kwargs): launches, even if a program has replaced the method `run`.
PyObject *launchDirectly(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
  if (count < 1) {
    PyErr_SetString(PyExc_TypeError, "_launch takes a grid");
    return nullptr;
  }
  return launch(*launcherOf(self), args[0], args + 1, count - 1, keywords, true);
}

/// _invalidate(): the next launch of each variant compares by value what it depends on.
PyObject *invalidate(PyObject *self, PyObject *) {
  invalidateWatches(launcherOf(self)->state->variants);
  return Py_NewRef(Py_None);
}

PyMethodDef launcherMethods[] = {{"_prepare", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(prepare)),
                                  METH_FASTCALL | METH_KEYWORDS, nullptr},
                                 {"_launch",
                                  reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(launchDirectly)),
                                  METH_FASTCALL | METH_KEYWORDS, nullptr},
                                 {"_invalidate", invalidate, METH_NOARGS, nullptr},
                                 {nullptr, nullptr, 0, nullptr}};

PyMemberDef launcherMembers[] = {
    {"pre_run_hooks", T_OBJECT, offsetof(Launcher, preRunHooks), READONLY, "Called with every launch's arguments."},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot launcherSlots[] = {{Py_tp_doc, const_cast<char *>("Launches a kernel: launcher[grid](arguments).")},
                               {Py_tp_new, reinterpret_cast<void *>(newLauncher)},
                               {Py_tp_init, reinterpret_cast<void *>(initLauncher)},
                               {Py_tp_dealloc, reinterpret_cast<void *>(deallocateLauncher)},
                               {Py_tp_traverse, reinterpret_cast<void *>(traverseLauncher)},
                               {Py_tp_clear, reinterpret_cast<void *>(clearLauncher)},
                               {Py_mp_subscript, reinterpret_cast<void *>(makeBoundGrid)},
                               {Py_tp_methods, launcherMethods},
                               {Py_tp_members, launcherMembers},
                               {0, nullptr}};

PyType_Spec launcherSpec = {"tilewright._core.Launcher", sizeof(Launcher), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, launcherSlots};

PyTypeObject *launcherType = nullptr;

} // namespace

bool isLauncher(PyObject *object) { return PyObject_TypeCheck(object, launcherType); }

void bindLauncher(pybind11::module_ &module) {
  launcherType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&launcherSpec));
  boundGridType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&boundGridSpec));
  PyObject *wrappedKernelType = makeWrappedKernelType();
  if (!launcherType || !boundGridType || !wrappedKernelType) {
    throw pybind11::error_already_set();
  }
  module.def(
      "exchange_default_target",
      [](const pybind11::object &target) {
        return pybind11::reinterpret_steal<pybind11::object>(exchangeDefaultTarget(target.ptr()));
      },
      pybind11::arg("target"),
      "Sets the default target, or None, of launches of this thread. Returns the previous one.");
  module.def(
      "exchange_launch_hooks",
      [](const pybind11::object &hooks) {
        return pybind11::reinterpret_steal<pybind11::object>(exchangeLaunchHooks(hooks.ptr()));
      },
      pybind11::arg("hooks"),
      "Sets the object, or None, whose methods enter(function, kernel, grid, arguments) and exit(entered) are called\n"
      "around each launch. Returns the previous one.");
  module.def(
      "set_default_run", [](const pybind11::object &run) { setDefaultRun(run.ptr()); }, pybind11::arg("run"),
      "Sets the method `run` of @jit functions; launches call the method of the class if it is another one.");
  module.add_object("Launcher",
                    pybind11::reinterpret_borrow<pybind11::object>(reinterpret_cast<PyObject *>(launcherType)));
  module.add_object("WrappedKernel", pybind11::reinterpret_steal<pybind11::object>(wrappedKernelType));
  module.add_object("BoundGrid",
                    pybind11::reinterpret_borrow<pybind11::object>(reinterpret_cast<PyObject *>(boundGridType)));
}

} // namespace tilewright::launcher
