// The addresses of a thread's accesses to shared memory, with as few registers as can be.
//
// An address is the thread's part ^ the register's part. Bits that no thread moves may be added
// as well, and what is constant and added is part of the instruction, so that many accesses
// share one base:
//
//     address = (thread's part ^ flip) + immediate
//
//     threads move the bits 0b0111, register 1 is at 0b1000, register 2 at 0b1010:
//       register   0    1        2               3
//       flip       0    0        0b0010          0b0010
//       immediate  0    0b1000   0b1000          0            two bases for four accesses

#ifndef TILEWRIGHT_LAYOUT_SHAREDADDRESSES_H
#define TILEWRIGHT_LAYOUT_SHAREDADDRESSES_H

#include "tilewright/Layout/LinearLayout.h"

namespace tilewright::layout {

struct SharedAddresses {
  struct Address {
    size_t base; ///< of `flips`
    int64_t immediate;
  };
  std::vector<int64_t> flips;     ///< one base address each
  std::vector<Address> addresses; ///< per register that was asked for
};

/// `offsets` maps (register, lane, warp) to (offset); `registers` are those that begin an access. `start` is a part
/// that all addresses have in common, combined with the others by ^.
SharedAddresses planAddresses(const LinearLayout &offsets, const std::vector<int> &registers, int64_t start = 0);

/// Offsets in bytes instead of elements.
LinearLayout inBytes(const LinearLayout &offsets, int64_t elementBytes);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_SHAREDADDRESSES_H
