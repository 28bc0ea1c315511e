#include "GpuKernel.h"

#include "tilewright/Launcher/Launcher.h"

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

GpuKernel::GpuKernel(GpuDevice &device, std::optional<std::vector<int>> slots, ReportingCode *reporting,
                     std::optional<int> programsAtOnce)
    : device(device), slots(std::move(slots)), reporting(reporting), programsAtOnce(programsAtOnce),
      slotCount(this->slots ? countSlots(*this->slots) : 0) {}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

/// The values of hidden parameters, which CheckBounds.cpp, ReportAsserts.cpp and MakePersistent.cpp define. Hidden slot
/// 0 is slot -1, hidden slot 1 is slot -2, and so on.
class GpuKernel::HiddenSlots {
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

/// Appends the addresses of the parameters' values.
bool GpuKernel::addArguments(Call &call, HiddenSlots &hidden, llvm::SmallVectorImpl<void *> &parameters) const {
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

std::optional<Excess> GpuKernel::excessOf(const Grid &grid) const { return excessOfGrid(device.limits, grid); }

bool GpuKernel::encodeTensorMaps(Call &call, std::vector<EncodedTensorMap> &) {
  if (!call.tensorMaps.empty()) {
    PyErr_SetString(PyExc_SystemError, "the code takes tensor maps, which its kind of device does not have");
  }
  return call.tensorMaps.empty();
}

/// Whether the launch may be queued; if not, an exception is set.
bool GpuKernel::isReady(const Call &call, const Grid &grid) const {
  if (auto excess = excessOf(grid)) {
    setError("GridError", call.state, nullptr, describe(*excess, device.label()));
    return false;
  }
  if ((device.isLost() || device.survivesReports) && setReport(device)) {
    return false;
  }
  if (device.isLost()) {
    setError("DeviceError", call.state, nullptr, device.lostBecause());
    return false;
  }
  if (call.slots.size() < slotCount) {
    PyErr_SetString(PyExc_SystemError, "the compiled kernel has parameters that the Python function lacks");
    return false;
  }
  return true;
}

void GpuKernel::setLabel(const Call &call) {
  if (label) {
    return;
  }
  label = immortal(call.state.label);
  if (reporting) {
    reporting->label = label;
  }
}

static bool setProblem(const Call &call, const GpuDevice &device, const KernelProblem &problem) {
  if (!device.isLost() || !setReport(device)) {
    setError(errorFor(problem), call.state, nullptr, problem.message);
  }
  return false;
}

bool GpuKernel::launch(Call &call, PyObject *, const Grid &grid) {
  uintptr_t stream = 0;
  if (!isReady(call, grid) || !findStream(call.placement, stream)) {
    return false;
  }
  std::optional<Grid> started = programsAtOnce ? startedGrid(grid, *programsAtOnce) : grid;
  if (!started) {
    setError("GridError", call.state, nullptr, describeTooManyPrograms(grid));
    return false;
  }
  llvm::SmallVector<void *, 32> parameters;
  HiddenSlots hidden(call, reporting, programsAtOnce ? &grid : nullptr);
  std::vector<EncodedTensorMap> maps; // which SmallVector would not align
  if (!addArguments(call, hidden, parameters) || !encodeTensorMaps(call, maps)) {
    return false;
  }
  for (EncodedTensorMap &map : maps) {
    parameters.push_back(&map);
  }
  if (!takes(parameters.size())) {
    return false;
  }
  setLabel(call);
  // Release the GIL: if its queue is full, the driver waits, possibly for work that depends on another Python thread.
  PyThreadState *released = PyEval_SaveThread();
  KernelProblem problem;
  bool isQueued = queue(*started, stream, parameters.data(), problem);
  PyEval_RestoreThread(released);
  if (!isQueued) {
    return setProblem(call, device, problem);
  }
  device.noteLaunch(label);
  return true;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

void raiseLoadProblem(const std::string &name, const GpuDevice *device, const KernelProblem &problem) {
  if (device && device->isLost()) {
    raiseReport(*device);
  }
  std::string message = name + ": " + problem.message;
  if (!problem.excess) {
    raise(errorFor(problem), message);
  }
  const Excess &excess = *problem.excess;
  raise("OutOfResourcesError", message, excess.resource, excess.required, excess.limit);
}

void bindGpuKernel(py::module_ &module) {
  py::class_<GpuKernel, LoadedKernel, std::shared_ptr<GpuKernel>>(module, "GpuKernel", "A kernel on a GPU.")
      .def_property_readonly("device", [](const GpuKernel &self) { return self.device.label(); })
      .def_property_readonly("registers", [](const GpuKernel &self) { return self.resources().registers; })
      .def_property_readonly("local_bytes", [](const GpuKernel &self) { return self.resources().localBytes; })
      .def_property_readonly("static_shared_bytes",
                             [](const GpuKernel &self) { return self.resources().staticSharedBytes; })
      .def_property_readonly("max_threads", [](const GpuKernel &self) { return self.resources().maxThreads; })
      .def_property_readonly("module", &GpuKernel::moduleHandle)
      .def_property_readonly("function", &GpuKernel::functionHandle);
}

bool hasAttribute(const LoadRequest &request, const char *name) {
  return request.metadata.contains(name) && request.get<bool>(name);
}

} // namespace tilewright::launcher
