// math-to-rocdl: lowers functions that AMD's GPUs approximate in hardware. See Passes.td.
//
//   %y = math.exp2 %x : vector<2xf16>
// becomes
//   %w = arith.extf %x : vector<2xf16> to vector<2xf32>
//   %0 = rocdl.exp2 %w[0], %1 = rocdl.exp2 %w[1]
//   %y = arith.truncf [%0, %1] : vector<2xf32> to vector<2xf16>

#include "tilewright/Conversion/GpuMath.h"
#include "tilewright/Conversion/Passes.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Transforms/MathBuilder.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright {
#define GEN_PASS_DEF_MATHTOROCDL
#include "tilewright/Conversion/Passes.h.inc"
} // namespace tilewright

namespace {
/// Emits an f32 function with the approximate instructions of the target.
using Rewrite = Value (*)(MathBuilder &, Value);
} // namespace

/// Calls `emit` for each element.
static Value forElements(MathBuilder &m, Value x, llvm::function_ref<Value(Value)> emit) {
  auto vector = dyn_cast<VectorType>(x.getType());
  if (!vector) {
    return emit(x);
  }
  SmallVector<Value> elements(vector::ToElementsOp::create(m.builder(), x).getResults());
  for (Value &element : elements) {
    element = emit(element);
  }
  return vector::FromElementsOp::create(m.builder(), vector, elements);
}

/// v_exp_f32, with an error of 1 ulp; flushes denormal operands and results.
static Value expandExp2(MathBuilder &m, Value x) {
  return forElements(m, x,
                     [&](Value element) { return ROCDL::ROCDLExp2::create(m.builder(), element.getType(), element); });
}

/// exp(x) = 2^r 2^n, where n is the integer from -126 to 127 nearest to x log2(e). 2^n is always a normal float, so
/// only the final product may overflow or become denormal. Beyond this range, 2^r overflows, underflows or is NaN.
static Value expandExp(MathBuilder &m, Value x) {
  constexpr double log2E = 1.4426950408889634, log2EHigh = 1.4426950216293335, log2ELow = 1.925963033500011e-08;
  constexpr double round = 12582912.0; // 1.5 * 2^23 leaves an integer in the low bits of a sum
  // The bounds replace a NaN, which comes back with x below. LLVM makes one instruction of them, v_med3_f32.
  Value place = arith::MaxNumFOp::create(m.builder(), m.mul(x, m.f(log2E)), m.f(-126.0));
  place = arith::MinNumFOp::create(m.builder(), place, m.f(127.0));
  Value biased = m.add(place, m.f(round + 127)); // the biased exponent of 2^n in the low bits
  Value minusN = m.sub(m.f(round + 127), biased);
  Value r = m.fma(x, m.f(log2ELow), m.fma(x, m.f(log2EHigh), minusN));
  Value scale = m.asFloat(m.shl(m.bits(biased), 23));
  return m.mul(expandExp2(m, r), scale);
}

/// v_rsq_f32, with an error of 1 ulp. It takes denormal operands for zeros, so these are multiplied by 2^24 before.
static Value expandRsqrt(MathBuilder &m, Value x) {
  Value isSmall = m.less(x, m.f(0x1p-126));
  Value scaled = m.select(isSmall, m.mul(x, m.f(0x1p24)), x);
  Value root = forElements(m, scaled, [&](Value element) -> Value {
    StringAttr name = m.builder().getStringAttr("llvm.amdgcn.rsq");
    return LLVM::CallIntrinsicOp::create(m.builder(), element.getType(), name, ValueRange(element)).getResult(0);
  });
  return m.mul(root, m.select(isSmall, m.f(0x1p12), m.f(1.0)));
}

static Rewrite functionOf(Operation *op) {
  static const llvm::StringMap<Rewrite> table = {
      {"math.exp", expandExp}, {"math.exp2", expandExp2}, {"math.rsqrt", expandRsqrt}};
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  bool isSingle = element.isF32() || element.isF16() || element.isBF16();
  return isSingle ? table.lookup(op->getName().getStringRef()) : nullptr;
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

namespace {
struct MathToRocdl : tilewright::impl::MathToRocdlBase<MathToRocdl> {
  void runOnOperation() override {
    SmallVector<std::pair<Operation *, Rewrite>> found;
    getOperation()->walk([&](Operation *op) {
      if (op->getNumResults() == 1 && op->getNumOperands() == 1) {
        if (Rewrite function = functionOf(op)) {
          found.emplace_back(op, function);
        }
      }
    });
    for (auto [op, function] : found) {
      rewrite(op, function);
    }
    if (failed(checkGpuMath(getOperation()))) {
      signalPassFailure();
    }
  }
};
} // namespace
