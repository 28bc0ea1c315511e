// math-to-ptx: lowers functions that a GPU approximates in hardware. See Passes.td.
//
//   %y = math.rsqrt %x : vector<4xf16>
// becomes
//   %w = arith.extf %x : vector<4xf16> to vector<4xf32>
//   %r = ptx.rsqrt %w : vector<4xf32>
//   %y = arith.truncf %r : vector<4xf32> to vector<4xf16>

#include "tilewright/Conversion/GpuMath.h"
#include "tilewright/Conversion/Passes.h"
#include "tilewright/Dialect/Ptx/IR/Ptx.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Transforms/MathBuilder.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright {
#define GEN_PASS_DEF_MATHTOPTX
#include "tilewright/Conversion/Passes.h.inc"
} // namespace tilewright

namespace {
/// Emits an f32 function with the approximate instructions of the target.
using Rewrite = Value (*)(MathBuilder &, ValueRange);
} // namespace

/// exp(x) = 2^r 2^n, where n is the integer from -126 to 127 nearest to x log2(e). 2^n is always a normal float, so
/// only the final product may overflow or become denormal. Beyond this range, 2^r overflows, underflows or is NaN. The
/// first multiplication saturates, which clamps n at no cost.
static Value expandExp(MathBuilder &m, ValueRange x) {
  constexpr double log2E = 1.4426950408889634, log2EHigh = 1.4426950216293335, log2ELow = 1.925963033500011e-08;
  constexpr double round = 12582912.0; // 1.5 * 2^23 leaves an integer in the low bits of a sum
  Value place = ptx::FmaSatOp::create(m.builder(), x[0], m.f(log2E / 253), m.f(126.0 / 253));
  Value biased = m.fma(place, m.f(253.0), m.f(round + 1)); // the biased exponent of 2^n in the low bits
  Value minusN = m.sub(m.f(round + 127), biased);
  Value r = m.fma(x[0], m.f(log2ELow), m.fma(x[0], m.f(log2EHigh), minusN));
  Value scale = m.asFloat(m.shl(m.bits(biased), 23));
  return m.mul(ptx::Ex2FtzOp::create(m.builder(), r), scale);
}

template <typename Op> static Value approximate(MathBuilder &m, ValueRange x) {
  return Op::create(m.builder(), x[0].getType(), x);
}

static const llvm::StringMap<Rewrite> &functions() {
  static const llvm::StringMap<Rewrite> table = {
      {"math.exp", expandExp},
      {"math.exp2", approximate<ptx::Ex2Op>},
      {"math.rsqrt", approximate<ptx::RsqrtOp>},
      {"math.sqrt", approximate<ptx::SqrtOp>},
  };
  return table;
}

static void rewrite(Operation *op, Rewrite function) {
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  Type type = op->getResult(0).getType();
  MathBuilder m(builder, type);
  Value x = op->getOperand(0);
  if (x.getType() != m.f32()) {
    x = arith::ExtFOp::create(builder, m.f32(), x);
  }
  Value result = function(m, x);
  if (result.getType() != type) {
    result = arith::TruncFOp::create(builder, type, result);
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// Lowers divisions in expansions, which allow for an error of 2 ulp; `expand-division` has expanded the user's
/// divisions.
static void rewriteDivision(arith::DivFOp op) {
  OpBuilder builder(op);
  Value quotient = ptx::DivOp::create(builder, op.getLoc(), op.getType(), op.getLhs(), op.getRhs());
  op.replaceAllUsesWith(quotient);
  op.erase();
}

namespace {
struct MathToPtx : tilewright::impl::MathToPtxBase<MathToPtx> {
  using MathToPtxBase::MathToPtxBase;

  void runOnOperation() override {
    SmallVector<std::pair<Operation *, Rewrite>> found;
    SmallVector<arith::DivFOp> divisions;
    getOperation()->walk([&](Operation *op) {
      if (op->getNumResults() != 1 || op->hasAttr(tile::TileDialect::kPreciseAttr)) {
        return;
      }
      Type element = getElementTypeOrSelf(op->getResult(0).getType());
      if (auto division = dyn_cast<arith::DivFOp>(op); division && element.isF32()) {
        divisions.push_back(division);
      } else if (element.isF32() || element.isF16() || element.isBF16()) {
        if (Rewrite function = functionOf(op)) {
          found.emplace_back(op, function);
        }
      }
    });
    llvm::for_each(divisions, rewriteDivision);
    for (auto [op, function] : found) {
      rewrite(op, function);
    }
    if (failed(checkGpuMath(getOperation()))) {
      signalPassFailure();
    }
  }

private:
  Rewrite functionOf(Operation *op) {
    if (isa<math::Exp2Op>(op) && flushDenormals) {
      return approximate<ptx::Ex2FtzOp>;
    }
    return functions().lookup(op->getName().getStringRef());
  }
};
} // namespace
