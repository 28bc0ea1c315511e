// compile() and load(): from a module to a function in this process.

#include "Bindings.h"
#include "HostKernel.h"

#include "tilewright/Pipeline/Cpu.h"
#include "tilewright/Target/Host.h"

namespace py = pybind11;
using namespace mlir;

namespace tilewright::bindings {

namespace {

/// The result of compile(): an object file and what is known of it.
struct PyCompiled {
  CompiledForCpu compiled;
  std::map<std::string, std::string> ir;
};

/// Raises IRError with the collected diagnostics and the reproducing IR.
[[noreturn]] void raiseFailure(DiagnosticCollector &errors, const CpuFailure &failure) {
  try {
    errors.raise(failure.message);
  } catch (py::error_already_set &error) {
    error.value().attr("phase") = failure.phase;
    error.value().attr("reproducer") = failure.reproducer;
    throw;
  }
}

PyCompiled compile(PyModule &module, const std::string &target, const py::dict &options, const py::object &dump) {
  PyCompiled result;
  CpuCompileOptions cpu;
  cpu.target = target;
  bool keep = options.contains("emit") && options["emit"].cast<bool>();
  if (keep || !dump.is_none()) {
    cpu.dump = [&](llvm::StringRef phase, llvm::StringRef text) {
      if (keep) {
        result.ir[phase.str()] = text.str();
      }
      if (!dump.is_none()) {
        py::gil_scoped_acquire gil;
        dump(phase.str(), text.str());
      }
    };
  }
  CpuFailure failure;
  DiagnosticCollector errors(*module.module->getContext());
  std::optional<CompiledForCpu> compiled;
  {
    py::gil_scoped_release unlocked;
    compiled = compileForCpu(*module.module, cpu, failure);
  }
  if (!compiled) {
    raiseFailure(errors, failure);
  }
  result.compiled = std::move(*compiled);
  return result;
}

std::shared_ptr<HostKernel> load(const std::string &object, const std::string &symbol, size_t scratchBytes) {
  py::gil_scoped_release unlocked;
  auto function = host::load(object, symbol);
  if (!function) {
    std::string message = llvm::toString(function.takeError());
    py::gil_scoped_acquire locked;
    throw py::value_error("the object file cannot be loaded: " + message);
  }
  return std::make_shared<HostKernel>(runtime::KernelEntry{*function, scratchBytes});
}

} // namespace

void bindCompile(py::module_ &module) {
  py::class_<PyCompiled>(module, "CompiledObject", "What compile() returns.")
      .def_property_readonly("object", [](PyCompiled &self) { return py::bytes(self.compiled.object); })
      .def_property_readonly("symbol", [](PyCompiled &self) { return self.compiled.symbol; })
      .def_property_readonly("scratch_bytes", [](PyCompiled &self) { return self.compiled.scratchBytes; })
      .def_property_readonly("phases", [](PyCompiled &self) { return self.compiled.seconds; })
      .def_property_readonly("asserts",
                             [](PyCompiled &self) {
                               py::list list;
                               for (const KernelAssert &entry : self.compiled.asserts) {
                                 list.append(py::make_tuple(entry.message, entry.file, entry.line, entry.column));
                               }
                               return list;
                             })
      .def_readonly("ir", &PyCompiled::ir);
  module.def("compile", &compile, py::arg("module"), py::arg("target"), py::arg("options") = py::dict(),
             py::arg("dump") = py::none(),
             "Compiles a module with one kernel, which is consumed.\n\n"
             "With the option `emit` the texts of all phases are kept in `ir`; `dump` is called with each\n"
             "phase's name and text. Raises IRError with `diagnostics`, `phase` and `reproducer`.");
  module.def(
      "host_target", [] { return "cpu:" + host::getHost().key(); },
      "The host's processor and its features, as they enter cache keys.");
  module.def("load", &load, py::arg("object"), py::arg("symbol"), py::arg("scratch_bytes"),
             "Links an object file that compile() made into this process.");
}

} // namespace tilewright::bindings
