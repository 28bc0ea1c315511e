// Expands math functions of single precision into arithmetic of the same shape.
//
//   %y = math.rsqrt %x : vector<16xbf16>
// becomes
//   %w = arith.extf %x : vector<16xbf16> to vector<16xf32>
//   %s = math.sqrt %w : vector<16xf32>
//   %r = arith.divf %one, %s : vector<16xf32>
//   %y = arith.truncf %r : vector<16xf32> to vector<16xbf16>

#include "Expansions.h"
#include "tilewright/Conversion/Passes.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright {
#define GEN_PASS_DEF_EXPANDMATH
#include "tilewright/Conversion/Passes.h.inc"
} // namespace tilewright

static const llvm::StringMap<Expansion> &expansions() {
  static const llvm::StringMap<Expansion> table = {
      {"math.cos", expandCos},     {"math.erf", expandErf},  {"math.exp", expandExp},     {"math.exp2", expandExp2},
      {"math.expm1", expandExpM1}, {"math.log", expandLog},  {"math.log10", expandLog10}, {"math.log1p", expandLog1p},
      {"math.log2", expandLog2},   {"math.powf", expandPow}, {"math.rsqrt", expandRsqrt}, {"math.sin", expandSin},
      {"math.tanh", expandTanh},
  };
  return table;
}

/// The expansion of `op`, or null if it stays: f32 and narrower floats are expanded, f64 is not.
static Expansion findExpansion(Operation *op) {
  auto found = expansions().find(op->getName().getStringRef());
  if (found == expansions().end()) {
    return nullptr;
  }
  Type type = op->getResult(0).getType();
  auto vector = dyn_cast<VectorType>(type);
  if (vector ? vector.isScalable() : !isa<FloatType>(type)) {
    return nullptr;
  }
  Type element = getElementTypeOrSelf(type);
  return element.isF32() || element.isF16() || element.isBF16() ? found->second : nullptr;
}

static void expand(Operation *op, Expansion expansion) {
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  Type type = op->getResult(0).getType();
  MathBuilder m(builder, type);
  bool isNarrow = type != m.f32();

  SmallVector<Value> operands(op->getOperands());
  if (isNarrow) {
    for (Value &operand : operands) {
      operand = arith::ExtFOp::create(builder, m.f32(), operand);
    }
  }
  Value result = expansion(m, operands);
  if (isNarrow) {
    result = arith::TruncFOp::create(builder, type, result);
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

namespace {
struct ExpandMathPass : tilewright::impl::ExpandMathBase<ExpandMathPass> {
  void runOnOperation() override {
    SmallVector<std::pair<Operation *, Expansion>> found;
    getOperation()->walk([&](Operation *op) {
      if (Expansion expansion = findExpansion(op)) {
        found.emplace_back(op, expansion);
      }
    });
    for (auto [op, expansion] : found) {
      expand(op, expansion);
    }
  }
};
} // namespace
