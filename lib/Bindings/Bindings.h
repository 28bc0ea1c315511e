// Declarations that the files of the extension module share.

#ifndef TILEWRIGHT_LIB_BINDINGS_BINDINGS_H
#define TILEWRIGHT_LIB_BINDINGS_BINDINGS_H

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>
#include <vector>

namespace tilewright::bindings {

/// The Python object for a context. It belongs to one compilation, and one thread at a time uses it. Handles into it
/// (types, values, operations) are plain pointers, which are valid as long as the module in which they were created.
struct PyContext {
  PyContext();
  std::unique_ptr<mlir::MLIRContext> context;
};

/// The Python object for a module. It keeps its context alive.
struct PyModule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// An error, warning or note with its source positions, innermost first.
struct Diagnostic {
  std::string message;
  std::vector<std::tuple<std::string, unsigned, unsigned>> frames;
  std::vector<Diagnostic> notes;
};

/// Collects the context's errors and warnings while it exists, instead of printing them.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext &context);

  /// Raises `tilewright._core.IRError` with the collected errors, or with the message `fallback` if there are none.
  [[noreturn]] void raise(llvm::StringRef fallback);

  /// The collected warnings, as for the attribute `diagnostics` of IRError.
  pybind11::list takeWarnings();

  std::vector<Diagnostic> diagnostics; ///< errors
  std::vector<Diagnostic> warnings;

private:
  mlir::ScopedDiagnosticHandler handler;
};

void bindDiagnostics(pybind11::module_ &module);
void bindIR(pybind11::module_ &module);
void bindCompile(pybind11::module_ &module);
void bindTargets(pybind11::module_ &module);
void bindLibraries(pybind11::module_ &module);
void bindAssemble(pybind11::module_ &module);

} // namespace tilewright::bindings

#endif // TILEWRIGHT_LIB_BINDINGS_BINDINGS_H
