// How many of a thread's elements one load or store can take.
//
// A vector of 2^v elements needs v register bits that count the first 2^v places
// along the contiguous dimension, and nothing else that moves inside them:
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
  std::vector<int> registerBits; ///< the one that moves by 1 element first

  int64_t elements() const { return int64_t(1) << registerBits.size(); }
};

/// The widest access along the output `contiguous` ("dim1" of a row-major tensor,
/// "offset" for shared memory). `maxElements` says what alignment and the hardware
/// allow; vectors start at multiples of their size.
VectorAccess widestAccess(const LinearLayout &layout, std::string_view contiguous, int64_t maxElements);

/// What two accesses take together: the bits that both begin with, in the same order.
VectorAccess commonAccess(const VectorAccess &left, const VectorAccess &right);

/// The registers of each access, in the order of their addresses.
std::vector<std::vector<int>> registersOf(const VectorAccess &access, int64_t registers);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_VECTORACCESS_H
