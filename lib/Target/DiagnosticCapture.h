// Errors that LLVM reports to a context. Its default handler exits the process.

#ifndef TILEWRIGHT_LIB_TARGET_DIAGNOSTICCAPTURE_H
#define TILEWRIGHT_LIB_TARGET_DIAGNOSTICCAPTURE_H

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/LLVMContext.h"

#include <memory>
#include <string>

namespace tilewright::codegen {

/// Keeps the first error that is reported to the context while the object exists.
class DiagnosticCapture {
public:
  explicit DiagnosticCapture(llvm::LLVMContext &context);
  ~DiagnosticCapture();
  DiagnosticCapture(const DiagnosticCapture &) = delete;
  DiagnosticCapture &operator=(const DiagnosticCapture &) = delete;

  std::string first; ///< empty if there is none

private:
  llvm::LLVMContext &context;
  std::unique_ptr<llvm::DiagnosticHandler> before;
};

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_TARGET_DIAGNOSTICCAPTURE_H
