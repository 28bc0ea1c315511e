// What the files of the extension module share.

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

/// A context as Python holds it. It belongs to one compilation and is used by
/// one thread at a time; handles into it (types, values, operations) are plain
/// pointers that live as long as the module they were built in.
struct PyContext {
  PyContext();
  std::unique_ptr<mlir::MLIRContext> context;
};

/// A module as Python holds it; it keeps its context alive.
struct PyModule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// One error or note with the source positions it names, innermost first.
struct Diagnostic {
  std::string message;
  std::vector<std::tuple<std::string, unsigned, unsigned>> frames;
  std::vector<Diagnostic> notes;
};

/// While alive, collects the context's errors instead of printing them.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext &context);

  /// Raises `tilewright._core.IRError` with what was collected; `fallback` is
  /// the message where nothing was.
  [[noreturn]] void raise(llvm::StringRef fallback);

  std::vector<Diagnostic> diagnostics;

private:
  mlir::ScopedDiagnosticHandler handler;
};

void bindDiagnostics(pybind11::module_ &module);
void bindIR(pybind11::module_ &module);
void bindCompile(pybind11::module_ &module);
void bindAssemble(pybind11::module_ &module);
void bindLauncher(pybind11::module_ &module);
void bindLoadedKernel(pybind11::module_ &module);
void bindHostKernel(pybind11::module_ &module);
void bindCuda(pybind11::module_ &module);
void bindCudaKernel(pybind11::module_ &module);
void bindEmulatedKernel(pybind11::module_ &module);

} // namespace tilewright::bindings

#endif // TILEWRIGHT_LIB_BINDINGS_BINDINGS_H
