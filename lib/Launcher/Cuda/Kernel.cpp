// Kernels on CUDA devices: launching them through the driver.

#include "Kernel.h"
#include "tilewright/Launcher/Launcher.h"
#include "tilewright/Launcher/Load.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace tilewright::launcher {

using namespace runtime;

CudaKernel::CudaKernel(std::unique_ptr<cuda::Kernel> kernel, std::optional<std::vector<int>> slots,
                       ReportingCode *reporting, bool isPersistent)
    : GpuKernel(kernel->device, std::move(slots), reporting,
                isPersistent ? std::optional<int>(kernel->programsAtOnce) : std::nullopt),
      kernel(std::move(kernel)), encoder(this->kernel->device) {}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

bool CudaKernel::encodeTensorMaps(Call &call, std::vector<EncodedTensorMap> &encoded) {
  encoded.resize(call.tensorMaps.size());
  for (size_t map = 0; map < encoded.size(); ++map) {
    std::string problem = encoder.encode(call.tensorMaps[map], encoded[map]);
    if (!problem.empty()) {
      setError("DeviceError", call.state, baseOfTensorMap(call, map), "has a tensor map: " + problem);
      return false;
    }
  }
  return true;
}

bool CudaKernel::queue(const Grid &grid, uintptr_t stream, void **parameters, KernelProblem &problem) {
  cuda::Status status = kernel->launch(grid, reinterpret_cast<cuda::Stream>(stream), parameters);
  if (status != cuda::Status::Success) {
    problem.message = kernel->device.explain("cuLaunchKernel", status);
    problem.isAssertion = status == cuda::Status::Assert;
  }
  return status == cuda::Status::Success;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

static std::shared_ptr<CudaKernel> loadOnDevice(const std::string &name, const py::bytes &image,
                                                const std::string &symbol, int device, int threads, int64_t sharedBytes,
                                                std::optional<std::vector<int>> slots, const PyAccesses &accesses,
                                                std::vector<PyAssert> asserts, bool launchPdl,
                                                bool launchCooperativeGrid, bool isPersistent) {
  cuda::KernelCode code{image, symbol, threads, sharedBytes, launchPdl, launchCooperativeGrid, isPersistent};
  auto kernel = loadOnto<cuda::Kernel>(cuda::Platform::instance(), name, device, code);
  ReportingCode *reporting = addReportingCode(name, kernel->device, accesses, std::move(asserts));
  return std::make_shared<CudaKernel>(std::move(kernel), std::move(slots), reporting, isPersistent);
}

std::shared_ptr<LoadedKernel> cudaLoad(const LoadRequest &request) {
  return loadOnDevice(request.kernel, request.object, request.symbol, request.ordinal, request.get<int>("threads"),
                      request.get<int64_t>("shared_bytes"), request.get<std::vector<int>>("slots"), request.accesses(),
                      request.asserts(), hasAttribute(request, "launch_pdl"),
                      hasAttribute(request, "launch_cooperative_grid"), hasAttribute(request, "persistent"));
}

void cudaBind(py::module_ &module) {
  // NOLINTNEXTLINE(bugprone-unused-raii): the module keeps the class
  py::class_<CudaKernel, GpuKernel, std::shared_ptr<CudaKernel>>(module, "CudaKernel", "A kernel on a CUDA device.");
  module.def("load_cuda", &loadOnDevice, py::arg("name"), py::arg("image"), py::arg("symbol"), py::arg("device"),
             py::arg("threads"), py::arg("shared_bytes") = 0, py::arg("slots") = py::none(),
             py::arg("accesses") = py::none(), py::arg("asserts") = std::vector<PyAssert>(),
             py::arg("launch_pdl") = false, py::arg("launch_cooperative_grid") = false, py::arg("persistent") = false,
             "Loads a cubin or PTX onto a device, where it stays; load() does so for compiled kernels.\n\n"
             "`slots` are the slots of the code's parameters in order; None if each argument has its parameter.\n"
             "The launch's tensor maps follow.\n"
             "Code with bounds checks needs its `accesses`, code with assertions its `asserts`; both have slots below\n"
             "zero, and so has `persistent` code.\n"
             "Raises DeviceError, or OutOfResourcesError with the required amount and the limit.");
  module.def("use_cuda_driver", &cuda::Platform::replaceInstance, py::arg("library") = "",
             "Replaces the driver by a library, for tests without a GPU; by default restores the usual one.");
}

} // namespace tilewright::launcher
