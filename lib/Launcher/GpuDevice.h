// What the kinds of GPUs report in common; see DeviceKind::describe().

#ifndef TILEWRIGHT_LIB_LAUNCHER_GPUDEVICE_H
#define TILEWRIGHT_LIB_LAUNCHER_GPUDEVICE_H

#include "tilewright/Runtime/GpuDevice.h"

#include "llvm/Support/JSON.h"

#include <string>

namespace tilewright::launcher {

llvm::json::Object describeGpu(const runtime::GpuDevice &device, const std::string &architecture,
                               const std::string &capability);

} // namespace tilewright::launcher

#endif // TILEWRIGHT_LIB_LAUNCHER_GPUDEVICE_H
