// The IR is verified after each phase, and after each pass if the environment asks for it.

#include "tilewright/Pipeline/Compilation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/Pass.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace mlir;

namespace tilewright {
namespace {

/// Leaves a function that returns another number of values than its type says, or repairs it.
struct SetResults : PassWrapper<SetResults, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SetResults)

  SetResults(unsigned count, unsigned &runs) : count(count), runs(runs) {}

  void runOnOperation() override {
    ++runs;
    Builder builder(&getContext());
    SmallVector<Type> results(count, builder.getI32Type());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      function.setFunctionType(builder.getFunctionType({}, results));
    }
  }

  unsigned count;
  unsigned &runs;
};

class CompilationTest : public testing::Test {
protected:
  CompilationTest() {
    context.loadDialect<func::FuncDialect>();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) { message += diagnostic.str(); });
    OpBuilder builder(&context);
    Location position = FileLineColLoc::get(&context, "kernel.py", 1, 1);
    module = ModuleOp::create(position);
    builder.setInsertionPointToEnd(module->getBody());
    auto function = func::FuncOp::create(builder, position, "kernel", builder.getFunctionType({}, {}));
    builder.setInsertionPointToEnd(function.addEntryBlock());
    func::ReturnOp::create(builder, position);
  }

  ~CompilationTest() override { unsetenv(kVariable); }

  bool run(ArrayRef<unsigned> counts) {
    Compilation compilation(*module, {}, failure);
    auto addPasses = [&](OpPassManager &passes) {
      for (unsigned count : counts) {
        passes.addPass(std::make_unique<SetResults>(count, runs));
      }
    };
    return compilation.runPasses("tile", addPasses, [](ModuleOp) { return success(); });
  }

  static constexpr const char *kVariable = "TILEWRIGHT_VERIFY_PASSES";
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  CompileFailure failure;
  std::string message;
  unsigned runs = 0;
};

TEST_F(CompilationTest, FindsInvalidIrAtTheEndOfAPhase) {
  unsetenv(kVariable);
  EXPECT_FALSE(run({2, 1}));
  EXPECT_EQ(runs, 2U);
  EXPECT_EQ(failure.phase, "tile");
  EXPECT_NE(message.find("has 0 operands"), std::string::npos) << message;
  EXPECT_NE(failure.reproducer.find("func.func @kernel() {"), std::string::npos) << failure.reproducer;
}

TEST_F(CompilationTest, AcceptsIrThatIsValidAgain) {
  unsetenv(kVariable);
  EXPECT_TRUE(run({2, 0}));
  EXPECT_EQ(message, "");
}

TEST_F(CompilationTest, VerifiesAfterEachPassOnRequest) {
  setenv(kVariable, "1", 1);
  EXPECT_FALSE(run({2, 0}));
  EXPECT_EQ(runs, 1U);
}

} // namespace
} // namespace tilewright
