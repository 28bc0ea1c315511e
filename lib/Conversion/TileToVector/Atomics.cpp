// Atomics: one element at a time, in program order. Additions of floats to consecutive addresses take
// AtomicVectors.cpp.

#include "Emitter.h"

#include "tilewright/Conversion/Atomics.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tilewright::cpu {

Value emitOneAtomic(OpBuilder &b, Operation *op, ValueRange operands) {
  Location loc = op->getLoc();
  if (auto rmw = dyn_cast<tile::AtomicRMWOp>(op)) {
    return LLVM::AtomicRMWOp::create(b, loc, atomicBinOpOf(rmw.getKind()), operands[0], operands[1],
                                     atomicOrderingOf(rmw.getSem()));
  }
  auto cas = cast<tile::AtomicCASOp>(op);
  LLVM::AtomicOrdering order = atomicOrderingOf(cas.getSem());
  bool releases = order == LLVM::AtomicOrdering::release || order == LLVM::AtomicOrdering::acq_rel;
  LLVM::AtomicOrdering onFailure = order == LLVM::AtomicOrdering::monotonic ? order : LLVM::AtomicOrdering::acquire;
  // A failing compare-exchange with release semantics orders nothing.
  onFailure = releases && order == LLVM::AtomicOrdering::release ? LLVM::AtomicOrdering::monotonic : onFailure;
  // Floats are compared by their bits.
  Type type = operands[1].getType();
  Type bits = isa<FloatType>(type) ? b.getIntegerType(type.getIntOrFloatBitWidth()) : type;
  auto toBits = [&](Value value) { return type == bits ? value : arith::BitcastOp::create(b, loc, bits, value); };
  Value pair =
      LLVM::AtomicCmpXchgOp::create(b, loc, operands[0], toBits(operands[1]), toBits(operands[2]), order, onFailure);
  Value old = LLVM::ExtractValueOp::create(b, loc, pair, ArrayRef<int64_t>{0});
  return type == bits ? old : arith::BitcastOp::create(b, loc, type, old);
}

namespace {
template <typename Op> struct Atomic : EmissionModel<Atomic<Op>, Op> {
  LogicalResult emit(Operation *op, Emitter &e) const {
    Value result = op->getResult(0);
    if (!isTile(result)) {
      e.map(result, updateAt(op, e, Point()));
      return success();
    }
    if (auto rmw = dyn_cast<tile::AtomicRMWOp>(op); rmw && emitVectorAtomics(rmw, e)) {
      return success();
    }
    std::optional<Buffer> into;
    if (!result.use_empty()) {
      into = e.buffers[result] = e.allocate(result.getType());
    }
    e.emitPointwise(tile::getShape(result.getType()), -1, 1, [&](const Point &point) {
      Value old = updateAt(op, e, point);
      if (into) {
        e.writeBuffer(*into, point, old);
      }
    });
    return success();
  }

private:
  static Value updateAt(Operation *op, Emitter &e, const Point &point) {
    Value mask = cast<tile::MemoryAccessOpInterface>(op).getMask();
    auto operands = llvm::map_to_vector(op->getOperands(), [&](Value value) { return e.evaluate(value, point); });
    e.checkBounds(op, operands[0], 1, mask ? e.evaluate(mask, point) : Value());
    if (!mask) {
      return emitOneAtomic(e.b, op, operands);
    }
    auto branch = scf::IfOp::create(
        e.b, op->getLoc(), e.evaluate(mask, point),
        [&](OpBuilder &, Location loc) { scf::YieldOp::create(e.b, loc, emitOneAtomic(e.b, op, operands)); },
        [&](OpBuilder &, Location loc) { scf::YieldOp::create(e.b, loc, e.zero(operands[1].getType())); });
    return branch.getResult(0);
  }
};
} // namespace

void attachAtomics(MLIRContext *context) { attachToAll<Atomic, tile::AtomicRMWOp, tile::AtomicCASOp>(context); }

} // namespace tilewright::cpu
