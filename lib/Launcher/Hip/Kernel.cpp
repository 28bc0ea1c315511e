// Kernels on AMD GPUs: loading and launching them through the HIP runtime.

#include "../GpuKernel.h"

#include "tilewright/Launcher/Launcher.h"
#include "tilewright/Launcher/Load.h"

#include "tilewright/Runtime/Hip/Kernel.h"
#include "tilewright/Target/Amdgpu/KernelNotes.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdio>
#include <utility>

namespace py = pybind11;

namespace tilewright::launcher {

using namespace runtime;

namespace {

class HipKernel final : public GpuKernel {
public:
  HipKernel(std::unique_ptr<hip::Kernel> kernel, std::optional<std::vector<int>> slots, ReportingCode *reporting,
            bool isPersistent)
      : GpuKernel(kernel->device, std::move(slots), reporting,
                  isPersistent ? std::optional<int>(kernel->programsAtOnce) : std::nullopt),
        kernel(std::move(kernel)) {}

  const KernelResources &resources() const override { return kernel->resources; }
  uintptr_t moduleHandle() const override { return reinterpret_cast<uintptr_t>(kernel->moduleHandle()); }
  uintptr_t functionHandle() const override { return reinterpret_cast<uintptr_t>(kernel->functionHandle()); }

private:
  std::optional<Excess> excessOf(const Grid &grid) const override { return kernel->excessOf(grid); }
  bool takes(size_t parameters) const override;
  bool queue(const Grid &grid, uintptr_t stream, void **parameters, KernelProblem &problem) override;

  const std::unique_ptr<hip::Kernel> kernel;
};

} // namespace

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

bool HipKernel::takes(size_t parameters) const {
  if (parameters != kernel->arguments.size()) {
    PyErr_Format(PyExc_SystemError, "the launch passes %zu arguments, and the code takes %zu", parameters,
                 kernel->arguments.size());
  }
  return parameters == kernel->arguments.size();
}

/// Prints the lines of earlier launches.
static void printLines(hip::Device &device) {
  std::string lines = device.takeLines();
  if (!lines.empty()) {
    std::fwrite(lines.data(), 1, lines.size(), stdout);
    std::fflush(stdout);
  }
}

bool HipKernel::queue(const Grid &grid, uintptr_t stream, void **parameters, KernelProblem &problem) {
  printLines(kernel->device);
  hip::Status status = kernel->launch(grid, reinterpret_cast<hip::Stream>(stream), parameters);
  return status == hip::Status::Success || kernel->device.fail("hipModuleLaunchKernel", status, problem);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Completes what the metadata says by the notes of the code object: its architecture, and where the arguments are.
/// Throws an exception of Python if the code object is malformed or has no such kernel.
static void readCode(const std::string &name, hip::KernelCode &code) {
  auto notes = amdgpu::readNotes(code.image);
  if (!notes) {
    raise("DeviceError", name + ": " + llvm::toString(notes.takeError()));
  }
  const amdgpu::KernelNotes *kernel = notes->find(code.symbol);
  if (!kernel) {
    raise("DeviceError", name + ": the code object has no kernel '" + code.symbol + "'");
  }
  std::vector<hip::Argument> arguments;
  for (const amdgpu::ArgumentNote &argument : kernel->arguments) {
    if (!argument.isHidden) {
      arguments.push_back({argument.offset, argument.bytes});
    }
  }
  code.architecture = notes->architecture;
  code.arguments = hip::ArgumentLayout(std::move(arguments));
}

static void printAllLines() {
  for (hip::Device &device : hip::Platform::instance().devices()) {
    printLines(device);
  }
}

/// Lines of the last launches are printed when the interpreter exits.
static void printAtExit() {
  static bool isRegistered = false; // guarded by the GIL
  if (!std::exchange(isRegistered, true)) {
    py::module_::import("atexit").attr("register")(py::cpp_function(printAllLines));
  }
}

static std::shared_ptr<HipKernel> loadOnDevice(const std::string &name, const py::bytes &image,
                                               const std::string &symbol, int device, int threads, int64_t sharedBytes,
                                               std::optional<std::vector<int>> slots, const PyAccesses &accesses,
                                               std::vector<PyAssert> asserts, bool launchCooperativeGrid,
                                               bool isPersistent, bool prints) {
  hip::KernelCode code{image, symbol, "", {}, threads, sharedBytes, launchCooperativeGrid, isPersistent, prints};
  if (prints) {
    printAtExit();
  }
  readCode(name, code);
  auto kernel = loadOnto<hip::Kernel>(hip::Platform::instance(), name, device, code);
  ReportingCode *reporting = addReportingCode(name, kernel->device, accesses, std::move(asserts));
  return std::make_shared<HipKernel>(std::move(kernel), std::move(slots), reporting, isPersistent);
}

std::shared_ptr<LoadedKernel> hipLoad(const LoadRequest &request) {
  return loadOnDevice(request.kernel, request.object, request.symbol, request.ordinal, request.get<int>("threads"),
                      request.get<int64_t>("shared_bytes"), request.get<std::vector<int>>("slots"), request.accesses(),
                      request.asserts(), hasAttribute(request, "launch_cooperative_grid"),
                      hasAttribute(request, "persistent"), hasAttribute(request, "prints"));
}

void hipBind(py::module_ &module) {
  // NOLINTNEXTLINE(bugprone-unused-raii): the module keeps the class
  py::class_<HipKernel, GpuKernel, std::shared_ptr<HipKernel>>(module, "HipKernel", "A kernel on an AMD GPU.");
  module.def("load_hip", &loadOnDevice, py::arg("name"), py::arg("image"), py::arg("symbol"), py::arg("device"),
             py::arg("threads"), py::arg("shared_bytes") = 0, py::arg("slots") = py::none(),
             py::arg("accesses") = py::none(), py::arg("asserts") = std::vector<PyAssert>(),
             py::arg("launch_cooperative_grid") = false, py::arg("persistent") = false, py::arg("prints") = false,
             "Loads a code object onto a device, where it stays; load() does so for compiled kernels.\n\n"
             "The arguments are those of load_cuda().\n"
             "Raises DeviceError, or OutOfResourcesError with the required amount and the limit.");
  module.def("print_hip_lines", &printAllLines,
             "Prints the lines that kernels on AMD GPUs have printed so far; launches and the exit do so, too.");
  module.def("use_hip_library", &hip::Platform::replaceInstance, py::arg("library") = "",
             "Replaces the HIP runtime by a library, for tests without a GPU; by default restores the usual one.");
}

} // namespace tilewright::launcher
