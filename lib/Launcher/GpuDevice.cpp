#include "GpuDevice.h"

namespace tilewright::launcher {

llvm::json::Object describeGpu(const runtime::GpuDevice &device, const std::string &architecture,
                               const std::string &capability) {
  return llvm::json::Object{{"name", llvm::json::fixUTF8(device.name)},
                            {"architecture", llvm::json::fixUTF8(architecture)},
                            {"capability", llvm::json::fixUTF8(capability)},
                            {"memory_bytes", static_cast<int64_t>(device.memoryBytes)},
                            {"shared_bytes_per_block", device.limits.sharedBytes},
                            {"registers_per_block", device.limits.registers},
                            {"multiprocessors", device.properties.multiprocessors},
                            {"warp_size", device.properties.warpSize},
                            {"clock_kilohertz", device.properties.clockKilohertz},
                            {"memory_clock_kilohertz", device.properties.memoryClockKilohertz},
                            {"memory_bus_bits", device.properties.memoryBusBits}};
}

} // namespace tilewright::launcher
