// A launch from beginning to end.

#include "Launcher.h"
#include "LoadedKernel.h"

namespace tilewright::bindings {

using namespace runtime;

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
  Ref compiled = Ref::take(method ? PyObject_CallObject(method.get(), description.get()) : nullptr);
  if (!compiled) {
    return nullptr;
  }
  auto variant = std::make_unique<Variant>();
  variant->hash = hash;
  variant->key = call.key.bytes();
  for (PyObject *object : call.objects) {
    variant->objects.push_back(Ref::share(object));
  }
  variant->compiled = std::move(compiled);
  return call.state.variants.insert(std::move(variant));
}

/// Has Python bring the code to where this launch runs. Another thread may do so at the same time; both are given the
/// same object.
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

static bool execute(Call &call, Variant &variant, const Grid &grid) {
  return (variant.code || load(call, variant)) && variant.code->launch(call, variant.compiled.get(), grid);
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
  if (!classifyArguments(call) || !settleDevice(call) || (run && !evaluateGrid(call, gridObject, grid))) {
    return nullptr;
  }
  Variant *variant = findVariant(call);
  if (!variant || (run && grid.programs > 0 && !execute(call, *variant, grid))) {
    return nullptr;
  }
  return Py_NewRef(variant->compiled.get());
}

} // namespace tilewright::bindings
