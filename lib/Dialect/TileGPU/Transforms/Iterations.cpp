#include "Iterations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::tilegpu {

Value hasAny(OpBuilder &builder, Location loc, scf::ForOp loop) {
  auto isLess = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  return arith::CmpIOp::create(builder, loc, isLess, loop.getLowerBound(), loop.getUpperBound());
}

Value hasNext(OpBuilder &builder, Location loc, Value index, scf::ForOp loop) {
  Value left = arith::SubIOp::create(builder, loc, loop.getUpperBound(), index);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, left, loop.getStep());
}

Value isNotFirst(OpBuilder &builder, Location loc, scf::ForOp loop) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, loop.getInductionVar(), loop.getLowerBound());
}

} // namespace tilewright::tilegpu
