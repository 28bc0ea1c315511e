// What memory there is, and how an address is called in reports.

#ifndef TILEWRIGHT_EMULATOR_CHECKS_BOUNDS_H
#define TILEWRIGHT_EMULATOR_CHECKS_BOUNDS_H

#include "tilewright/Emulator/Checker.h"

#include <string>

namespace tilewright::emulator {

/// Some bytes of one memory.
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

  /// Which memory an address of global memory, which was held, is in: the number of a tensor, the first of those that
  /// overlap; or the number of tensors, for any other memory.
  size_t memoryOf(uint64_t address) const;

  /// The addresses from which as many bytes lie in the same tensor, or in shared memory, as these do; none if these
  /// do not lie in any.
  KnownPlaces placesAround(const Bytes &bytes) const;

  /// "x+128", "shared+128"; where no tensor is near, the address in hexadecimal.
  std::string nameOf(const Bytes &bytes) const;

  /// How bytes that are not held lie to the nearest memory there is: "12 bytes after the end of x, which has 4096".
  std::string distanceOf(const Bytes &bytes) const;

  /// Byte of shared memory, which has one at this address.
  uint64_t sharedOffset(uint64_t address) const { return address - shared.begin; }

private:
  const Tensor *nearest(const Bytes &bytes) const;

  const Launch &launch;
  Tensor shared = {"shared", 0, 0}; // the block's
  size_t recent = 0;                // the tensor of the latest access
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_CHECKS_BOUNDS_H
