// compile() and load(), which compile a module and link its code into this process.

#include "Bindings.h"

#include "tilewright/Launcher/CheckedAccesses.h"
#include "tilewright/Launcher/HostKernel.h"
#include "tilewright/Pipeline/Cpu.h"
#include "tilewright/Pipeline/Cuda.h"
#include "tilewright/Pipeline/Emulator.h"
#include "tilewright/Target/FatalErrors.h"
#include "tilewright/Target/Host/Host.h"

#include <pybind11/stl.h>

#include <new>

namespace py = pybind11;
using namespace mlir;

namespace tilewright::bindings {

using namespace launcher;

namespace {

/// The result of compile(): machine code and its metadata. Members that do not apply to the target are empty.
struct PyCompiled {
  std::string object; // relocatable object file, or cubin
  std::string symbol;
  std::vector<std::pair<std::string, double>> seconds;
  std::map<std::string, std::string> ir;
  LaunchRequirements requirements;
  std::vector<AccessPlace> accesses;
  // CPU
  std::vector<KernelAssert> asserts;
  int64_t scratchBytes = 0;
  // CUDA
  std::string ptx;
  cuda::Cubin cubin;
  std::vector<int> slots;
  // CUDA, and emulated
  int64_t sharedBytes = 0;
  std::vector<emulator::Site> sites;
};

/// Raises IRError with the collected diagnostics and the reproducing IR.
[[noreturn]] void raiseFailure(DiagnosticCollector &errors, const CompileFailure &failure) {
  try {
    errors.raise(failure.message);
  } catch (py::error_already_set &error) {
    error.value().attr("phase") = failure.phase;
    error.value().attr("reproducer") = failure.reproducer;
    error.value().attr("excess") = py::none();
    if (const std::optional<TargetExcess> &excess = failure.excess) {
      error.value().attr("excess") = py::make_tuple(excess->resource, excess->required, excess->limit);
    }
    throw;
  }
}

bool compileCpu(ModuleOp module, const CpuCompileOptions &options, CompileFailure &failure, PyCompiled &result) {
  std::optional<CompiledForCpu> compiled = compileForCpu(module, options, failure);
  if (compiled) {
    result.object = std::move(compiled->object);
    result.symbol = std::move(compiled->symbol);
    result.seconds = std::move(compiled->seconds);
    result.requirements = std::move(compiled->requirements);
    result.asserts = std::move(compiled->asserts);
    result.accesses = std::move(compiled->accesses);
    result.scratchBytes = compiled->scratchBytes;
  }
  return compiled.has_value();
}

bool compileCuda(ModuleOp module, const CudaCompileOptions &options, CompileFailure &failure, PyCompiled &result) {
  std::optional<CompiledForCuda> compiled = compileForCuda(module, options, failure);
  if (compiled) {
    // The driver assembles PTX as well.
    result.object = compiled->cubin.image.empty() ? compiled->ptx : compiled->cubin.image;
    result.symbol = std::move(compiled->symbol);
    result.seconds = std::move(compiled->seconds);
    result.requirements = std::move(compiled->requirements);
    result.ptx = std::move(compiled->ptx);
    result.cubin = std::move(compiled->cubin);
    result.sharedBytes = compiled->sharedBytes;
    result.slots = std::move(compiled->slots);
    result.accesses = std::move(compiled->accesses);
  }
  return compiled.has_value();
}

bool compileEmulator(ModuleOp module, const EmulatorCompileOptions &options, CompileFailure &failure,
                     PyCompiled &result) {
  std::optional<CompiledForEmulator> compiled = compileForEmulator(module, options, failure);
  if (compiled) {
    result.object = std::move(compiled->object);
    result.symbol = std::move(compiled->symbol);
    result.seconds = std::move(compiled->seconds);
    result.sharedBytes = compiled->sharedBytes;
    result.requirements = std::move(compiled->requirements);
    result.sites = std::move(compiled->sites);
    result.accesses = std::move(compiled->accesses);
  }
  return compiled.has_value();
}

/// Sets a field if the option is given and not None.
template <typename T> void readOption(const py::dict &options, const char *name, T &field) {
  if (options.contains(name) && !options[name].is_none()) {
    field = options[name].cast<T>();
  }
}

bool checksBounds(const py::dict &options) {
  std::string checks;
  readOption(options, "checks", checks);
  return checks == "bounds";
}

CudaCompileOptions cudaOptions(llvm::StringRef arch, const py::dict &options) {
  CudaCompileOptions cuda;
  cuda.target = arch.str();
  cuda.checkBounds = checksBounds(options);
  readOption(options, "num_warps", cuda.numWarps);
  readOption(options, "num_stages", cuda.numStages);
  readOption(options, "maxnreg", cuda.maxRegisters);
  readOption(options, "enable_fp_fusion", cuda.enableFpFusion);
  readOption(options, "specialize_ranges", cuda.specializeRanges);
  readOption(options, "line_info", cuda.lineInfo);
  readOption(options, "nvjitlink", cuda.assembler.nvJitLink);
  readOption(options, "ptxas", cuda.assembler.ptxas);
  cuda.assembler.lineInfo = cuda.lineInfo;
  std::string startAfter;
  readOption(options, "start_after", startAfter);
  if (!startAfter.empty() && !(cuda.startAfter = parseCudaPhase(startAfter))) {
    throw py::value_error("start_after: there is no phase '" + startAfter + "'");
  }
  return cuda;
}

/// The callback for the IR of phases: stores it in the result, passes it to `dump`, or null if neither is requested.
PhaseDump makeDump(const py::dict &options, const py::object &dump, PyCompiled &result) {
  bool keep = options.contains("emit") && options["emit"].cast<bool>();
  if (!keep && dump.is_none()) {
    return nullptr;
  }
  return [keep, &dump, &result](llvm::StringRef phase, llvm::StringRef text) {
    if (keep) {
      result.ir[phase.str()] = text.str();
    }
    if (!dump.is_none()) {
      py::gil_scoped_acquire gil;
      dump(phase.str(), text.str());
    }
  };
}

PyCompiled compile(PyModule &module, const std::string &target, const py::dict &options, const py::object &dump) {
  PyCompiled result;
  llvm::StringRef arch = target;
  bool isEmulated = arch.consume_front("emulator:"), isCuda = arch.consume_front("cuda:");
  EmulatorCompileOptions emulated;
  emulated.checked = arch.consume_back("+checks");
  CudaCompileOptions &cuda = emulated.cuda;
  cuda = isCuda ? cudaOptions(arch, options) : CudaCompileOptions();
  cuda.dump = makeDump(options, dump, result);
  CpuCompileOptions cpu;
  cpu.target = target;
  cpu.checkBounds = checksBounds(options);
  cpu.dump = cuda.dump;
  readOption(options, "specialize_ranges", cpu.specializeRanges);
  CompileFailure failure;
  DiagnosticCollector errors(*module.module->getContext());
  bool ok = false;
  try {
    py::gil_scoped_release unlocked;
    ok = isEmulated ? compileEmulator(*module.module, emulated, failure, result)
         : isCuda   ? compileCuda(*module.module, cuda, failure, result)
                    : compileCpu(*module.module, cpu, failure, result);
  } catch (const std::bad_alloc &) {
    module.module.release(); // must be leaked, because a pass may have stopped in the middle of a change
    throw;
  }
  if (!ok) {
    raiseFailure(errors, failure);
  }
  return result;
}

std::shared_ptr<HostKernel> load(const std::string &object, const std::string &symbol, size_t scratchBytes,
                                 const PyAccesses &accesses) {
  AccessSites sites = readAccesses(accesses);
  std::optional<py::gil_scoped_release> unlocked(std::in_place);
  llvm::Expected<host::LinkedCode> code = host::link(object, symbol);
  unlocked.reset();
  if (!code) {
    launcher::setLinkError(code.takeError());
    throw py::error_already_set();
  }
  runtime::KernelEntry entry{reinterpret_cast<runtime::KernelFunction>(code->entry()), scratchBytes};
  return std::make_shared<HostKernel>(entry, std::move(sites), std::move(*code));
}

} // namespace

void bindCompile(py::module_ &module) {
  codegen::installErrorHandlers();
  py::class_<PyCompiled>(module, "CompiledObject", "The result of compile().")
      .def_property_readonly("object", [](PyCompiled &self) { return py::bytes(self.object); })
      .def_readonly("symbol", &PyCompiled::symbol)
      .def_readonly("phases", &PyCompiled::seconds)
      .def_readonly("scratch_bytes", &PyCompiled::scratchBytes)
      .def_property_readonly("asserts",
                             [](PyCompiled &self) {
                               py::list list;
                               for (const KernelAssert &entry : self.asserts) {
                                 list.append(py::make_tuple(entry.message, entry.file, entry.line, entry.column));
                               }
                               return list;
                             })
      .def_property_readonly("launch_conditions", [](PyCompiled &self) { return self.requirements.conditions; })
      .def_property_readonly("written_slots", [](PyCompiled &self) { return self.requirements.writtenSlots; })
      .def_property_readonly("accesses",
                             [](PyCompiled &self) {
                               py::list list;
                               for (const AccessPlace &access : self.accesses) {
                                 list.append(py::make_tuple(access.kind, access.bytes, access.strict, access.file,
                                                            access.line, access.column));
                               }
                               return list;
                             })
      .def_readonly("ptx", &PyCompiled::ptx)
      .def_readonly("shared_bytes", &PyCompiled::sharedBytes)
      .def_readonly("slots", &PyCompiled::slots)
      .def_property_readonly("sites",
                             [](PyCompiled &self) {
                               py::list list;
                               for (const emulator::Site &site : self.sites) {
                                 list.append(py::make_tuple(site.file, site.line, site.column, site.instruction));
                               }
                               return list;
                             })
      .def_property_readonly("registers", [](PyCompiled &self) { return self.cubin.registers; })
      .def_property_readonly("spill_bytes", [](PyCompiled &self) { return self.cubin.spillBytes; })
      .def_property_readonly("stack_bytes", [](PyCompiled &self) { return self.cubin.stackBytes; })
      .def_property_readonly("log", [](PyCompiled &self) { return self.cubin.log; })
      .def_property_readonly("assembler", [](PyCompiled &self) { return self.cubin.assembler; })
      .def_readonly("ir", &PyCompiled::ir);
  module.def(
      "compile", &compile, py::arg("module"), py::arg("target"), py::arg("options") = py::dict(),
      py::arg("dump") = py::none(),
      "Compiles a module with one kernel, which is consumed.\n\n"
      "With the option `emit` the IR of all phases is stored in `ir`; `dump` is called with each phase's name\n"
      "and IR. For GPU targets `start_after` is the phase whose result the module is (\"tile\", \"tilegpu\",\n"
      "\"thread\"). Raises IRError with `diagnostics`, `phase`, `reproducer` and `excess`: None, or the resource\n"
      "that the kernel exceeds, the required amount, and the limit.");
  module.def(
      "host_target", [] { return "cpu:" + host::getHost().key(); },
      "The host's processor and its features, as used in cache keys.");
  module.def("load", &load, py::arg("object"), py::arg("symbol"), py::arg("scratch_bytes"),
             py::arg("accesses") = py::none(),
             "Links an object file from compile() into this process.\n\n"
             "Code with bounds checks needs its `accesses`.");
}

} // namespace tilewright::bindings
