// Kernels on the CPU: launching them, the exceptions of failed programs, and kernels written in C++ for tests of
// launching.

#include "tilewright/Launcher/HostKernel.h"
#include "PythonInterrupt.h"
#include "tilewright/Launcher/CheckedAccesses.h"
#include "tilewright/Launcher/Launcher.h"
#include "tilewright/Launcher/Load.h"

#include "tilewright/Runtime/Host/Printing.h"
#include "tilewright/Target/Host/Host.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <time.h>

namespace py = pybind11;

namespace tilewright::launcher {

using namespace runtime;

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

static std::array<int64_t, 3> positionInGrid(int64_t program, const Grid &grid) {
  int64_t x = grid.axes[0], y = grid.axes[1];
  return {program % x, program / x % y, program / x / y};
}

static bool explainFailure(Call &call, PyObject *compiled, const Result &failure, const Grid &grid) {
  Ref self = Ref::share(reinterpret_cast<PyObject *>(&call.launcher));
  Ref program = Ref::share(Py_None);
  if (failure.program >= 0) {
    std::array<int64_t, 3> position = positionInGrid(failure.program, grid);
    program = Ref::take(Py_BuildValue("(LLL)", (long long)position[0], (long long)position[1], (long long)position[2]));
  }
  Ref result =
      Ref::take(PyObject_CallMethod(self.get(), "_explain_failure", "OiO", compiled, failure.status, program.get()));
  if (result) {
    setError("DeviceAssertError", call.state, nullptr, "failed with code " + std::to_string(failure.status));
  }
  return false;
}

/// Sets the exception for a launch that did not finish.
static bool conclude(Call &call, PyObject *compiled, const Result &result, const Grid &grid, size_t scratchBytes) {
  switch (result.outcome) {
  case Result::Finished:
    return true;
  case Result::Failed:
    return explainFailure(call, compiled, result, grid);
  case Result::Interrupted:
    return false; // the signal handler has set an exception
  case Result::OutOfMemory:
    PyErr_Format(PyExc_MemoryError, "no memory for a kernel's scratch of %zu bytes per thread", scratchBytes);
    return false;
  }
  return false;
}

Result HostKernel::run(const uint64_t *slots, const Grid &grid) {
  PythonInterrupt interrupt;
  Result result = ThreadPool::instance().run({entry, slots, grid, cost}, &interrupt);
  flushPrinted();
  return result;
}

bool HostKernel::launch(Call &call, PyObject *compiled, const Grid &grid) {
  if (sites) {
    return launchChecked(call, compiled, grid);
  }
  return conclude(call, compiled, run(call.slots.data(), grid), grid, entry.scratchBytes);
}

//===----------------------------------------------------------------------===//
// Bounds checks
//===----------------------------------------------------------------------===//

/// Throws the reports of the bounds checks.
[[noreturn]] static void raiseFindings(PyObject *compiled, const AccessChecks &checks,
                                       const std::vector<AccessSite> &sites, const Grid &grid) {
  auto name = py::handle(compiled).attr("name").cast<std::string>();
  py::list findings;
  for (const AccessReport &report : checks.sortedReports()) {
    findings.append(
        makeFinding(name, sites[report.site], checks.describe(report), positionInGrid(report.program, grid)));
  }
  if (findings.empty()) {
    throw std::logic_error("a bounds check stopped a kernel without a report");
  }
  raise("CheckError", findings, checks.suppressed());
}

bool HostKernel::launchChecked(Call &call, PyObject *compiled, const Grid &grid) {
  try {
    std::vector<AccessChecks::SlotMemory> slots(call.slots.size());
    std::vector<NamedExtent> arrays;
    for (const PassedArray &array : call.arrays) {
      if (array.extent) {
        const char *name = PyUnicode_AsUTF8(array.parameter->name.get());
        arrays.push_back({name ? name : "?", array.extent->begin, array.extent->end});
        slots[array.slot] = {array.extent->begin, array.extent->end - array.extent->begin};
      }
    }
    AccessChecks checks(*sites, std::move(slots), std::move(arrays), call.extentsKnown);
    ArgumentBlock block(call.slots, AccessChecks::kHiddenSlots);
    checks.fillHidden(block.data() - AccessChecks::kHiddenSlots);
    Result result = run(block.data(), grid);
    if (result.outcome != Result::Failed || result.status != kOutOfBounds) {
      return conclude(call, compiled, result, grid, entry.scratchBytes);
    }
    raiseFindings(compiled, checks, *sites, grid);
  } catch (py::error_already_set &error) {
    error.restore();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

std::shared_ptr<LoadedKernel> cpuLoad(const LoadRequest &request) {
  auto scratchBytes = request.get<size_t>("scratch_bytes");
  AccessSites sites = readAccesses(request.accesses());
  std::optional<py::gil_scoped_release> unlocked(std::in_place);
  llvm::Expected<host::LinkedCode> code = host::link(request.object, request.symbol);
  unlocked.reset();
  if (!code) {
    setLinkError(code.takeError());
    throw py::error_already_set();
  }
  KernelEntry entry{reinterpret_cast<KernelFunction>(code->entry()), scratchBytes};
  return std::make_shared<HostKernel>(entry, std::move(sites), std::move(*code));
}

//===----------------------------------------------------------------------===//
// Kernels for tests
//===----------------------------------------------------------------------===//

namespace {

int32_t nothing(const uint64_t *, const int32_t *, int64_t, int64_t, void *) { return 0; }

/// Adds one to element i of the int32 array in slot 0 for each program i.
int32_t count(const uint64_t *slots, const int32_t *, int64_t begin, int64_t end, void *) {
  auto *counters = reinterpret_cast<int32_t *>(slots[0]);
  std::for_each(counters + begin, counters + end, [](int32_t &counter) { ++counter; });
  return 0;
}

/// Copies the first n slots to the array in slot 0, where n is the value of slot 1.
int32_t copySlots(const uint64_t *slots, const int32_t *, int64_t, int64_t, void *) {
  std::copy_n(slots, slots[1], reinterpret_cast<uint64_t *>(slots[0]));
  return 0;
}

/// Each program takes a number of microseconds, which is in slot 0.
int32_t sleepMicroseconds(const uint64_t *slots, const int32_t *, int64_t begin, int64_t end, void *) {
  uint64_t nanoseconds = slots[0] * 1000 * (end - begin);
  timespec time = {static_cast<time_t>(nanoseconds / 1000000000), static_cast<long>(nanoseconds % 1000000000)};
  nanosleep(&time, nullptr);
  return 0;
}

/// Fails with the code in slot 0.
int32_t fail(const uint64_t *slots, const int32_t *, int64_t, int64_t, void *) {
  return static_cast<int32_t>(slots[0]);
}

std::shared_ptr<HostKernel> testKernel(const std::string &name) {
  const std::pair<const char *, KernelFunction> kernels[] = {
      {"nothing", nothing}, {"count", count}, {"copy_slots", copySlots}, {"sleep", sleepMicroseconds}, {"fail", fail}};
  for (auto [known, function] : kernels) {
    if (name == known) {
      return std::make_shared<HostKernel>(KernelEntry{function, 0});
    }
  }
  throw py::key_error(name);
}

} // namespace

void cpuBind(py::module_ &module) {
  py::class_<HostKernel, LoadedKernel, std::shared_ptr<HostKernel>>(module, "HostKernel", "A kernel in this process.")
      .def_property_readonly(
          "address", [](const HostKernel &kernel) { return reinterpret_cast<uintptr_t>(kernel.entry.function); })
      .def_property_readonly("scratch_bytes", [](const HostKernel &kernel) { return kernel.entry.scratchBytes; });
  module.def(
      "kernel_from_address",
      [](uintptr_t address, size_t scratchBytes) {
        return std::make_shared<HostKernel>(KernelEntry{reinterpret_cast<KernelFunction>(address), scratchBytes});
      },
      py::arg("address"), py::arg("scratch_bytes") = 0,
      "Creates a kernel from the address of a function with a kernel's signature.");
  module.def("test_kernel", testKernel, "A kernel that is written in C++, for tests of launching.");
}

} // namespace tilewright::launcher
