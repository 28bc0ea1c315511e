#include "tilewright/Runtime/Hip/Kernel.h"

#include <algorithm>
#include <utility>

namespace tilewright::runtime::hip {

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Why the code can't be on the device; empty if only the runtime can tell. It knows which devices a generic
/// architecture comprises.
static std::string mismatchOf(const Device &device, const KernelCode &code) {
  bool isGeneric = code.architecture.find("generic") != std::string::npos;
  if (isGeneric || code.architecture == device.architecture) {
    return "";
  }
  return "the code is for " + code.architecture + ", and " + device.label() + " (" + device.name + ") is " +
         device.architecture;
}

bool Kernel::readResources(KernelProblem &problem) {
  const std::pair<FunctionAttribute, int *> attributes[] = {
      {FunctionAttribute::Registers, &resources.registers},
      {FunctionAttribute::LocalBytes, &resources.localBytes},
      {FunctionAttribute::StaticSharedBytes, &resources.staticSharedBytes},
      {FunctionAttribute::MaxThreadsPerBlock, &resources.maxThreads}};
  for (auto [attribute, value] : attributes) {
    Status status = device.platform.library().funcGetAttribute(value, attribute, function);
    if (status != Status::Success) {
      return device.fail("hipFuncGetAttribute", status, problem);
    }
  }
  return true;
}

bool Kernel::readOccupancy(KernelProblem &problem) {
  int programs = 0;
  const Library &library = device.platform.library();
  Status status = library.occupancyMaxActiveBlocks(&programs, function, threads, dynamicSharedBytes);
  if (status != Status::Success) {
    return device.fail("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", status, problem);
  }
  programsAtOnce = std::max(programs * device.properties.multiprocessors, 1);
  return true;
}

bool Kernel::prepare(const KernelCode &code, KernelProblem &problem) {
  const Library &library = device.platform.library();
  Status status = library.moduleLoadData(&module, code.image.c_str());
  if (status != Status::Success) {
    device.fail("hipModuleLoadData", status, problem);
    problem.message += "; the code is for " + code.architecture + ", the device is " + device.architecture +
                       (device.features.empty() ? "" : " with " + device.features) +
                       ", and the runtime is that of HIP " + versionText(device.platform.runtimeVersion());
    return false;
  }
  status = library.moduleGetFunction(&function, module, code.symbol.c_str());
  if (status != Status::Success) {
    return device.fail("hipModuleGetFunction", status, problem);
  }
  if (!readResources(problem) || (code.prints && !device.connectPrints(module, problem))) {
    return false;
  }
  problem.excess = excessOfMemoryOrThreads(device.limits, device.properties.warpSize,
                                           resources.staticSharedBytes + dynamicSharedBytes, threads);
  if (!problem.excess) {
    problem.excess = excessOfCompiledThreads(resources, threads);
  }
  if (problem.excess) {
    problem.message = describe(*problem.excess, device.label());
    return false;
  }
  return !code.isPersistent || readOccupancy(problem);
}

std::unique_ptr<Kernel> Kernel::load(Device &device, const KernelCode &code, KernelProblem &problem) {
  problem.message = device.isLost() ? device.lostBecause() : mismatchOf(device, code);
  if (problem.message.empty() && !code.arguments.problem().empty()) {
    problem.message = "the code has " + code.arguments.problem();
  }
  if (!problem.message.empty()) {
    return nullptr;
  }
  std::unique_ptr<Kernel> kernel(new Kernel(device, code));
  const Library &library = device.platform.library();
  RelaxedCapture relaxed(library);
  DeviceScope scope(device);
  if (scope.status != Status::Success) {
    device.fail("hipSetDevice", scope.status, problem);
    return nullptr;
  }
  if (!kernel->prepare(code, problem)) {
    if (kernel->module) {
      library.moduleUnload(kernel->module);
    }
    return nullptr;
  }
  return kernel;
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

std::optional<Excess> Kernel::excessOf(const Grid &grid) const {
  DeviceLimits limits = device.limits;
  limits.grid[0] = static_cast<int>(std::min<int64_t>(limits.grid[0], UINT32_MAX / std::max(threads, 1)));
  return excessOfGrid(limits, grid);
}

Status Kernel::launch(const Grid &grid, Stream stream, void **values) const {
  DeviceScope scope(device);
  if (scope.status != Status::Success) {
    return scope.status;
  }
  const Library &library = device.platform.library();
  auto shared = static_cast<unsigned>(dynamicSharedBytes);
  if (isCooperative) { // which takes no buffer
    return library.moduleLaunchCooperativeKernel(function, grid.axes[0], grid.axes[1], grid.axes[2], threads, 1, 1,
                                                 shared, stream, values);
  }
  alignas(16) unsigned char buffer[ArgumentLayout::kMaxBytes]; // the runtime copies it
  arguments.pack(values, buffer);
  size_t bytes = arguments.bytes();
  void *extra[] = {reinterpret_cast<void *>(kLaunchBuffer), buffer, reinterpret_cast<void *>(kLaunchBufferBytes),
                   &bytes, reinterpret_cast<void *>(kLaunchEnd)};
  return library.moduleLaunchKernel(function, grid.axes[0], grid.axes[1], grid.axes[2], threads, 1, 1, shared, stream,
                                    nullptr, extra);
}

} // namespace tilewright::runtime::hip
