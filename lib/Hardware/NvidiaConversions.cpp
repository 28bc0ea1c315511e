#include "tilewright/Hardware/NvidiaInstructions.h"

#include "NvidiaTargets.h"

namespace tilewright::hardware {

const std::vector<PairConversion> &pairConversions() {
  static const std::vector<PairConversion> table = {
      {ElementType::E4M3, kFrom89, 81},
      {ElementType::E5M2, kFrom89, 81},
  };
  return table;
}

} // namespace tilewright::hardware
