// Peak rates of GPUs, for estimates of how long a loop takes at least. They are those of one device of each
// architecture, as data sheets state them.

#ifndef TILEWRIGHT_HARDWARE_RATES_H
#define TILEWRIGHT_HARDWARE_RATES_H

#include <string_view>

namespace tilewright::hardware {

struct GpuRates {
  std::string_view target; ///< "sm_90a"
  std::string_view device; ///< "H200"
  int multiprocessors;
  int megahertz;          ///< the clock of the data sheet's peak
  int gigabytesPerSecond; ///< of global memory
  int tensorFlops;        ///< of a multiprocessor in a cycle: dense products of 16-bit floats, sums in float32
  int mmaSyncPercent;     ///< what mma.sync reaches of that

  /// A multiprocessor's share of the bandwidth of global memory, in bytes per cycle.
  double memoryBytes() const { return 1e3 * gigabytesPerSecond / megahertz / multiprocessors; }

  /// The cycles for `products` multiplications and additions of elements of 8, 16 or 32 bits (tf32).
  double tensorCycles(double products, int elementBits, bool isMmaSync) const {
    double percent = isMmaSync ? mmaSyncPercent : 100;
    return 2 * products * elementBits / 16 / tensorFlops * 100 / percent;
  }
};

/// Null if the rates of the architecture are not known.
const GpuRates *lookupRates(std::string_view target);

} // namespace tilewright::hardware

#endif // TILEWRIGHT_HARDWARE_RATES_H
