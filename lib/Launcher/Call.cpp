// A launch from beginning to end.

#include "tilewright/Launcher/Launcher.h"
#include "tilewright/Launcher/LoadedKernel.h"

namespace tilewright::launcher {

using namespace runtime;

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Calls Python to load the code onto the device of this launch. If another thread does so at the same time, both get
/// the same object.
static bool load(const Call &call, Variant &variant) {
  Ref device = Ref::take(describeDevice(call));
  Ref method = Ref::take(device ? PyObject_GetAttrString(variant.compiled.get(), "load") : nullptr);
  Ref loaded = Ref::take(method ? PyObject_CallOneArg(method.get(), device.get()) : nullptr);
  LoadedKernel *code = loaded ? loadedKernelOf(loaded.get()) : nullptr;
  if (code && !variant.code) {
    variant.loaded = std::move(loaded);
    variant.code = code;
  }
  return code;
}

//===----------------------------------------------------------------------===//
// Launching
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

/// An object whose method `enter` is called before each launch and whose method `exit` is called after it with the
/// result of `enter`. Null if there is none.
static PyObject *launchHooks = nullptr;

PyObject *exchangeLaunchHooks(PyObject *hooks) {
  PyObject *old = std::exchange(launchHooks, hooks == Py_None ? nullptr : Py_NewRef(hooks));
  return old ? old : Py_NewRef(Py_None);
}

static bool execute(Call &call, Variant &variant, const Grid &grid) {
  return (variant.code || load(call, variant)) && variant.code->launch(call, variant.compiled.get(), grid);
}

static Ref tupleOf(const Call &call) {
  Ref values = Ref::take(PyTuple_New(static_cast<Py_ssize_t>(call.values.size())));
  for (size_t i = 0; values && i < call.values.size(); ++i) {
    PyTuple_SET_ITEM(values.get(), i, Py_NewRef(call.values[i]));
  }
  return values;
}

/// Calls `hooks.enter(function, kernel, grid, arguments)`, launches, and calls `hooks.exit`.
static bool executeBetweenHooks(Call &call, Variant &variant, const Grid &grid) {
  Ref hooks = Ref::share(launchHooks), values = tupleOf(call);
  long long x = grid.axes[0], y = grid.axes[1], z = grid.axes[2];
  Ref entered = Ref::take(values ? PyObject_CallMethod(hooks.get(), "enter", "OO(LLL)O", &call.launcher,
                                                       variant.compiled.get(), x, y, z, values.get())
                                 : nullptr);
  return entered && execute(call, variant, grid) &&
         Ref::take(PyObject_CallMethod(hooks.get(), "exit", "(O)", entered.get()));
}

static PyObject *bindAndLaunch(Launcher &launcher, PyObject *gridObject, PyObject *const *args, size_t count,
                               PyObject *keywords, bool run) {
  Call call(launcher);
  if (run && launcher.preRunHooks && !runHooks(launcher, args, count, keywords)) {
    return nullptr;
  }
  Grid grid;
  if (!bindArguments(call, args, count, keywords) || !classifyArguments(call) || !resolveDevice(call) ||
      (run && !evaluateGrid(call, gridObject, grid))) {
    return nullptr;
  }
  bool runs = run && grid.programs > 0;
  Variant *variant = runs ? findVariantForLaunch(call, grid) : findVariant(call);
  if (!variant || (run && !call.readOnlyArrays.empty() && !leavesReadOnlyArrays(call, variant->compiled.get())) ||
      (runs && !(launchHooks ? executeBetweenHooks(call, *variant, grid) : execute(call, *variant, grid)))) {
    return nullptr;
  }
  return Py_NewRef(variant->compiled.get());
}

PyObject *launch(Launcher &launcher, PyObject *gridObject, PyObject *const *args, size_t count, PyObject *keywords,
                 bool run) {
  PyObject *compiled = bindAndLaunch(launcher, gridObject, args, count, keywords, run);
  if (!compiled) {
    hideInternalFrames();
  }
  return compiled;
}

} // namespace tilewright::launcher
