#include "ConstantTerms.h"

#include "AddressArithmetic.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace tilewright {

static int64_t limited(__int128 number) {
  constexpr __int128 kMost = __int128(1) << 62;
  return static_cast<int64_t>(std::clamp(number, -kMost, kMost));
}

ConstantTerms::Terms ConstantTerms::termsOf(Value value) {
  auto found = known.find(value);
  return found != known.end() ? found->second : known[value] = compute(value);
}

ConstantTerms::Terms ConstantTerms::compute(Value value) {
  Terms terms;
  APInt constant;
  Operation *op = value.getDefiningOp();
  if (matchPattern(value, m_ConstantInt(&constant))) {
    terms.value = constant.getSExtValue();
  } else if (auto shape = dyn_cast_or_null<tile::RearrangementOpInterface>(op);
             shape && shape.getSources().size() == 1) {
    return termsOf(shape.getSources().front());
  } else if (isSignedArithmetic(op)) {
    Terms lhs = termsOf(op->getOperand(0)), rhs = termsOf(op->getOperand(1));
    bool areConstants = lhs.value && rhs.value;
    if (isa<arith::MulIOp>(op)) {
      terms.factor = limited(__int128(lhs.asFactor()) * rhs.asFactor());
      terms.value = areConstants ? std::optional(terms.factor) : std::nullopt;
    } else {
      int sign = isa<arith::SubIOp>(op) ? -1 : 1;
      terms.addend = limited(__int128(lhs.asAddend()) + sign * __int128(rhs.asAddend()));
      terms.value = areConstants ? std::optional(terms.addend) : std::nullopt;
    }
  }
  return terms;
}

bool ConstantTerms::exceed32Bits(Operation *op) {
  Terms terms = termsOf(op->getResult(0));
  return !llvm::isInt<32>(terms.addend) || !llvm::isInt<32>(terms.factor);
}

} // namespace tilewright
