// Checks what a compiled variant requires of a launch, and makes its tensor maps: selects a variant without maps if one
// can't be made, and a variant without launch conditions and maps if the conditions do not hold. Refuses read-only
// arrays that the kernel writes.

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

static bool malformed(const char *name) {
  PyErr_Format(PyExc_ValueError, "%s of a compiled kernel are malformed", name);
  return false;
}

/// Substitutes for compiled kernels, which tests and programs make, may lack tensor maps.
static bool readTensorMaps(PyObject *compiled, TensorMapParameters &maps) {
  constexpr const char *name = "tensor_maps";
  if (!PyObject_HasAttrString(compiled, name)) {
    return true;
  }
  std::vector<int64_t> values = readIntegers(compiled, name);
  if (PyErr_Occurred()) {
    return false;
  }
  auto decoded = TensorMapParameters::decode(values.data(), values.size());
  if (!decoded) {
    return malformed(name);
  }
  maps = std::move(*decoded);
  return true;
}

bool readConditions(PyObject *compiled, Variant &variant) {
  std::vector<int64_t> values = readIntegers(compiled, "launch_conditions");
  if (PyErr_Occurred()) {
    return false;
  }
  auto decoded = LaunchConditions::decode(values.data(), values.size());
  if (!decoded) {
    return malformed("launch_conditions");
  }
  variant.conditions = std::move(*decoded);
  return readTensorMaps(compiled, variant.tensorMaps);
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

/// Makes the tensor maps of a launch. Returns why one can't be made.
static std::optional<TensorMapRefusal> makeTensorMaps(const TensorMapParameters &maps, Call &call, const Grid &grid) {
  call.tensorMaps.resize(maps.size());
  call.tensorMapParameters = &maps;
  if (maps.empty()) {
    return std::nullopt;
  }
  if (maps.slotCount() > call.slots.size()) {
    return TensorMapRefusal{0, "its values come from arguments that the Python function lacks"};
  }
  return maps.make(call.slots.data(), grid, call.tensorMaps.data());
}

const Parameter *baseOfTensorMap(const Call &call, size_t map) {
  auto slot = static_cast<size_t>((*call.tensorMapParameters)[map].slot);
  const auto *found = llvm::find_if(call.arrays, [&](const PassedArray &array) { return array.slot == slot; });
  return found == call.arrays.end() ? nullptr : found->parameter;
}

/// The variant without conditions and maps. It may have maps if a program compiled it so: then they must be right.
static Variant *findGeneralVariant(Call &call, const Grid &grid) {
  call.specializeRanges = false;
  call.key.byte(static_cast<uint8_t>(Tag::AnyRange));
  Variant *variant = findVariant(call);
  auto refusal = variant ? makeTensorMaps(variant->tensorMaps, call, grid) : std::nullopt;
  if (!refusal) {
    return variant;
  }
  setError("LaunchError", call.state, baseOfTensorMap(call, refusal->map),
           "has a tensor map that can't be made, and the kernel has no variant without it: " + refusal->reason);
  return nullptr;
}

/// The variant without maps, which still has conditions.
static Variant *findVariantWithoutMaps(Call &call) {
  call.takesTensorMaps = false;
  call.key.byte(static_cast<uint8_t>(Tag::NoTensorMaps));
  return findVariant(call);
}

Variant *findVariantForLaunch(Call &call, const Grid &grid) {
  Variant *variant = findVariant(call);
  if (!variant) {
    return nullptr;
  }
  if (!holdFor(variant->conditions, call, grid)) {
    return findGeneralVariant(call, grid);
  }
  if (!makeTensorMaps(variant->tensorMaps, call, grid)) {
    return variant;
  }
  variant = findVariantWithoutMaps(call);
  if (!variant || (holdFor(variant->conditions, call, grid) && !makeTensorMaps(variant->tensorMaps, call, grid))) {
    return variant;
  }
  return findGeneralVariant(call, grid);
}

} // namespace tilewright::launcher
