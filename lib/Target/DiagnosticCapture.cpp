#include "DiagnosticCapture.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright::codegen {

namespace {
class Handler final : public DiagnosticHandler {
public:
  explicit Handler(std::string &first) : first(first) {}

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() == DS_Error && first.empty()) {
      raw_string_ostream stream(first);
      DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true;
  }

private:
  std::string &first;
};
} // namespace

DiagnosticCapture::DiagnosticCapture(LLVMContext &context) : context(context), before(context.getDiagnosticHandler()) {
  context.setDiagnosticHandler(std::make_unique<Handler>(first));
}

DiagnosticCapture::~DiagnosticCapture() { context.setDiagnosticHandler(std::move(before)); }

} // namespace tilewright::codegen
