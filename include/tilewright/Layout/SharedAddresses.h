// Plans the addresses of a thread's accesses to shared memory with as few registers as possible.
//
// An address is the thread's part ^ the register's part. Bits of the register's part that no thread affects may be
// added instead, and a constant that is added is an immediate of the instruction, so that many accesses share one base:
//
//     address = (thread's part ^ xorMask) + immediate
//
//     threads affect the bits 0b0111, register 1 is at 0b1000, register 2 at 0b1010:
//       register   0    1        2               3
//       xor mask   0    0        0b0010          0b0010
//       immediate  0    0b1000   0b1000          0            two bases for four accesses

#ifndef TILEWRIGHT_LAYOUT_SHAREDADDRESSES_H
#define TILEWRIGHT_LAYOUT_SHAREDADDRESSES_H

#include "tilewright/Layout/LinearLayout.h"

namespace tilewright::layout {

struct SharedAddresses {
  struct Address {
    size_t base; ///< index into `xorMasks`
    int64_t immediate;
  };
  std::vector<int64_t> xorMasks;  ///< xor masks, one for each base address
  std::vector<Address> addresses; ///< per requested register
};

/// `offsets` maps (register, lane, warp) to (offset); `registers` are the first registers of accesses. `start` is xored
/// to all addresses.
SharedAddresses planAddresses(const LinearLayout &offsets, const std::vector<int> &registers, int64_t start = 0);

/// Offsets in bytes instead of elements.
LinearLayout inBytes(const LinearLayout &offsets, int64_t elementBytes);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_SHAREDADDRESSES_H
