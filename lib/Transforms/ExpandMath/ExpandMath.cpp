// expand-math: expands math functions into arithmetic of the same shape. See Passes.td.
//
//   %y = math.rsqrt %x : vector<16xbf16>
// becomes
//   %w = arith.extf %x : vector<16xbf16> to vector<16xf32>
//   %s = math.sqrt %w : vector<16xf32>
//   %r = arith.divf %one, %s : vector<16xf32>
//   %y = arith.truncf %r : vector<16xf32> to vector<16xbf16>

#include "Expansions.h"
#include "tilewright/Transforms/Passes.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright {
#define GEN_PASS_DEF_EXPANDMATH
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

namespace {
/// The expansions of an operation in f32, also used for f16 and bf16, and in f64; null if there is none.
struct Expansions {
  Expansion single, inDouble;
};
} // namespace

static const llvm::StringMap<Expansions> &table() {
  static const llvm::StringMap<Expansions> expansions = {
      {"math.cos", {expandCos, expandCosDouble}},       {"math.erf", {expandErf, expandErfDouble}},
      {"math.exp", {expandExp, expandExpDouble}},       {"math.exp2", {expandExp2, expandExp2Double}},
      {"math.expm1", {expandExpM1, expandExpM1Double}}, {"math.log", {expandLog, expandLogDouble}},
      {"math.log10", {expandLog10, expandLog10Double}}, {"math.log1p", {expandLog1p, expandLog1pDouble}},
      {"math.log2", {expandLog2, expandLog2Double}},    {"math.powf", {expandPow, nullptr}},
      {"math.rsqrt", {expandRsqrt, expandRsqrt}},       {"math.sin", {expandSin, expandSinDouble}},
      {"math.tanh", {expandTanh, expandTanhDouble}},
  };
  return expansions;
}

/// The expansion of `op`; null if there is none.
static Expansion findExpansion(Operation *op) {
  auto found = table().find(op->getName().getStringRef());
  if (found == table().end()) {
    return nullptr;
  }
  Type type = op->getResult(0).getType();
  auto vector = dyn_cast<VectorType>(type);
  if (vector ? vector.isScalable() : !isa<FloatType>(type)) {
    return nullptr;
  }
  Type element = getElementTypeOrSelf(type);
  if (element.isF64()) {
    return found->second.inDouble;
  }
  return element.isF32() || element.isF16() || element.isBF16() ? found->second.single : nullptr;
}

/// Whether a GPU has an approximate instruction; see math-to-ptx.
static bool isInHardware(Operation *op) {
  return isa<math::ExpOp, math::Exp2Op, math::RsqrtOp>(op) && !getElementTypeOrSelf(op->getResult(0)).isF64();
}

static void expand(Operation *op, Expansion expansion, bool gpu) {
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  Type type = op->getResult(0).getType();
  MathBuilder m(builder, type, /*hasExp=*/gpu);
  bool isNarrow = getElementTypeOrSelf(type).getIntOrFloatBitWidth() < 32;

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
  using ExpandMathBase::ExpandMathBase;

  void runOnOperation() override {
    SmallVector<std::pair<Operation *, Expansion>> found;
    getOperation()->walk([&](Operation *op) {
      if (Expansion expansion = gpu && isInHardware(op) ? nullptr : findExpansion(op)) {
        found.emplace_back(op, expansion);
      }
    });
    for (auto [op, expansion] : found) {
      expand(op, expansion, gpu);
    }
  }
};
} // namespace
