#include "tilewright/Hardware/NvidiaInstructions.h"

#include "NvidiaTargets.h"

namespace tilewright::hardware {

const NvidiaTable<PairConversion> &pairConversions() {
  static const NvidiaTable<PairConversion> table = {
      {{ElementType::E4M3, ElementType::F16, 1}, kFrom89, 81},
      {{ElementType::E5M2, ElementType::F16, 1}, kFrom89, 81},
  };
  return table;
}

} // namespace tilewright::hardware
