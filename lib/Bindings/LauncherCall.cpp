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

/// What the code of a CompiledKernel assumes of a launch. False with an exception set.
static bool readConditions(PyObject *compiled, LaunchConditions &conditions) {
  Ref words = Ref::take(PyObject_GetAttrString(compiled, "launch_conditions"));
  Ref list = Ref::take(words ? PySequence_Fast(words.get(), "launch_conditions is a sequence of integers") : nullptr);
  if (!list) {
    return false;
  }
  std::vector<int64_t> values;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list.get()); ++i) {
    values.push_back(PyLong_AsLongLong(PySequence_Fast_GET_ITEM(list.get(), i)));
  }
  std::optional<LaunchConditions> decoded = LaunchConditions::decode(values.data(), values.size());
  if (!decoded && !PyErr_Occurred()) {
    PyErr_SetString(PyExc_ValueError, "launch_conditions of a compiled kernel are damaged");
  }
  conditions = decoded ? std::move(*decoded) : LaunchConditions();
  return !PyErr_Occurred();
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
  if (!readConditions(compiled.get(), variant->conditions)) {
    return nullptr;
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

static bool holdFor(const LaunchConditions &conditions, const Call &call, const Grid &grid) {
  return conditions.empty() ||
         (conditions.slotCount() <= call.slots.size() && conditions.hold(call.slots.data(), grid));
}

/// The variant for a launch on a grid: one that assumes nothing where the other's conditions do not hold.
static Variant *findVariant(Call &call, const Grid &grid) {
  Variant *variant = findVariant(call);
  if (!variant || holdFor(variant->conditions, call, grid)) {
    return variant;
  }
  call.specializeRanges = false;
  call.key.byte(static_cast<uint8_t>(Tag::AnyRange));
  return findVariant(call);
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
  bool runs = run && grid.programs > 0;
  Variant *variant = runs ? findVariant(call, grid) : findVariant(call);
  if (!variant || (runs && !execute(call, *variant, grid))) {
    return nullptr;
  }
  return Py_NewRef(variant->compiled.get());
}

} // namespace tilewright::bindings
