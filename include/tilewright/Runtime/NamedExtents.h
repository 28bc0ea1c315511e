// The arrays that were passed to a kernel, and the names of addresses in reports of accesses out of bounds.

#ifndef TILEWRIGHT_RUNTIME_NAMEDEXTENTS_H
#define TILEWRIGHT_RUNTIME_NAMEDEXTENTS_H

#include "tilewright/Runtime/Arguments.h"

#include <string>
#include <vector>

namespace tilewright::runtime {

/// Memory that was passed to the kernel.
struct NamedExtent {
  std::string name; ///< of the parameter
  uintptr_t begin = 0;
  uintptr_t end = 0;
};

/// The bytes of one access.
struct ByteRange {
  uint64_t address = 0;
  uint64_t count = 0;
};

/// Whether all of the bytes lie in [begin, end). The address may be arbitrary.
bool contains(uint64_t begin, uint64_t end, const ByteRange &bytes);

/// Whether some of the bytes lie in [begin, end), and others do not.
bool crossesEdge(uint64_t begin, uint64_t end, const ByteRange &bytes);

/// The array that contains the first byte, or else the one with the smallest distance; null if there is no array.
const NamedExtent *nearestExtent(const std::vector<NamedExtent> &arrays, const ByteRange &bytes);

/// "x+128", or the address in hexadecimal if no array is near or `nearest` is null.
std::string nameAddress(const NamedExtent *nearest, const ByteRange &bytes);

/// Where out-of-bounds bytes lie relative to the nearest array: "12 bytes after the end of x, which has 4096 bytes".
std::string describeDistance(const NamedExtent *nearest, const ByteRange &bytes);

/// "1 byte", "12 bytes".
std::string countBytes(uint64_t count);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_NAMEDEXTENTS_H
