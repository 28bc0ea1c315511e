// The registered kinds of devices: those on which the code of a registered kind of target runs.

#include "tilewright/Launcher/DeviceKind.h"

#include "third_party/dlpack/DLPack.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tilewright::launcher {

// A kind of device defines a function that returns its object, such as cudaDevices().
#define TILEWRIGHT_TARGET_KIND(name, function, device) const DeviceKind &device##Devices();
#include "tilewright/Target/TargetKinds.def"
#undef TILEWRIGHT_TARGET_KIND

const DeviceKind &hostDevices() {
  static const DeviceKind host(kHost, "cpu", "CPU");
  return host;
}

namespace {
struct Row {
  llvm::StringLiteral target;
  const DeviceKind &(*devices)();
};
} // namespace

static constexpr Row kRows[] = {
#define TILEWRIGHT_TARGET_KIND(name, function, device) {name, device##Devices},
#include "tilewright/Target/TargetKinds.def"
#undef TILEWRIGHT_TARGET_KIND
};

llvm::ArrayRef<const DeviceKind *> deviceKinds() {
  static const auto all = [] {
    llvm::SmallVector<const DeviceKind *, 4> kinds = {&hostDevices()};
    for (const Row &row : kRows) {
      if (!llvm::is_contained(kinds, &row.devices())) {
        kinds.push_back(&row.devices());
      }
    }
    return kinds;
  }();
  return all;
}

static std::array<MemoryType, kMemoryTypes> findMemoryTypes() noexcept {
  std::array<MemoryType, kMemoryTypes> types;
  for (const DeviceKind *kind : deviceKinds()) {
    types[kind->type] = {kind->type};
    types[kind->pinnedType] = {kHost};
    types[kind->managedType] = {kind->type, /*isManaged=*/true};
  }
  types[kNowhere] = {};
  return types;
}

const std::array<MemoryType, kMemoryTypes> memoryTypes = findMemoryTypes();

const DeviceKind &deviceKindOf(const Location &location) {
  return **llvm::find_if(deviceKinds(), [&](const DeviceKind *kind) { return kind->type == location.type; });
}

const DeviceKind *deviceKindOfTarget(llvm::StringRef target) {
  if (target.empty()) {
    return nullptr;
  }
  llvm::StringRef name = target.trim().split(':').first;
  for (const Row &row : kRows) {
    if (name.equals_insensitive(row.target)) {
      return &row.devices();
    }
  }
  return nullptr;
}

std::string nameOf(const Location &location) {
  std::string name = deviceKindOf(location).name;
  return location.type == kHost ? name : name + ":" + std::to_string(location.ordinal);
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

llvm::json::Object DeviceKind::describe() const {
  return llvm::json::Object{{"problem", ""}, {"devices", llvm::json::Array()}};
}

bool DeviceKind::currentStream(int32_t, uintptr_t &stream) const {
  stream = 0;
  return true;
}

bool DeviceKind::reachesHostMemory(int32_t, uintptr_t) const { return true; }

} // namespace tilewright::launcher
