#include "tilewright/Hardware/Rates.h"

namespace tilewright::hardware {

const std::vector<GpuRates> &nvidiaRates() {
  // The rate of a multiprocessor is the data sheet's peak, divided by multiprocessors and clock: A100 312, A40 149.7,
  // L40S 362, H200 989, RTX PRO 6000 503.8 TFLOP/s. On Blackwell with tcgen05, mma.sync has another rate, which is not
  // published. The share of mma.sync on sm_90 is a measurement on an H200.
  static const std::vector<GpuRates> table = {
      // target, device, multiprocessors, MHz, GB/s, FLOP per cycle of 8 bits, 16 bits, TF32 and float32, mma.sync
      {"sm_80", "A100", 108, 1410, 2039, 4096, 2048, 1024, 0, 100},
      {"sm_86", "A40", 84, 1740, 696, 2048, 1024, 512, 0, 100},
      {"sm_89", "L40S", 142, 2520, 864, 2048, 1024, 512, 0, 100},
      {"sm_90a", "H200", 132, 1830, 4800, 8192, 4096, 2048, 0, 62},
      {"sm_120a", "RTX PRO 6000", 188, 2617, 1792, 2048, 1024, 512, 0, 100},
  };
  return table;
}

} // namespace tilewright::hardware
