// A kernel on a GPU: what launches and loading have in common for all vendors. A kernel is launched on the current
// stream of the arguments' framework.

#ifndef TILEWRIGHT_LIB_LAUNCHER_GPUKERNEL_H
#define TILEWRIGHT_LIB_LAUNCHER_GPUKERNEL_H

#include "Reports.h"
#include "tilewright/Launcher/LoadedKernel.h"

#include "tilewright/Runtime/GpuDevice.h"
#include "tilewright/Runtime/TensorMap.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::launcher {

class GpuKernel : public LoadedKernel {
public:
  /// Returns after the launch was queued.
  bool launch(Call &call, PyObject *compiled, const runtime::Grid &grid) final;

  virtual const runtime::KernelResources &resources() const = 0;
  /// The driver's handles, for programs that launch the kernel themselves.
  virtual uintptr_t moduleHandle() const = 0;
  virtual uintptr_t functionHandle() const = 0;

  runtime::GpuDevice &device;

protected:
  /// `slots` are the slots of the code's parameters, in order; none if each argument has its parameter. Slots below
  /// zero are the hidden ones of code with bounds checks or assertions, or of persistent code. The launch's tensor maps
  /// follow. `reporting` must never be freed; it is null for code that reports nothing. `programsAtOnce` is the number
  /// of programs that a launch of persistent code starts; none for other code.
  GpuKernel(runtime::GpuDevice &device, std::optional<std::vector<int>> slots, ReportingCode *reporting,
            std::optional<int> programsAtOnce);

  /// The first axis of a launch's grid that exceeds a limit.
  virtual std::optional<runtime::Excess> excessOf(const runtime::Grid &grid) const;
  /// Encodes the launch's tensor maps for the hardware. Fails if there are any, by default.
  virtual bool encodeTensorMaps(Call &call, std::vector<runtime::EncodedTensorMap> &encoded);
  /// Whether the code has this number of parameters; if not, an exception is set. Not every driver reports that.
  virtual bool takes(size_t parameters) const { return true; }
  /// Queues a grid; `parameters` are the addresses of the parameters' values. It is called without the GIL.
  virtual bool queue(const runtime::Grid &grid, uintptr_t stream, void **parameters,
                     runtime::KernelProblem &problem) = 0;

private:
  class HiddenSlots;
  bool isReady(const Call &call, const runtime::Grid &grid) const;
  bool addArguments(Call &call, HiddenSlots &hidden, llvm::SmallVectorImpl<void *> &parameters) const;
  void setLabel(const Call &call);

  const std::optional<std::vector<int>> slots;
  ReportingCode *const reporting;
  const std::optional<int> programsAtOnce; // if the code takes the launch's grid
  const size_t slotCount;                  // the least number of slots of a launch
  /// The kernel's name in the device's error messages; never freed. Null before the first launch.
  const char *label = nullptr;
};

/// Throws the exception for code that can't be loaded. `device` is null if it does not exist.
[[noreturn]] void raiseLoadProblem(const std::string &name, const runtime::GpuDevice *device,
                                   const runtime::KernelProblem &problem);

/// Loads code onto a device of a vendor's platform. Throws an exception of Python on failure.
template <typename Kernel, typename Platform, typename Code>
std::unique_ptr<Kernel> loadOnto(Platform &platform, const std::string &name, int ordinal, const Code &code) {
  runtime::KernelProblem problem;
  auto *device = platform.device(ordinal);
  if (device) {
    pybind11::gil_scoped_release unlocked;
    if (std::unique_ptr<Kernel> kernel = Kernel::load(*device, code, problem)) {
      return kernel;
    }
  } else if (platform.problem().empty()) {
    problem.message = std::string("there is no ") + Platform::kKind + ":" + std::to_string(ordinal) + ", there are " +
                      std::to_string(platform.devices().size()) + " " + Platform::kTitle + " devices";
  } else {
    problem.message = std::string("there is no ") + Platform::kTitle + " device: " + platform.problem();
  }
  raiseLoadProblem(name, device, problem);
}

/// Binds the base class for Python, with its resources and handles.
void bindGpuKernel(pybind11::module_ &module);

/// An attribute of launches, which metadata made by other programs may lack.
bool hasAttribute(const LoadRequest &request, const char *name);

} // namespace tilewright::launcher

#endif // TILEWRIGHT_LIB_LAUNCHER_GPUKERNEL_H
