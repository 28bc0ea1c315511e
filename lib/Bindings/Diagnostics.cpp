// Converts MLIR's diagnostics to the Python exception IRError. Its attribute `diagnostics` is a list of (message,
// frames, notes); frames are (file, line, column), starting at the innermost call.

#include "Bindings.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/TypeSwitch.h"

#include <utility>

namespace py = pybind11;
using namespace mlir;

namespace tilewright::bindings {

static py::handle errorType;

/// Appends the source positions of `loc`, callees before their callers.
static void collectFrames(Location loc, Diagnostic &diagnostic) {
  TypeSwitch<LocationAttr>(loc)
      .Case([&](FileLineColLoc file) {
        diagnostic.frames.emplace_back(file.getFilename().str(), file.getLine(), file.getColumn());
      })
      .Case([&](CallSiteLoc call) {
        collectFrames(call.getCallee(), diagnostic);
        collectFrames(call.getCaller(), diagnostic);
      })
      .Case([&](NameLoc name) { collectFrames(name.getChildLoc(), diagnostic); })
      .Case([&](FusedLoc fused) {
        if (!fused.getLocations().empty()) {
          collectFrames(fused.getLocations().front(), diagnostic);
        }
      });
}

static Diagnostic convert(mlir::Diagnostic &source) {
  Diagnostic result;
  result.message = source.str();
  collectFrames(source.getLocation(), result);
  for (mlir::Diagnostic &note : source.getNotes()) {
    result.notes.push_back(convert(note));
  }
  return result;
}

static py::object toPython(const Diagnostic &diagnostic) {
  py::list notes;
  for (const Diagnostic &note : diagnostic.notes) {
    notes.append(toPython(note));
  }
  return py::make_tuple(diagnostic.message, py::cast(diagnostic.frames), notes);
}

DiagnosticCollector::DiagnosticCollector(MLIRContext &context)
    : handler(&context, [this](mlir::Diagnostic &diagnostic) {
        bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
        if (!isError && diagnostic.getSeverity() != DiagnosticSeverity::Warning) {
          return failure();
        }
        (isError ? diagnostics : warnings).push_back(convert(diagnostic));
        return success();
      }) {}

static py::list toPython(const std::vector<Diagnostic> &diagnostics) {
  py::list list;
  for (const Diagnostic &diagnostic : diagnostics) {
    list.append(toPython(diagnostic));
  }
  return list;
}

py::list DiagnosticCollector::takeWarnings() { return toPython(std::exchange(warnings, {})); }

void DiagnosticCollector::raise(llvm::StringRef fallback) {
  std::string message = diagnostics.empty() ? fallback.str() : diagnostics.front().message;
  py::object error = py::reinterpret_borrow<py::object>(errorType)(message);
  error.attr("diagnostics") = toPython(diagnostics);
  PyErr_SetObject(errorType.ptr(), error.ptr());
  throw py::error_already_set();
}

void bindDiagnostics(py::module_ &module) {
  // The type is never destroyed, like the module that defines it.
  errorType = py::exception<void>(module, "IRError", PyExc_RuntimeError).release();
}

} // namespace tilewright::bindings
