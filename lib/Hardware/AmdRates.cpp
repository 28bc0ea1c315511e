#include "tilewright/Hardware/Rates.h"

namespace tilewright::hardware {

const std::vector<GpuRates> &amdRates() {
  // All of these are documented, none was measured. Dense peaks of 16-bit floats: MI250X 383, MI300X 1307.4, MI355X
  // 2500, RX 7900 XTX 123, RX 9070 XT 195 TFLOP/s, which are multiprocessors x rate x clock. The rates are those of
  // AMD's matrix instruction calculator and of the white paper of CDNA3; a multiprocessor of RDNA is a WGP, so a GPU
  // has half as many as it has compute units. gfx950's rate of 8-bit floats is that of the instructions that scale
  // blocks, so it is not listed. There are no published rates of gfx1250.
  static const std::vector<GpuRates> table = {
      // target, device, multiprocessors, MHz, GB/s, FLOP per cycle of 8 bits, 16 bits, TF32 and float32
      {"gfx90a", "MI250X", 220, 1700, 3200, 1024, 1024, 0, 256},
      {"gfx942", "MI300X", 304, 2100, 5300, 4096, 2048, 1024, 256},
      {"gfx950", "MI355X", 256, 2400, 8000, 0, 4096, 0, 256},
      {"gfx1100", "RX 7900 XTX", 48, 2500, 960, 1024, 1024, 0, 0},
      {"gfx1201", "RX 9070 XT", 32, 2970, 640, 4096, 2048, 0, 0},
  };
  return table;
}

} // namespace tilewright::hardware
