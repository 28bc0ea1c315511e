// The table of a kernel's compiled variants, and the globals they depend on.

#include "Launcher.h"

namespace tilewright::bindings {

static bool matches(const Variant &variant, std::string_view key, llvm::ArrayRef<PyObject *> objects) {
  if (variant.key != key) {
    return false;
  }
  // Equal keys have equally many objects: each is announced by a tag.
  for (size_t i = 0; i < objects.size(); ++i) {
    bool same = false;
    if (!sameConstant(variant.objects[i].get(), objects[i], same) || !same) {
      return false;
    }
  }
  return true;
}

Variant *VariantTable::find(uint64_t hash, std::string_view key, llvm::ArrayRef<PyObject *> objects) const {
  if (slots.empty()) {
    return nullptr;
  }
  // Comparing may run Python code that inserts: the vectors are indexed anew at each step. A variant
  // that is missed because of that is inserted once more, which `insert` notices.
  for (size_t at = hash;; ++at) {
    uint32_t slot = slots[at & (slots.size() - 1)];
    if (slot == 0) {
      return nullptr;
    }
    Variant *variant = variants[slot - 1].get();
    if (variant->hash == hash && matches(*variant, key, objects)) {
      return variant;
    }
    if (!objects.empty() && PyErr_Occurred()) {
      return nullptr;
    }
  }
}

Variant *VariantTable::insert(std::unique_ptr<Variant> variant) {
  llvm::SmallVector<PyObject *, 8> objects;
  for (const Ref &object : variant->objects) {
    objects.push_back(object.get());
  }
  // Another thread may have compiled the same one meanwhile.
  Variant *known = find(variant->hash, variant->key, objects);
  if (known || PyErr_Occurred()) {
    return known;
  }
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
  // Destroying objects may run Python code that looks at the table.
  auto doomed = std::move(variants);
  variants.clear();
}

bool watchesHold(const LauncherState &state) {
  if (state.epoch == 0) {
    return false;
  }
  for (const Watch &watch : state.watches) {
    PyObject *container = watch.container.get();
    if (PyCell_Check(container)) {
      if (PyCell_GET(container) != watch.value.get()) {
        return false;
      }
    } else if (PyDict_GetItemWithError(container, watch.name.get()) != watch.value.get()) {
      return false;
    }
  }
  return true;
}

} // namespace tilewright::bindings
