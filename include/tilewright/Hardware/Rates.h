// Peak rates of GPUs, for estimates of how long a loop takes at least. They are those of one device of each
// architecture, as data sheets state them.

#ifndef TILEWRIGHT_HARDWARE_RATES_H
#define TILEWRIGHT_HARDWARE_RATES_H

#include "tilewright/Hardware/Instructions.h"

#include <string_view>
#include <vector>

namespace tilewright::hardware {

struct GpuRates {
  std::string_view target; ///< "sm_90a"
  std::string_view device; ///< "H200"
  int multiprocessors;
  int megahertz;          ///< the clock of the data sheet's peak
  int gigabytesPerSecond; ///< of global memory
  /// Operations of a multiprocessor in a cycle by matrix instructions: dense products of 8-bit, of 16-bit and of TF32
  /// elements, and of float32. 0 if there are none, or if the rate is not known.
  int flops8, flops16, flopsTf32, flops32;
  int mmaSyncPercent = 100; ///< what instructions of one warp reach of that

  /// A multiprocessor's share of the bandwidth of global memory, in bytes per cycle.
  double memoryBytes() const { return 1e3 * gigabytesPerSecond / megahertz / multiprocessors; }

  /// The rate for operands of a type; 0 if it is not known.
  int flops(ElementType type) const {
    if (type == ElementType::TF32 || type == ElementType::F32) {
      return type == ElementType::TF32 ? flopsTf32 : flops32;
    }
    return bitsOf(type) == 8 ? flops8 : bitsOf(type) == 16 ? flops16 : 0;
  }
};

/// Each vendor's table.
const std::vector<GpuRates> &nvidiaRates();
const std::vector<GpuRates> &amdRates();

/// Null if the rates of the architecture are not known.
const GpuRates *lookupRates(std::string_view target);

} // namespace tilewright::hardware

#endif // TILEWRIGHT_HARDWARE_RATES_H
