#include "tilewright/Hardware/AmdInstructions.h"

#include "AmdTargets.h"

namespace tilewright::hardware {

const AmdTable<PairConversion> &amdPairConversions() {
  using T = ElementType;
  static constexpr AmdTargets kOcp = kGfx950 | kGfx1201 | kGfx1250;
  static const AmdTable<PairConversion> table = {
      {{T::E4M3FNUZ, T::F32, 2}, kGfx942},
      {{T::E5M2FNUZ, T::F32, 2}, kGfx942},
      {{T::E4M3, T::F32, 2}, kOcp},
      {{T::E5M2, T::F32, 2}, kOcp},
  };
  return table;
}

} // namespace tilewright::hardware
