#include "tilewright/Hardware/Cpu.h"

#include <iterator>

namespace tilewright::hardware {

// Best first. SVE is used with 128 bits, which every processor with it has.
static constexpr CpuInfo kCpus[] = {
    // name, feature, bits, registers, masks, fused multiply-adds, dots of bytes and of bfloat16, wide exchanges, dot
    // rows, dot vectors
    {"avx512bf16", "avx512bf16", 512, 32, true, true, true, true, true, 4, 4}, // every such processor has VNNI
    {"avx512vnni", "avx512vnni", 512, 32, true, true, true, false, true, 4, 4},
    {"avx512", "avx512f", 512, 32, true, true, false, false, true, 4, 4},
    {"avx2", "avx2", 256, 16, true, true, false, false, true, 4, 2},
    {"sve", "sve", 128, 32, true, true, false, false, false, 4, 4},
    {"neon", "neon", 128, 32, false, true, false, false, false, 4, 4},
    {"generic", "", 128, 16, false, false, false, false, false, 4, 2},
};

/// Whether the comma-separated list enables the feature, by its whole name.
static bool enables(std::string_view features, std::string_view feature) {
  for (size_t at = 0; at < features.size();) {
    size_t end = features.find(',', at);
    end = end == std::string_view::npos ? features.size() : end;
    std::string_view item = features.substr(at, end - at);
    if (!item.empty() && item.front() == '+' && item.substr(1) == feature) {
      return true;
    }
    at = end + 1;
  }
  return false;
}

const CpuInfo &lookupCpu(std::string_view features) {
  for (const CpuInfo &cpu : kCpus) {
    if (cpu.requiredFeature.empty() || enables(features, cpu.requiredFeature)) {
      return cpu;
    }
  }
  return kCpus[std::size(kCpus) - 1];
}

} // namespace tilewright::hardware
