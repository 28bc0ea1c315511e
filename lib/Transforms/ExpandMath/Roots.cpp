// Reciprocal square root.

#include "Expansions.h"

using namespace mlir;
using namespace tilewright;

/// Two correctly rounded operations. The hardware's estimates would be faster, but they need target-specific
/// intrinsics, and their refinement fails for zero and infinity.
Value tilewright::expandRsqrt(MathBuilder &m, Operands x) {
  Value root = m.sqrt(x[0]);
  return m.div(m.like(root, 1.0), root);
}
