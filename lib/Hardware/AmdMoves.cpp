#include "tilewright/Hardware/AmdInstructions.h"

#include "AmdTargets.h"

namespace tilewright::hardware {

const AmdTable<AtomicAdd> &amdAtomicAdds() {
  using T = ElementType;
  static const AmdTable<AtomicAdd> table = {
      {{T::F32, 1}, kAllAmd},
      {{T::F64, 1}, kCdna | kGfx1250},
      {{T::F16, 2}, kCdna | kGfx1201 | kGfx1250},
      {{T::BF16, 2}, kGfx942 | kGfx950 | kGfx1201 | kGfx1250},
  };
  return table;
}

} // namespace tilewright::hardware
