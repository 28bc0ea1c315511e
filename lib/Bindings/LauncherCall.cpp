// A launch from beginning to end.

#include "Launcher.h"

#include "tilewright/Runtime/KernelSupport.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace tilewright::bindings {

using namespace runtime;

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {

/// Lets go of the interpreter once a launch turns out to take its time, and looks for Ctrl-C from
/// then on. Handlers of signals run on the main thread only.
class PythonInterrupt : public Interrupt {
public:
  ~PythonInterrupt() override {
    if (released) {
      PyEval_RestoreThread(released);
    }
  }
  void becomesLong() override { released = PyEval_SaveThread(); }
  bool requested() override {
    if (!released || syscall(SYS_gettid) != getpid()) {
      return false;
    }
    PyEval_RestoreThread(released);
    bool raised = PyErr_CheckSignals() != 0;
    released = PyEval_SaveThread();
    return raised;
  }

private:
  PyThreadState *released = nullptr;
};

} // namespace

static bool explainFailure(Call &call, const Variant &variant, int32_t status) {
  Ref self = Ref::share(reinterpret_cast<PyObject *>(&call.launcher));
  Ref result = Ref::take(PyObject_CallMethod(self.get(), "_explain_failure", "Oi", variant.compiled.get(), status));
  if (result) {
    setError("DeviceAssertError", call.state, nullptr, "failed with code " + std::to_string(status));
  }
  return false;
}

static bool execute(Call &call, Variant &variant, const Grid &grid) {
  Result result;
  {
    PythonInterrupt interrupt;
    result = ThreadPool::instance().run({variant.entry, call.slots.data(), grid, variant.cost}, &interrupt);
    flushPrinted();
  }
  switch (result.outcome) {
  case Result::Finished:
    return true;
  case Result::Failed:
    return explainFailure(call, variant, result.status);
  case Result::Interrupted:
    return false; // with the exception that the signal's handler raised
  case Result::OutOfMemory:
    PyErr_Format(PyExc_MemoryError, "no memory for a kernel's scratch of %zu bytes per thread",
                 variant.entry.scratchBytes);
    return false;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Finding the variant
//===----------------------------------------------------------------------===//

/// Python works out anew what the kernel's code depends on, and sets epoch and watches.
static bool refresh(Call &call) {
  Ref self = Ref::share(reinterpret_cast<PyObject *>(&call.launcher));
  return bool(Ref::take(PyObject_CallMethod(self.get(), "_refresh", nullptr)));
}

/// Has Python compile the kernel for this launch.
static Variant *compile(Call &call, uint64_t hash) {
  Ref self = Ref::share(reinterpret_cast<PyObject *>(&call.launcher));
  Ref description = Ref::take(describeSignature(call));
  Ref method = Ref::take(description ? PyObject_GetAttrString(self.get(), "_compile") : nullptr);
  Ref made = Ref::take(method ? PyObject_CallObject(method.get(), description.get()) : nullptr);
  auto variant = std::make_unique<Variant>();
  PyObject *compiled = nullptr, *loaded = nullptr;
  if (!made || !PyArg_ParseTuple(made.get(), "OO", &compiled, &loaded) || !entryOf(loaded, variant->entry)) {
    return nullptr;
  }
  variant->hash = hash;
  variant->key = call.key.bytes();
  for (PyObject *object : call.objects) {
    variant->objects.push_back(Ref::share(object));
  }
  variant->compiled = Ref::share(compiled);
  variant->loaded = Ref::share(loaded);
  return call.state.variants.insert(std::move(variant));
}

static Variant *findVariant(Call &call) {
  uint64_t hash = hashKey(call.key.bytes());
  if (Variant *variant = call.state.variants.find(hash, call.key.bytes(), call.objects)) {
    return variant;
  }
  return PyErr_Occurred() ? nullptr : compile(call, hash);
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

static bool runHooks(Launcher &launcher, PyObject *const *args, size_t count, PyObject *keywords) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(launcher.preRunHooks); ++i) {
    Ref hook = Ref::share(PyList_GET_ITEM(launcher.preRunHooks, i));
    if (!Ref::take(PyObject_Vectorcall(hook.get(), args, count, keywords))) {
      return false;
    }
  }
  return true;
}

PyObject *launch(Launcher &launcher, PyObject *gridObject, PyObject *const *args, size_t count, PyObject *keywords,
                 bool run) {
  Call call(launcher);
  if (run && launcher.preRunHooks && !runHooks(launcher, args, count, keywords)) {
    return nullptr;
  }
  if (!bindArguments(call, args, count, keywords) || (!watchesHold(call.state) && !refresh(call))) {
    return nullptr;
  }
  call.key.word(call.state.epoch);
  Grid grid;
  if (!classifyArguments(call) || (run && !evaluateGrid(call, gridObject, grid))) {
    return nullptr;
  }
  Variant *variant = findVariant(call);
  if (!variant || (run && grid.programs > 0 && !execute(call, *variant, grid))) {
    return nullptr;
  }
  return Py_NewRef(variant->compiled.get());
}

} // namespace tilewright::bindings
