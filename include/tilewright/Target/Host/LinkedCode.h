// Code that is linked into this process.

#ifndef TILEWRIGHT_TARGET_HOST_LINKEDCODE_H
#define TILEWRIGHT_TARGET_HOST_LINKEDCODE_H

#include <utility>

namespace tilewright::host {

/// Owns the memory of one linked object file. The destructor frees it, so no thread may then run the code.
class LinkedCode {
public:
  LinkedCode() = default;
  /// `memory` is the handle of a FinalizedAlloc, which only HostLoader.cpp creates.
  LinkedCode(void *entry, void *memory) : entryPoint(entry), memory(memory) {}
  LinkedCode(LinkedCode &&other) noexcept
      : entryPoint(std::exchange(other.entryPoint, nullptr)), memory(std::exchange(other.memory, nullptr)) {}
  LinkedCode &operator=(LinkedCode other) noexcept {
    std::swap(entryPoint, other.entryPoint);
    std::swap(memory, other.memory);
    return *this;
  }
  ~LinkedCode();

  /// The address of the symbol for which the object file was linked.
  void *entry() const { return entryPoint; }

private:
  void *entryPoint = nullptr;
  void *memory = nullptr;
};

} // namespace tilewright::host

#endif // TILEWRIGHT_TARGET_HOST_LINKEDCODE_H
