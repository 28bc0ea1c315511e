// Kernels on CUDA devices: launching them through the driver, and the exceptions for failures.

#include "Kernel.h"
#include "tilewright/Launcher/Launcher.h"
#include "tilewright/Launcher/Load.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <unordered_set>

namespace py = pybind11;

namespace tilewright::launcher {

using namespace runtime;

/// A copy of the text that is never freed.
static const char *immortal(const std::string &text) {
  static auto &texts = *new std::unordered_set<std::string>();
  return texts.insert(text).first->c_str();
}

static size_t countSlots(const std::vector<int> &slots) {
  auto last = std::max_element(slots.begin(), slots.end());
  return last == slots.end() ? 0 : std::max(*last + 1, 0);
}

CudaKernel::CudaKernel(std::unique_ptr<cuda::Kernel> kernel, std::optional<std::vector<int>> slots,
                       ReportingCode *reporting, bool isPersistent)
    : kernel(std::move(kernel)), slots(std::move(slots)), encoder(this->kernel->device), reporting(reporting),
      isPersistent(isPersistent), slotCount(this->slots ? countSlots(*this->slots) : 0) {}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

/// The values of hidden parameters, which CheckBounds.cpp, ReportAsserts.cpp and MakePersistent.cpp define. Hidden slot
/// 0 is slot -1, hidden slot 1 is slot -2, and so on.
class CudaKernel::HiddenSlots {
public:
  /// `grid` is that of the launch for code that executes several programs, and null for other code.
  HiddenSlots(const Call &call, const ReportingCode *code, const Grid *grid) : call(call), code(code) {
    if (code) {
      values.reserve(kMost); // pointers to values stay valid
    } else if (grid) {
      values.assign(grid->axes.begin(), grid->axes.end());
      isGrid = true;
    }
  }

  /// Null if the slot is not a hidden one.
  uint64_t *valueOf(int slot) {
    if (isGrid) {
      size_t axis = static_cast<size_t>(-slot - 1);
      return axis < values.size() ? &values[axis] : nullptr;
    }
    if (!code || values.size() == kMost) {
      return nullptr;
    }
    return &values.emplace_back(slot == -1 ? code->mailbox.onDevice : boundOf((-slot - 2) / 2, slot % 2 != 0));
  }

private:
  uint64_t boundOf(size_t slot, bool isSize) const {
    for (const PassedArray &array : call.arrays) {
      if (array.slot == slot && array.extent) {
        return isSize ? array.extent->end - array.extent->begin : array.extent->begin;
      }
    }
    // An array of unknown size is assumed to contain every address.
    return isSize ? INT64_MAX : 0;
  }

  /// The most parameters of a kernel: they take at most four kilobytes.
  static constexpr size_t kMost = 512;
  const Call &call;
  const ReportingCode *code;
  llvm::SmallVector<uint64_t, 3> values; // without an allocation for a grid
  bool isGrid = false;
};

static bool explain(Call &call, cuda::Device &device, cuda::Status status) {
  std::string text = device.explain("cuLaunchKernel", status);
  if (!device.isLost() || !setReport(device)) {
    setError(errorFor(status), call.state, nullptr, text);
  }
  return false;
}

/// Appends the addresses of the parameters' values.
bool CudaKernel::addArguments(Call &call, HiddenSlots &hidden, llvm::SmallVectorImpl<void *> &parameters) const {
  if (!slots) {
    for (size_t slot : call.slots.leaves()) {
      parameters.push_back(&call.slots[slot]);
    }
    return true;
  }
  for (int slot : *slots) {
    parameters.push_back(slot < 0 ? hidden.valueOf(slot) : &call.slots[slot]);
    if (!parameters.back()) {
      PyErr_SetString(PyExc_SystemError, "the code has hidden parameters whose values are unknown");
      return false;
    }
  }
  return true;
}

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

bool CudaKernel::launch(Call &call, PyObject *, const Grid &grid) {
  cuda::Device &device = kernel->device;
  if (auto excess = cuda::excessOfGrid(device.limits, grid)) {
    setError("GridError", call.state, nullptr, describe(*excess, device.label()));
    return false;
  }
  if (device.isLost()) {
    if (!setReport(device)) {
      setError("DeviceError", call.state, nullptr, device.lostBecause());
    }
    return false;
  }
  if (call.slots.size() < slotCount) {
    PyErr_SetString(PyExc_SystemError, "the compiled kernel has parameters that the Python function lacks");
    return false;
  }
  uintptr_t stream = 0;
  if (!findStream(call.placement, stream)) {
    return false;
  }
  std::optional<Grid> started = isPersistent ? startedGrid(grid, kernel->programsAtOnce) : grid;
  if (!started) {
    setError("GridError", call.state, nullptr, describeTooManyPrograms(grid));
    return false;
  }
  llvm::SmallVector<void *, 32> parameters;
  HiddenSlots hidden(call, reporting, isPersistent ? &grid : nullptr);
  std::vector<EncodedTensorMap> maps; // which SmallVector would not align
  if (!addArguments(call, hidden, parameters) || !encodeTensorMaps(call, maps)) {
    return false;
  }
  for (EncodedTensorMap &map : maps) {
    parameters.push_back(&map);
  }
  if (!label) {
    label = immortal(call.state.label);
    if (reporting) {
      reporting->label = label;
    }
  }
  // Release the GIL: if its queue is full, the driver waits, possibly for work that depends on another Python thread.
  PyThreadState *released = PyEval_SaveThread();
  cuda::Status status = kernel->launch(*started, reinterpret_cast<cuda::Stream>(stream), parameters.data());
  PyEval_RestoreThread(released);
  if (status != cuda::Status::Success) {
    return explain(call, device, status);
  }
  device.noteLaunch(label);
  return true;
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
  cuda::Platform &platform = cuda::Platform::instance();
  cuda::LoadProblem problem;
  std::unique_ptr<cuda::Kernel> kernel;
  cuda::Device *known = platform.device(device);
  if (known) {
    py::gil_scoped_release unlocked;
    kernel = cuda::Kernel::load(*known, code, problem);
  } else if (platform.problem().empty()) {
    problem.message = "there is no cuda:" + std::to_string(device) + ", there are " +
                      std::to_string(platform.devices().size()) + " CUDA devices";
  } else {
    problem.message = "there is no CUDA device: " + platform.problem();
  }
  if (kernel) {
    ReportingCode *reporting = nullptr;
    if (AccessSites sites = readAccesses(accesses); sites || !asserts.empty()) {
      auto code = std::make_unique<ReportingCode>(ReportingCode{
          name, known, std::move(sites).value_or(std::vector<AccessSite>()), std::move(asserts), {}, nullptr});
      reporting = addReportingCode(std::move(code), *known);
    }
    return std::make_shared<CudaKernel>(std::move(kernel), std::move(slots), reporting, isPersistent);
  }
  if (known && known->isLost()) {
    raiseReport(*known);
  }
  if (!problem.excess) {
    raise(errorFor(problem.status), name + ": " + problem.message);
  }
  const cuda::Excess &excess = *problem.excess;
  raise("OutOfResourcesError", name + ": " + problem.message, excess.resource, excess.required, excess.limit);
}

/// An attribute of launches, which metadata made by other programs may lack.
static bool hasAttribute(const LoadRequest &request, const char *name) {
  return request.metadata.contains(name) && request.get<bool>(name);
}

std::shared_ptr<LoadedKernel> cudaLoad(const LoadRequest &request) {
  return loadOnDevice(request.kernel, request.object, request.symbol, request.ordinal, request.get<int>("threads"),
                      request.get<int64_t>("shared_bytes"), request.get<std::vector<int>>("slots"), request.accesses(),
                      request.asserts(), hasAttribute(request, "launch_pdl"),
                      hasAttribute(request, "launch_cooperative_grid"), hasAttribute(request, "persistent"));
}

void cudaBind(py::module_ &module) {
  py::class_<CudaKernel, LoadedKernel, std::shared_ptr<CudaKernel>>(module, "CudaKernel", "A kernel on a CUDA device.")
      .def_property_readonly("device", [](const CudaKernel &self) { return self.kernel->device.label(); })
      .def_property_readonly("registers", [](const CudaKernel &self) { return self.kernel->resources.registers; })
      .def_property_readonly("local_bytes", [](const CudaKernel &self) { return self.kernel->resources.localBytes; })
      .def_property_readonly("static_shared_bytes",
                             [](const CudaKernel &self) { return self.kernel->resources.staticSharedBytes; })
      .def_property_readonly("max_threads", [](const CudaKernel &self) { return self.kernel->resources.maxThreads; })
      .def_property_readonly(
          "module", [](const CudaKernel &self) { return reinterpret_cast<uintptr_t>(self.kernel->moduleHandle()); })
      .def_property_readonly("function", [](const CudaKernel &self) {
        return reinterpret_cast<uintptr_t>(self.kernel->functionHandle());
      });
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
