// Runs, verifies, times and dumps the phases of a compilation.

#include "tilewright/Pipeline/Compilation.h"

#include "Locations.h"
#include "tilewright/Analysis/CheckedAccess.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"

#include <cstdlib>

using namespace mlir;

namespace tilewright {

std::vector<AccessPlace> readCheckedAccesses(Operation *kernel) {
  std::vector<AccessPlace> places;
  auto accesses = kernel->getAttrOfType<ArrayAttr>(kCheckedAccessesAttr);
  if (!accesses) {
    return places;
  }
  for (auto entry : accesses.getAsRange<DictionaryAttr>()) {
    auto number = [&](StringRef name) { return entry.getAs<IntegerAttr>(name).getInt(); };
    auto text = [&](StringRef name) { return entry.getAs<StringAttr>(name).str(); };
    places.push_back({text("kind"), number("bytes"), entry.getAs<BoolAttr>("strict").getValue(), text("file"),
                      number("line"), number("column")});
  }
  return places;
}

llvm::json::Array readAsserts(Operation *kernel) {
  llvm::json::Array places;
  if (auto asserts = kernel->getAttrOfType<ArrayAttr>(tile::TileDialect::kAssertsAttr)) {
    for (auto entry : asserts.getAsRange<DictionaryAttr>()) {
      places.push_back(
          llvm::json::Array{entry.getAs<StringAttr>("message").getValue(), entry.getAs<StringAttr>("file").getValue(),
                            entry.getAs<IntegerAttr>("line").getInt(), entry.getAs<IntegerAttr>("column").getInt()});
    }
  }
  return places;
}

static std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, OpPrintingFlags().enableDebugInfo(true, false));
  return text;
}

Compilation::Compilation(ModuleOp module, PhaseDump dump, CompileFailure &failure)
    : module(module), dump(std::move(dump)), failure(failure) {}

bool Compilation::fail(StringRef phase, std::string message) {
  failure.phase = phase.str();
  failure.message = std::move(message);
  return false;
}

bool Compilation::failWithModule(StringRef phase, std::string message) {
  failure.reproducer = print(module);
  return fail(phase, std::move(message));
}

void Compilation::dumpModule(StringRef phase) const { dump(phase, print(module)); }

bool Compilation::runPasses(StringRef phase, llvm::function_ref<void(OpPassManager &)> addPasses,
                            llvm::function_ref<LogicalResult(ModuleOp)> verify, bool dumpAfter) {
  OwningOpRef<ModuleOp> before(module.clone());
  bool ok = timed(phase, [&] {
    PassManager passes(module.getContext(), ModuleOp::getOperationName());
    // A third of the passes' time, which users need not spend: the tests ask for it.
    passes.enableVerifier(std::getenv("TILEWRIGHT_VERIFY_PASSES") != nullptr);
    bool hasLostLocation = false;
    keepLocations(passes, hasLostLocation);
    if (instrument) {
      instrument(passes);
    }
    addPasses(passes);
    return succeeded(passes.run(module)) && !hasLostLocation && succeeded(mlir::verify(module)) &&
           succeeded(verify(module));
  });
  if (!ok) {
    failure.reproducer = print(*before);
    return fail(phase, ("the phase '" + phase + "' failed").str());
  }
  if (dump && dumpAfter) {
    dumpModule(phase);
  }
  return true;
}

LogicalResult verifyOperations(ModuleOp module, StringRef phase, llvm::function_ref<bool(Operation *)> fits) {
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    return fits(op)
               ? WalkResult::advance()
               : WalkResult(op->emitError() << "'" << op->getName() << "' remains after the phase '" << phase << "'");
  });
  return failure(result.wasInterrupted());
}

} // namespace tilewright
