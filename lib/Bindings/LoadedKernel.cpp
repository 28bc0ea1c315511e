// `LoadedKernel`, and kernels that need no compiler, for tests of launching.

#include "LoadedKernel.h"
#include "Launcher.h"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <string>
#include <time.h>

namespace py = pybind11;

namespace tilewright::bindings {

namespace {

int32_t nothing(const uint64_t *, const int32_t *, int64_t, int64_t, void *) { return 0; }

/// Adds one to element i of the int32 array in slot 0 for each program i.
int32_t count(const uint64_t *slots, const int32_t *, int64_t begin, int64_t end, void *) {
  auto *counters = reinterpret_cast<int32_t *>(slots[0]);
  std::for_each(counters + begin, counters + end, [](int32_t &counter) { ++counter; });
  return 0;
}

/// Copies as many slots as the last one of the first two says to the array in slot 0.
int32_t copySlots(const uint64_t *slots, const int32_t *, int64_t, int64_t, void *) {
  std::copy_n(slots, slots[1], reinterpret_cast<uint64_t *>(slots[0]));
  return 0;
}

/// Each program takes as many microseconds as slot 0 says.
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

LoadedKernel testKernel(const std::string &name) {
  const std::pair<const char *, runtime::KernelFunction> kernels[] = {
      {"nothing", nothing}, {"count", count}, {"copy_slots", copySlots}, {"sleep", sleepMicroseconds}, {"fail", fail}};
  for (auto [known, function] : kernels) {
    if (name == known) {
      return LoadedKernel({function, 0});
    }
  }
  throw py::key_error(name);
}

} // namespace

void bindLoadedKernel(py::module_ &module) {
  py::class_<LoadedKernel>(module, "LoadedKernel", "A kernel's code in this process.")
      .def_property_readonly(
          "address", [](const LoadedKernel &kernel) { return reinterpret_cast<uintptr_t>(kernel.entry.function); })
      .def_property_readonly("scratch_bytes", [](const LoadedKernel &kernel) { return kernel.entry.scratchBytes; });
  module.def(
      "kernel_from_address",
      [](uintptr_t address, size_t scratchBytes) {
        return LoadedKernel({reinterpret_cast<runtime::KernelFunction>(address), scratchBytes});
      },
      py::arg("address"), py::arg("scratch_bytes") = 0, "A function of the process that has a kernel's signature.");
  module.def("test_kernel", testKernel, "A kernel written in C++, to test launching with.");
}

bool entryOf(PyObject *loaded, runtime::KernelEntry &entry) {
  try {
    entry = py::handle(loaded).cast<const LoadedKernel &>().entry;
    return true;
  } catch (const py::cast_error &) {
    PyErr_Format(PyExc_TypeError, "expected a LoadedKernel, not %.200s", Py_TYPE(loaded)->tp_name);
    return false;
  }
}

} // namespace tilewright::bindings
