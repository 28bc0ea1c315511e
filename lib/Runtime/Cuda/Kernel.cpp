#include "tilewright/Runtime/Cuda/Kernel.h"

#include "tilewright/Hardware/Nvidia.h"

#include <algorithm>

namespace tilewright::runtime::cuda {

bool Kernel::failed(const char *call, Status status, KernelProblem &problem) const {
  if (status == Status::Success) {
    return false;
  }
  problem.message = device.explain(call, status);
  problem.isAssertion = status == Status::Assert;
  return true;
}

/// The first line of the log of the driver's assembler.
static std::string firstLine(const char *log) {
  std::string text = log;
  return text.substr(0, text.find('\n'));
}

bool Kernel::prepare(const KernelCode &code, KernelProblem &problem) {
  const Driver &driver = device.platform.driver();
  char log[4096] = "";
  JitOption options[] = {JitOption::ErrorLog, JitOption::ErrorLogBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  // The driver expects PTX to end with a zero byte, which c_str() provides.
  Status status = driver.moduleLoadDataEx(&module, code.image.c_str(), 2, options, values);
  if (failed("cuModuleLoadDataEx", status, problem)) {
    problem.message += *log ? "; " + firstLine(log) : "";
    if (status == Status::UnsupportedPtxVersion || status == Status::InvalidImage) {
      int version = device.platform.driverVersion();
      problem.message += "; the driver is that of CUDA " + versionText(version);
      problem.message += ", which supports PTX up to " + versionText(newestPtx(version) * 100);
    }
    return false;
  }
  if (failed("cuModuleGetFunction", driver.moduleGetFunction(&function, module, code.symbol.c_str()), problem) ||
      !readResources(problem)) {
    return false;
  }
  problem.excess = excessOfBlock(device.limits, resources, threads, dynamicSharedBytes);
  if (problem.excess) {
    problem.message = describe(*problem.excess, device.label());
    return false;
  }
  if (resources.staticSharedBytes + dynamicSharedBytes > hardware::kStaticShared) {
    auto bytes = static_cast<int>(dynamicSharedBytes);
    status = driver.funcSetAttribute(function, FunctionAttribute::MaxDynamicSharedBytes, bytes);
    if (failed("cuFuncSetAttribute", status, problem)) {
      return false;
    }
  }
  return !code.isPersistent || readOccupancy(problem);
}

bool Kernel::readOccupancy(KernelProblem &problem) {
  int programs = 0;
  Status status = device.platform.driver().occupancyMaxActiveBlocks(&programs, function, threads, dynamicSharedBytes);
  if (failed("cuOccupancyMaxActiveBlocksPerMultiprocessor", status, problem)) {
    return false;
  }
  programsAtOnce = std::max(programs * device.properties.multiprocessors, 1);
  return true;
}

bool Kernel::readResources(KernelProblem &problem) {
  const std::pair<FunctionAttribute, int *> attributes[] = {
      {FunctionAttribute::Registers, &resources.registers},
      {FunctionAttribute::LocalBytes, &resources.localBytes},
      {FunctionAttribute::StaticSharedBytes, &resources.staticSharedBytes},
      {FunctionAttribute::MaxThreadsPerBlock, &resources.maxThreads}};
  for (auto [attribute, value] : attributes) {
    Status status = device.platform.driver().funcGetAttribute(value, attribute, function);
    if (failed("cuFuncGetAttribute", status, problem)) {
      return false;
    }
  }
  return true;
}

std::unique_ptr<Kernel> Kernel::load(Device &device, const KernelCode &code, KernelProblem &problem) {
  if (device.isLost()) {
    problem.message = device.lostBecause();
    return nullptr;
  }
  std::unique_ptr<Kernel> kernel(new Kernel(device, code));
  const Driver &driver = device.platform.driver();
  RelaxedCapture relaxed(driver);
  ContextScope scope(device);
  if (kernel->failed("cuDevicePrimaryCtxRetain", scope.status, problem)) {
    return nullptr;
  }
  if (!kernel->prepare(code, problem)) {
    if (kernel->module) {
      driver.moduleUnload(kernel->module);
    }
    return nullptr;
  }
  return kernel;
}

Status Kernel::launchWithAttributes(const Grid &grid, Stream stream, void **parameters) const {
  LaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (overlaps) {
    attributes[count++] = {LaunchAttributeId::ProgrammaticStreamSerialization, {}, 1, {}};
  }
  if (isCooperative) {
    attributes[count++] = {LaunchAttributeId::Cooperative, {}, 1, {}};
  }
  LaunchConfig config = {static_cast<unsigned>(grid.axes[0]),
                         static_cast<unsigned>(grid.axes[1]),
                         static_cast<unsigned>(grid.axes[2]),
                         static_cast<unsigned>(threads),
                         1,
                         1,
                         static_cast<unsigned>(dynamicSharedBytes),
                         stream,
                         attributes,
                         count};
  return device.platform.driver().launchKernelEx(&config, function, parameters, nullptr);
}

Status Kernel::launch(const Grid &grid, Stream stream, void **parameters) const {
  ContextScope scope(device);
  if (scope.status != Status::Success) {
    return scope.status;
  }
  if (overlaps || isCooperative) {
    return launchWithAttributes(grid, stream, parameters);
  }
  return device.platform.driver().launchKernel(function, grid.axes[0], grid.axes[1], grid.axes[2], threads, 1, 1,
                                               static_cast<unsigned>(dynamicSharedBytes), stream, parameters, nullptr);
}

} // namespace tilewright::runtime::cuda
