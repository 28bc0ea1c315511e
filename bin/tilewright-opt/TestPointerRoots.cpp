// test-pointer-roots: emits a remark on each load and store with the arguments from which its address may be derived.

#include "TestPasses.h"
#include "tilewright/Analysis/MayAlias.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tilewright;

namespace {
struct TestPointerRoots : PassWrapper<TestPointerRoots, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPointerRoots)
  StringRef getArgument() const final { return "test-pointer-roots"; }
  StringRef getDescription() const final {
    return "Emit a remark with the roots of the address of every load and store";
  }

  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (isa<tile::LoadOp, tile::StoreOp>(op)) {
        report(op);
      }
    });
    markAllAnalysesPreserved();
  }

  static void report(Operation *access) {
    PointerRoots roots = findPointerRoots(access->getOperand(0));
    SmallVector<unsigned> numbers;
    for (Value root : roots.arguments) {
      numbers.push_back(cast<BlockArgument>(root).getArgNumber());
    }
    llvm::sort(numbers);
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "arguments [";
    llvm::interleaveComma(numbers, os);
    os << "]" << (roots.isComplete ? "" : " and unknown");
    access->emitRemark(text);
  }
};
} // namespace

void tilewright::registerTestPointerRoots() { PassRegistration<TestPointerRoots>(); }
