// How many of a thread's elements one load or store can access.
//
// A vector of 2^v elements needs v register bits that map to the lowest v bits of the contiguous dimension, and no
// other bit may map to these:
//
//     register  1 -> (0, 1)  2 -> (0, 2)  4 -> (8, 0)        bits 0 and 1: vectors of 4,
//     lane      1 -> (0, 4)  ...                              registers 0-3 and 4-7
//
//     register  1 -> (8, 0)  2 -> (0, 1)                      bit 1: vectors of 2,
//     lane      1 -> (0, 2)  ...                              registers {0, 2} and {1, 3}

#ifndef TILEWRIGHT_LAYOUT_VECTORACCESS_H
#define TILEWRIGHT_LAYOUT_VECTORACCESS_H

#include "tilewright/Layout/LinearLayout.h"

namespace tilewright::layout {

struct VectorAccess {
  std::vector<int> registerBits; ///< lowest bit of the contiguous dimension first

  int64_t elements() const { return int64_t(1) << registerBits.size(); }
};

/// The widest access along the output `contiguous` ("dim1" of a row-major tensor, "offset" for shared memory).
/// `maxElements` is the limit of the alignment and the hardware; vectors start at multiples of their size.
VectorAccess widestAccess(const LinearLayout &layout, std::string_view contiguous, int64_t maxElements);

/// The widest access that fits both: their common prefix of bits.
VectorAccess commonAccess(const VectorAccess &left, const VectorAccess &right);

/// The registers of each access, in the order of their addresses.
std::vector<std::vector<int>> registersOf(const VectorAccess &access, int64_t registers);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_VECTORACCESS_H
