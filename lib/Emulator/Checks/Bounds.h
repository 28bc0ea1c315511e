// The bounds of the kernel's memory, and the names of addresses in reports.

#ifndef TILEWRIGHT_EMULATOR_CHECKS_BOUNDS_H
#define TILEWRIGHT_EMULATOR_CHECKS_BOUNDS_H

#include "tilewright/Emulator/Checker.h"

#include <string>

namespace tilewright::emulator {

/// A range of bytes in one memory space.
struct Bytes {
  MemorySpace space;
  uint64_t address;
  uint64_t count;
};

class Bounds {
public:
  explicit Bounds(const Launch &launch) : launch(launch) {}
  void begin(const Block &block);

  /// Whether all of the bytes lie in one tensor, or in the block's shared memory.
  bool hold(const Bytes &bytes);

  /// The index of the tensor that contains an in-bounds address of global memory; the first one if tensors overlap. For
  /// other memory the number of tensors.
  size_t memoryOf(uint64_t address) const;

  /// The addresses at which an access of the same size lies in the same tensor, or in shared memory, as these bytes;
  /// empty if these are out of bounds.
  KnownPlaces placesAround(const Bytes &bytes) const;

  /// "x+128", "shared+128", or the address in hexadecimal if no tensor is near.
  std::string nameOf(const Bytes &bytes) const;

  /// Where out-of-bounds bytes lie relative to the nearest memory: "12 bytes after the end of x, which has 4096 bytes".
  std::string distanceOf(const Bytes &bytes) const;

  /// The offset in shared memory of an address in it.
  uint64_t sharedOffset(uint64_t address) const { return address - shared.begin; }

private:
  const Tensor *nearest(const Bytes &bytes) const;

  const Launch &launch;
  Tensor shared = {"shared", 0, 0}; // the block's shared memory
  size_t recent = 0;                // the tensor of the latest access
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_CHECKS_BOUNDS_H
