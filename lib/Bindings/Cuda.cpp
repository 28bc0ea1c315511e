// Information about the CUDA driver and its devices for Python.

#include "Bindings.h"

#include "tilewright/Launcher/Launcher.h"
#include "tilewright/Runtime/Cuda/Platform.h"

namespace py = pybind11;

namespace tilewright::bindings {

using namespace launcher;

using namespace runtime;

static py::dict describe(const cuda::Device &device) {
  py::dict facts;
  facts["name"] = device.name;
  facts["capability"] = py::make_tuple(device.major, device.minor);
  facts["memory_bytes"] = device.memoryBytes;
  facts["shared_bytes_per_block"] = device.limits.sharedBytes;
  return facts;
}

static py::dict platform() {
  cuda::Platform &platform = cuda::Platform::instance();
  py::dict facts;
  facts["problem"] = platform.problem();
  facts["version"] = platform.driverVersion();
  facts["newest_ptx"] = cuda::newestPtx(platform.driverVersion());
  py::list devices;
  for (const cuda::Device &device : platform.devices()) {
    devices.append(describe(device));
  }
  facts["devices"] = devices;
  return facts;
}

void bindCuda(py::module_ &module) {
  module.def("cuda_platform", &platform,
             "The CUDA driver and its devices: `problem` (why no device can be used, or empty), `version` (12080 for\n"
             "CUDA 12.8), `newest_ptx` (87 for PTX 8.7), and for each of `devices` its `name`, `capability`,\n"
             "`memory_bytes` and `shared_bytes_per_block`.");
  module.def(
      "cuda_current_device", [] { return deviceKindOfTarget("cuda")->currentOrdinal(); },
             "The ordinal of PyTorch's current device, or of the thread's current context, or 0.");
  module.def("use_cuda_driver", &cuda::Platform::replaceInstance, py::arg("library") = "",
             "Replaces the driver by a library, for tests without a GPU; by default restores the usual one.");
}

} // namespace tilewright::bindings
