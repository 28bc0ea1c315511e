#include "tilewright/Hardware/Rates.h"

namespace tilewright::hardware {

const GpuRates *lookupRates(std::string_view target) {
  // The rate of a multiprocessor is the data sheet's peak, divided by multiprocessors and clock: A100 312, A40 149.7,
  // L40S 362, H200 989, RTX PRO 6000 503.8 TFLOP/s. On Blackwell with tcgen05, mma.sync has another rate, which is not
  // published. The share of mma.sync on sm_90 is a measurement on an H200.
  static constexpr GpuRates table[] = {
      // target, device, multiprocessors, MHz, GB/s, FLOP per cycle, mma.sync
      {"sm_80", "A100", 108, 1410, 2039, 2048, 100},
      {"sm_86", "A40", 84, 1740, 696, 1024, 100},
      {"sm_89", "L40S", 142, 2520, 864, 1024, 100},
      {"sm_90a", "H200", 132, 1830, 4800, 4096, 62},
      {"sm_120a", "RTX PRO 6000", 188, 2617, 1792, 1024, 100},
  };
  for (const GpuRates &row : table) {
    if (row.target == target) {
      return &row;
    }
  }
  return nullptr;
}

} // namespace tilewright::hardware
