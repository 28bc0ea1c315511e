// assemble(), which assembles PTX to a cubin, and the table of NVIDIA's architectures.

#include "Bindings.h"

#include "tilewright/Target/Cuda/Assemble.h"

#include <algorithm>

namespace py = pybind11;

namespace tilewright::bindings {

using cuda::AssembleOptions;
using cuda::Cubin;
using hardware::NvidiaInfo;

static py::handle errorType;

/// Returns the value, or raises AssembleError. Requires the GIL.
template <typename T> static T take(llvm::Expected<T> result) {
  if (!result) {
    PyErr_SetString(errorType.ptr(), llvm::toString(result.takeError()).c_str());
    throw py::error_already_set();
  }
  return std::move(*result);
}

static const NvidiaInfo &lookup(const std::string &target) {
  if (const NvidiaInfo *info = hardware::lookupNvidia(target)) {
    return *info;
  }
  std::string known;
  for (const NvidiaInfo &info : hardware::nvidiaTargets()) {
    known += (known.empty() ? "" : ", ") + std::string(info.name);
  }
  throw py::value_error("unknown architecture '" + target + "'; known architectures: " + known);
}

static AssembleOptions optionsFor(const std::string &nvJitLink, const std::string &ptxas) {
  AssembleOptions options;
  options.nvJitLink = nvJitLink;
  options.ptxas = ptxas;
  return options;
}

static Cubin assemble(const std::string &ptx, const std::string &target, const std::string &nvJitLink,
                      const std::string &ptxas, std::optional<int> maxRegisters, bool lineInfo, int optimization) {
  const NvidiaInfo &info = lookup(target);
  AssembleOptions options = optionsFor(nvJitLink, ptxas);
  options.maxRegisters = maxRegisters;
  options.lineInfo = lineInfo;
  options.optimization = optimization;
  auto cubin = [&] {
    py::gil_scoped_release unlocked;
    return cuda::assemble(ptx, info, options);
  }();
  return take(std::move(cubin));
}

static std::string describeAssembler(const std::string &nvJitLink, const std::string &ptxas) {
  auto name = [&] {
    py::gil_scoped_release unlocked;
    return cuda::describeAssembler(optionsFor(nvJitLink, ptxas));
  }();
  return take(std::move(name));
}

static void bindCubin(py::module_ &module) {
  py::class_<Cubin>(module, "Cubin", "What assemble() returns.")
      .def_property_readonly("image", [](const Cubin &self) { return py::bytes(self.image); })
      .def_readonly("registers", &Cubin::registers, "Per thread.")
      .def_readonly("spill_bytes", &Cubin::spillBytes, "The bytes of the code's spill stores and loads.")
      .def_readonly("stack_bytes", &Cubin::stackBytes, "Per thread.")
      .def_readonly("static_shared_bytes", &Cubin::staticSharedBytes)
      .def_readonly("log", &Cubin::log)
      .def_readonly("assembler", &Cubin::assembler)
      .def_property_readonly(
          "wgmma_remarks", [](const Cubin &self) { return cuda::findWgmmaRemarks(self.log); },
          "The lines of the log about wgmma instructions that were serialized; empty if there are none.");
}

static void bindNvidiaTargets(py::module_ &module) {
  py::class_<NvidiaInfo>(module, "NvidiaTarget", "An architecture and its limits; memory in bytes.")
      .def_property_readonly("name", [](const NvidiaInfo &self) { return std::string(self.name); })
      .def_readonly("ptx_version", &NvidiaInfo::ptxVersion, "The first version that supports it, 80 for 8.0.")
      .def_property_readonly("code_ptx_version", &NvidiaInfo::codeVersion, "The version of compiled code.")
      .def_readonly("shared_per_sm", &NvidiaInfo::sharedPerSm)
      .def_readonly("shared_per_block", &NvidiaInfo::sharedPerBlock)
      .def_readonly("warps_per_sm", &NvidiaInfo::warpsPerSm)
      .def_readonly("blocks_per_sm", &NvidiaInfo::blocksPerSm)
      .def_readonly("blocks_per_cluster", &NvidiaInfo::blocksPerCluster)
      .def_property_readonly("registers_per_sm", [](const NvidiaInfo &) { return hardware::kRegistersPerSm; })
      .def_property_readonly("registers_per_thread", [](const NvidiaInfo &) { return hardware::kRegistersPerThread; })
      .def_property_readonly("threads_per_block", [](const NvidiaInfo &) { return hardware::kThreadsPerBlock; });
  module.def("nvidia_targets", [] { return hardware::nvidiaTargets(); }, "NVIDIA's architectures, oldest first.");
}

void bindAssemble(py::module_ &module) {
  // The type is never destroyed, like the module that defines it.
  errorType = py::exception<void>(module, "AssembleError", PyExc_RuntimeError).release();
  bindCubin(module);
  bindNvidiaTargets(module);
  module.def("assemble", &assemble, py::arg("ptx"), py::arg("target"), py::arg("nvjitlink") = "", py::arg("ptxas") = "",
             py::arg("max_registers") = py::none(), py::arg("line_info") = false, py::arg("optimization") = 3,
             "Assembles PTX to a Cubin, with the library at the path `nvjitlink`, or with the program `ptxas`.\n\n"
             "Raises AssembleError with the assembler's messages and the lines of PTX that they refer to.");
  module.def("describe_assembler", &describeAssembler, py::arg("nvjitlink") = "", py::arg("ptxas") = "",
             "The name and version of the assembler that assemble() uses with these paths.");
}

} // namespace tilewright::bindings
