// Evaluates the launch conditions of a variant, and selects a variant without conditions if they do not hold.

#include "Launcher.h"

namespace tilewright::bindings {

using namespace runtime;

bool readConditions(PyObject *compiled, LaunchConditions &conditions) {
  Ref words = Ref::take(PyObject_GetAttrString(compiled, "launch_conditions"));
  Ref list =
      Ref::take(words ? PySequence_Fast(words.get(), "launch_conditions must be a sequence of integers") : nullptr);
  if (!list) {
    return false;
  }
  std::vector<int64_t> values;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list.get()); ++i) {
    values.push_back(PyLong_AsLongLong(PySequence_Fast_GET_ITEM(list.get(), i)));
  }
  std::optional<LaunchConditions> decoded = LaunchConditions::decode(values.data(), values.size());
  if (!decoded && !PyErr_Occurred()) {
    PyErr_SetString(PyExc_ValueError, "launch_conditions of a compiled kernel are malformed");
  }
  conditions = decoded ? std::move(*decoded) : LaunchConditions();
  return !PyErr_Occurred();
}

static bool holdFor(const LaunchConditions &conditions, const Call &call, const Grid &grid) {
  return conditions.empty() ||
         (conditions.slotCount() <= call.slots.size() && conditions.hold(call.slots.data(), grid));
}

Variant *findVariant(Call &call, const Grid &grid) {
  Variant *variant = findVariant(call);
  if (!variant || holdFor(variant->conditions, call, grid)) {
    return variant;
  }
  call.specializeRanges = false;
  call.key.byte(static_cast<uint8_t>(Tag::AnyRange));
  return findVariant(call);
}

} // namespace tilewright::bindings
