// Atomic additions of floats to consecutive addresses: 16 aligned bytes are exchanged at once.
//
//                                                if any of the lanes is on
//                                                  if (%p0 & 15) == 0
//     tile.atomic_rmw fadd, %p, %x mask %m           %old = load atomic i128 %p0
//                                            =       repeat
//                                                      %new = select %m, %old + %x, %old
//                                                    until cmpxchg i128 %p0, %old, %new
//                                                  else: each lane
//
// A processor has no instruction for such an addition, so that each element alone would be a loop of exchanges, too. No
// exchange reaches beyond a page of which one lane is on, and lanes that are off keep what others wrote meanwhile.

#include "Emitter.h"

#include "tilewright/Conversion/Atomics.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {

static constexpr int64_t kExchangedBytes = 16;

namespace {
/// Some lanes of the addition that are next to each other in memory.
struct Group {
  tile::AtomicRMWOp op;
  Value pointer, values, mask; ///< of the first lane; of all lanes; null if all are on
  int64_t lanes;
};
} // namespace

/// The dimension along which the addresses of as many lanes are consecutive.
static std::optional<int> contiguousDim(tile::AtomicRMWOp op, Emitter &e, int64_t lanes) {
  const AxisInfo &properties = e.axis.get(op.getPtr());
  ArrayRef<int64_t> shape = tile::getShape(op.getType());
  for (int dim = static_cast<int>(shape.size()) - 1; dim >= 0; --dim) {
    if (properties.getContiguity(dim) >= lanes && shape[dim] % lanes == 0) {
      return dim;
    }
  }
  return std::nullopt;
}

static Value isAligned(Emitter &e, Group group) {
  Location loc = group.op.getLoc();
  Value address = LLVM::PtrToIntOp::create(e.b, loc, e.b.getI64Type(), group.pointer);
  Value offset = arith::AndIOp::create(e.b, loc, address, e.i64(kExchangedBytes - 1));
  return arith::CmpIOp::create(e.b, loc, arith::CmpIPredicate::eq, offset, e.i64(0));
}

static void emitExchanges(Emitter &e, Group group) {
  Location loc = group.op.getLoc();
  Type word = e.b.getIntegerType(8 * kExchangedBytes);
  LLVM::AtomicOrdering order = atomicOrderingOf(group.op.getSem());
  bool acquires = order == LLVM::AtomicOrdering::acquire || order == LLVM::AtomicOrdering::acq_rel;
  Value first = LLVM::LoadOp::create(e.b, loc, word, group.pointer, kExchangedBytes, /*isVolatile=*/false,
                                     /*isNonTemporal=*/false, /*isInvariant=*/false, /*isInvariantGroup=*/false,
                                     LLVM::AtomicOrdering::monotonic);
  auto exchange = [&](OpBuilder &b, Location, ValueRange seen) {
    Value old = LLVM::BitcastOp::create(b, loc, group.values.getType(), seen.front());
    Value sum = arith::AddFOp::create(b, loc, old, group.values);
    Value wanted = group.mask ? arith::SelectOp::create(b, loc, group.mask, sum, old).getResult() : sum;
    Value pair = LLVM::AtomicCmpXchgOp::create(
        b, loc, group.pointer, seen.front(), LLVM::BitcastOp::create(b, loc, word, wanted), order,
        acquires ? LLVM::AtomicOrdering::acquire : LLVM::AtomicOrdering::monotonic, StringRef(), kExchangedBytes);
    Value found = LLVM::ExtractValueOp::create(b, loc, pair, ArrayRef<int64_t>{0});
    Value isDone = LLVM::ExtractValueOp::create(b, loc, pair, ArrayRef<int64_t>{1});
    Value isLost = arith::XOrIOp::create(b, loc, isDone, arith::ConstantIntOp::create(b, loc, 1, 1));
    scf::ConditionOp::create(b, loc, isLost, found);
  };
  scf::WhileOp::create(e.b, loc, TypeRange(word), ValueRange(first), exchange,
                       [&](OpBuilder &b, Location, ValueRange found) { scf::YieldOp::create(b, loc, found); });
}

static void emitEachLane(Emitter &e, Group group) {
  Location loc = group.op.getLoc();
  Type element = getElementTypeOrSelf(group.values.getType());
  for (int64_t lane = 0; lane < group.lanes; ++lane) {
    auto update = [&] {
      Value place = LLVM::GEPOp::create(e.b, loc, group.pointer.getType(), element, group.pointer,
                                        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(lane)});
      emitOneAtomic(e.b, group.op, {place, vector::ExtractOp::create(e.b, loc, group.values, lane)});
    };
    if (!group.mask) {
      update();
      continue;
    }
    scf::IfOp::create(e.b, loc, vector::ExtractOp::create(e.b, loc, group.mask, lane), [&](OpBuilder &, Location) {
      update();
      scf::YieldOp::create(e.b, loc);
    });
  }
}

/// Updates the group, of which one lane at least is on.
static void emitUpdate(Emitter &e, Group group) {
  auto branch = [&](llvm::function_ref<void(Emitter &, Group)> emit) {
    return [&e, group, emit](OpBuilder &, Location loc) {
      emit(e, group);
      scf::YieldOp::create(e.b, loc);
    };
  };
  scf::IfOp::create(e.b, group.op.getLoc(), isAligned(e, group), branch(emitExchanges), branch(emitEachLane));
}

bool emitVectorAtomics(tile::AtomicRMWOp op, Emitter &e) {
  Type element = getElementTypeOrSelf(op.getType());
  bool isAddition = op.getKind() == tile::RMWKind::FAdd && (element.isF32() || element.isF64());
  if (!isAddition || !op.use_empty() || !e.cpu.exchangesWide) {
    return false;
  }
  int64_t lanes = 8 * kExchangedBytes / getBitWidth(element);
  std::optional<int> dim = contiguousDim(op, e, lanes);
  if (!dim) {
    return false;
  }
  e.emitPointwise(tile::getShape(op.getType()), *dim, lanes, [&](const Point &point) {
    Group group = {op, e.evaluate(op.getPtr(), point.first()), e.evaluateVector(op.getValue(), point), Value(), lanes};
    group.mask = op.getMask() ? e.evaluateVector(op.getMask(), point) : Value();
    e.checkBounds(op, group.pointer, lanes, group.mask);
    if (!group.mask) {
      return emitUpdate(e, group);
    }
    Value isAnyOn = vector::ReductionOp::create(e.b, op.getLoc(), vector::CombiningKind::OR, group.mask);
    scf::IfOp::create(e.b, op.getLoc(), isAnyOn, [&](OpBuilder &, Location loc) {
      emitUpdate(e, group);
      scf::YieldOp::create(e.b, loc);
    });
  });
  return true;
}

} // namespace tilewright::cpu
