// The table of a kernel's compiled variants, and the selection of the variant for a launch.

#include "tilewright/Launcher/Launcher.h"

#include "llvm/ADT/STLExtras.h"

namespace tilewright::launcher {

static bool matches(const Variant &variant, std::string_view key, std::optional<llvm::ArrayRef<PyObject *>> objects) {
  if (variant.key != key) {
    return false;
  }
  // Equal keys have the same number of objects, because each object has a tag in the key.
  for (size_t i = 0; objects && i < objects->size(); ++i) {
    if (!sameConstant(variant.objects[i].get(), (*objects)[i])) {
      return false;
    }
  }
  return true;
}

Variant *VariantTable::find(uint64_t hash, std::string_view key, std::optional<llvm::ArrayRef<PyObject *>> objects,
                            llvm::function_ref<bool(Variant &)> visit) const {
  // `visit` may run Python code that inserts variants. Therefore the vectors are indexed again in each iteration. If a
  // variant is missed because of that, it is compiled again, which finds the same kernel.
  for (size_t at = hash; !slots.empty(); ++at) {
    uint32_t slot = slots[at & (slots.size() - 1)];
    if (slot == 0) {
      break;
    }
    Variant *variant = variants[slot - 1].get();
    if (variant->hash == hash && matches(*variant, key, objects) && visit(*variant)) {
      return variant;
    }
    if (PyErr_Occurred()) {
      break;
    }
  }
  return nullptr;
}

Variant *VariantTable::insert(std::unique_ptr<Variant> variant) {
  variants.push_back(std::move(variant));
  if (2 * variants.size() > slots.size()) {
    slots.assign(std::max<size_t>(8, 2 * slots.size()), 0);
    for (size_t i = 0; i + 1 < variants.size(); ++i) {
      size_t at = variants[i]->hash;
      while (slots[at & (slots.size() - 1)]) {
        ++at;
      }
      slots[at & (slots.size() - 1)] = i + 1;
    }
  }
  size_t at = variants.back()->hash;
  while (slots[at & (slots.size() - 1)]) {
    ++at;
  }
  slots[at & (slots.size() - 1)] = variants.size();
  return variants.back().get();
}

void VariantTable::clear() {
  slots.clear();
  // Destroying objects may run Python code that accesses the table.
  auto doomed = std::move(variants);
  variants.clear();
}

//===----------------------------------------------------------------------===//
// The variant of a launch
//===----------------------------------------------------------------------===//

/// The most variants with the same compiled kernel. They differ in constants that are different objects of equal value.
static constexpr size_t mostAliases = 8;

static std::vector<Ref> share(llvm::ArrayRef<PyObject *> objects) {
  std::vector<Ref> shared;
  for (PyObject *object : objects) {
    shared.push_back(Ref::share(object));
  }
  return shared;
}

/// Makes launches like this one use the compiled kernel: replaces the constants of a variant that has it, or adds a new
/// variant.
static Variant *adopt(Call &call, uint64_t hash, PyObject *compiled, PyObject *dependencies) {
  size_t aliases = 0;
  auto isReplaced = [&](Variant &variant) {
    if (variant.compiled.get() != compiled) {
      return false;
    }
    bool same = true;
    for (auto [known, object] : llvm::zip_equal(variant.objects, call.objects)) {
      same &= sameConstant(known.get(), object);
    }
    return same || ++aliases == mostAliases;
  };
  if (Variant *variant = call.state.variants.find(hash, call.key.bytes(), std::nullopt, isReplaced)) {
    auto objects = std::exchange(variant->objects, share(call.objects));
    return setDependencies(*variant, dependencies) ? variant : nullptr;
  }
  auto variant = std::make_unique<Variant>();
  variant->hash = hash;
  variant->key = call.key.bytes();
  variant->objects = share(call.objects);
  variant->compiled = Ref::share(compiled);
  if (!readConditions(compiled, *variant)) {
    return nullptr;
  }
  return setDependencies(*variant, dependencies) ? call.state.variants.insert(std::move(variant)) : nullptr;
}

/// Calls Python to compile the kernel for this launch, or to find it in the cache.
static Variant *compile(Call &call, uint64_t hash) {
  Ref self = Ref::share(reinterpret_cast<PyObject *>(&call.launcher));
  Ref description = Ref::take(describeSignature(call));
  Ref method = Ref::take(description ? PyObject_GetAttrString(self.get(), "_compile") : nullptr);
  Ref made = Ref::take(method ? PyObject_CallObject(method.get(), description.get()) : nullptr);
  PyObject *compiled, *dependencies;
  if (!made || !PyArg_ParseTuple(made.get(), "OO", &compiled, &dependencies)) {
    return nullptr;
  }
  return adopt(call, hash, compiled, dependencies);
}

/// The variant for a launch whose constants are different objects, if Python finds that they are equivalent for the
/// kernel.
static Variant *rebind(Call &call, uint64_t hash) {
  Variant *latest = nullptr;
  auto remember = [&](Variant &variant) {
    latest = variant.dependencies.get() == Py_None ? latest : &variant;
    return false;
  };
  if (call.objects.empty() || (call.state.variants.find(hash, call.key.bytes(), std::nullopt, remember), !latest)) {
    return nullptr;
  }
  Ref compiled = latest->compiled, known = latest->dependencies;
  Ref description = Ref::take(describeSignature(call));
  PyObject *signature = description ? PyTuple_GET_ITEM(description.get(), 0) : nullptr;
  Ref dependencies = Ref::take(signature ? PyObject_CallMethod(known.get(), "rebind", "(O)", signature) : nullptr);
  return dependencies && dependencies.get() != Py_None ? adopt(call, hash, compiled.get(), dependencies.get())
                                                       : nullptr;
}

Variant *findVariant(Call &call) {
  uint64_t hash = runtime::hashKey(call.key.bytes());
  llvm::ArrayRef<PyObject *> objects = call.objects;
  Variant *stale = nullptr;
  auto isCurrent = [&](Variant &variant) {
    if (dependenciesUnchanged(variant)) {
      return true;
    }
    stale = &variant;
    return false;
  };
  Variant *found = call.state.variants.find(hash, call.key.bytes(), objects, isCurrent);
  if (found || PyErr_Occurred()) {
    return found;
  }
  // Compiling in Python would find all variants by value. To recheck the latest one first is cheaper, and is enough for
  // variants with watches that always count as changed.
  if (int same = stale ? recheck(*stale) : 0) {
    return same == 1 ? stale : nullptr;
  }
  Variant *same = rebind(call, hash);
  return same || PyErr_Occurred() ? same : compile(call, hash);
}

} // namespace tilewright::launcher
