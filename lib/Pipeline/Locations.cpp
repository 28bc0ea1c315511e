#include "Locations.h"

#include "tilewright/Transforms/Locations.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <cstdlib>

using namespace mlir;

namespace tilewright {
namespace {

/// Whether the outermost frame of the location, the function around the operation, is in the function's file.
bool isInFile(Operation *op, StringAttr file) {
  return isKnown(op->getLoc()) && getFrames(op->getLoc()).back().getFilename() == file;
}

LogicalResult verifyLocations(FunctionOpInterface function, StringRef pass) {
  SmallVector<FileLineColLoc> frames = getFrames(function->getLoc());
  if (frames.empty() && function.isExternal()) {
    return success();
  }
  StringAttr file = frames.empty() ? StringAttr() : frames.back().getFilename();
  WalkResult result = function->walk([&](Operation *op) {
    return isInFile(op, file) ? WalkResult::advance()
                              : WalkResult(op->emitError() << "'" << op->getName() << "' has the location "
                                                           << op->getLoc() << " after the pass '" << pass << "'");
  });
  return failure(result.wasInterrupted());
}

class KeepLocations : public PassInstrumentation {
public:
  explicit KeepLocations(bool &isLost) : isLost(isLost) {}

  /// Does not affect passes, as locations do not affect the equality of constants.
  void runAfterPass(Pass *pass, Operation *op) override {
    restoreConstantLocations(op);
    if (isVerified && !isLost) {
      verify(*pass, op);
    }
  }

private:
  void verify(Pass &pass, Operation *root) {
    root->walk([&](FunctionOpInterface function) {
      isLost |= failed(verifyLocations(function, pass.getName()));
      return isLost ? WalkResult::interrupt() : WalkResult::skip();
    });
  }

  bool &isLost;
  bool isVerified = std::getenv("TILEWRIGHT_VERIFY_LOCATIONS");
};

} // namespace

void keepLocations(PassManager &passes, bool &isLost) {
  passes.addInstrumentation(std::make_unique<KeepLocations>(isLost));
}

} // namespace tilewright
