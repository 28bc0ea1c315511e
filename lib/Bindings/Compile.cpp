// compile(): compiles a module for a target.

#include "Bindings.h"
#include "Json.h"

#include "tilewright/Pipeline/TargetKind.h"
#include "tilewright/Target/FatalErrors.h"

#include <pybind11/stl.h>

#include <new>

namespace py = pybind11;
using namespace mlir;

namespace tilewright::bindings {

namespace {

/// The result of compile().
struct PyCompiled : Compiled {
  std::map<std::string, std::string> ir;
  py::list warnings;
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
    error.value().attr("schedule") =
        failure.schedule ? py::object(toPython(*failure.schedule)) : py::object(py::none());
    throw;
  }
}

/// The callback for the IR of phases: stores it in `ir`, passes it to `dump`, or null if neither is requested.
PhaseDump makeDump(bool keep, const py::object &dump, std::map<std::string, std::string> &ir) {
  if (!keep && dump.is_none()) {
    return nullptr;
  }
  return [keep, &dump, &ir](llvm::StringRef phase, llvm::StringRef text) {
    if (keep) {
      ir[phase.str()] = text.str();
    }
    if (!dump.is_none()) {
      py::gil_scoped_acquire gil;
      dump(phase.str(), text.str());
    }
  };
}

std::unique_ptr<CompileOptions> readOptions(const TargetKind &kind, const py::dict &given) {
  llvm::json::Object values;
  for (auto [name, value] : given) {
    values[name.cast<std::string>()] = scalarFromPython(value);
  }
  std::unique_ptr<CompileOptions> options = kind.createOptions();
  if (llvm::Error error = options->set(values)) {
    throw py::value_error(kind.name.str() + ": " + llvm::toString(std::move(error)));
  }
  return options;
}

PyCompiled compile(PyModule &module, const std::string &target, const py::dict &given, const py::object &dump,
                   bool keepPhases) {
  auto [name, arch] = llvm::StringRef(target).split(':');
  const TargetKind *kind = findTargetKind(name);
  std::optional<std::string> found = kind ? kind->findArchitecture(arch) : std::nullopt;
  if (!found) {
    throw py::value_error("unknown target '" + target + "'");
  }
  std::unique_ptr<CompileOptions> options = readOptions(*kind, given);
  std::map<std::string, std::string> ir;
  PhaseDump dumpPhase = makeDump(keepPhases, dump, ir);
  CompileFailure failure;
  DiagnosticCollector errors(*module.module->getContext());
  std::optional<Compiled> compiled;
  try {
    py::gil_scoped_release unlocked;
    compiled = kind->compile(*module.module, *found, *options, dumpPhase, failure);
  } catch (const std::bad_alloc &) {
    module.module.release(); // must be leaked, because a pass may have stopped in the middle of a change
    throw;
  }
  if (!compiled) {
    raiseFailure(errors, failure);
  }
  return {std::move(*compiled), std::move(ir), errors.takeWarnings()};
}

py::list describe(const std::vector<AccessPlace> &accesses) {
  py::list list;
  for (const AccessPlace &access : accesses) {
    list.append(py::make_tuple(access.kind, access.bytes, access.strict, access.file, access.line, access.column));
  }
  return list;
}

} // namespace

void bindCompile(py::module_ &module) {
  codegen::installErrorHandlers();
  py::class_<PyCompiled>(module, "CompiledObject", "The result of compile().")
      .def_property_readonly("object", [](PyCompiled &self) { return py::bytes(self.object); })
      .def_readonly("symbol", &PyCompiled::symbol)
      .def_readonly("phases", &PyCompiled::seconds)
      .def_readonly("warnings", &PyCompiled::warnings)
      .def_property_readonly("launch_conditions", [](PyCompiled &self) { return self.requirements.conditions; })
      .def_property_readonly("written_slots", [](PyCompiled &self) { return self.requirements.writtenSlots; })
      .def_property_readonly("accesses", [](PyCompiled &self) { return describe(self.accesses); })
      .def_property_readonly(
          "metadata", [](PyCompiled &self) { return toPython(self.metadata); },
          "What loading and describing the code needs; it depends on the kind of target.")
      .def_readonly("texts", &PyCompiled::texts, "What is kept in the cache, by the names of phases.")
      .def_readonly("ir", &PyCompiled::ir);
  module.def(
      "compile", &compile, py::arg("module"), py::arg("target"), py::arg("options") = py::dict(),
      py::arg("dump") = py::none(), py::arg("keep_phases") = false,
      "Compiles a module with one kernel, which is consumed.\n\n"
      "`options` are those of the kind of target. With `keep_phases` the IR of all phases is stored in `ir`; `dump` "
      "is\n"
      "called with each phase's name and IR. Raises IRError with `diagnostics`, `phase`, `reproducer`, `excess`: "
      "None,\n"
      "or the resource that the kernel exceeds, the required amount, and the limit; and `schedule`: None, or what\n"
      "passes had decided.");
}

} // namespace tilewright::bindings
