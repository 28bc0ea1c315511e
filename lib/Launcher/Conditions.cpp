// Checks what a compiled variant requires of a launch: selects a variant without launch conditions if these do not
// hold, and refuses read-only arrays that the kernel writes.

#include "tilewright/Launcher/Launcher.h"

namespace tilewright::launcher {

using namespace runtime;

/// Reads an attribute of a CompiledKernel that is a sequence of integers. Sets an error if it is none.
static std::vector<int64_t> readIntegers(PyObject *compiled, const char *name) {
  Ref words = Ref::take(PyObject_GetAttrString(compiled, name));
  std::string message = std::string(name) + " must be a sequence of integers";
  Ref list = Ref::take(words ? PySequence_Fast(words.get(), message.c_str()) : nullptr);
  std::vector<int64_t> values;
  for (Py_ssize_t i = 0; list && i < PySequence_Fast_GET_SIZE(list.get()); ++i) {
    values.push_back(PyLong_AsLongLong(PySequence_Fast_GET_ITEM(list.get(), i)));
  }
  return values;
}

bool readConditions(PyObject *compiled, LaunchConditions &conditions) {
  std::vector<int64_t> values = readIntegers(compiled, "launch_conditions");
  if (PyErr_Occurred()) {
    return false;
  }
  std::optional<LaunchConditions> decoded = LaunchConditions::decode(values.data(), values.size());
  if (!decoded) {
    PyErr_SetString(PyExc_ValueError, "launch_conditions of a compiled kernel are malformed");
    return false;
  }
  conditions = std::move(*decoded);
  return true;
}

bool leavesReadOnlyArrays(const Call &call, PyObject *compiled) {
  std::vector<int64_t> written = readIntegers(compiled, "written_slots");
  for (const PassedArray &array : call.readOnlyArrays) {
    if (llvm::is_contained(written, static_cast<int64_t>(array.slot))) {
      setError("ArgumentError", call.state, array.parameter, "is read-only, but the kernel writes to it");
      return false;
    }
  }
  return !PyErr_Occurred();
}

/// An array of unknown size may be a large one.
static bool mayBeLarge(const PassedArray &array) {
  return !array.extent || array.extent->end - array.extent->begin >= kLargeArray;
}

static bool holdFor(const LaunchConditions &conditions, const Call &call, const Grid &grid) {
  return conditions.empty() ||
         (conditions.slotCount() <= call.slots.size() &&
          conditions.hold(call.slots.data(), grid, /*ranges=*/nullptr, llvm::any_of(call.arrays, mayBeLarge)));
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

} // namespace tilewright::launcher
