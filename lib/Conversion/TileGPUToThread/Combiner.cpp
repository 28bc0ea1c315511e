// The combiner of a reduction or scan, applied to vectors: as vector arithmetic if its operations are elementwise,
// otherwise once per element.

#include "TileGPUToThread.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilewright::gpu {

Combiner::Combiner(Region &region) : body(region.front()) {
  commutes = only() && only()->hasTrait<OpTrait::IsCommutative>();
  // Their types become vectors; constants are broadcast.
  isElementwise = llvm::all_of(body.without_terminator(), [](Operation &op) {
    return isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) &&
           (op.hasTrait<OpTrait::Vectorizable>() || isa<arith::ConstantOp>(op));
  });
}

Operation *Combiner::only() const { return llvm::hasNItems(body.without_terminator(), 1) ? &body.front() : nullptr; }

/// Broadcasts a scalar to a vector.
static Value spread(Builder &builder, Value scalar, int64_t lanes) {
  auto type = VectorType::get(lanes, scalar.getType());
  return vector::BroadcastOp::create(builder, type, scalar);
}

/// Emits the body's operations on vectors. Values defined outside of the body are scalars and get broadcast.
static SmallVector<Value> applyToVectors(Builder &builder, Block &body, ArrayRef<Value> arguments) {
  int64_t lanes = cast<VectorType>(arguments.front().getType()).getNumElements();
  IRMapping mapping;
  mapping.map(body.getArguments(), arguments);
  auto lookUp = [&](Value value) {
    if (!mapping.contains(value)) {
      mapping.map(value, spread(builder, value, lanes));
    }
    return mapping.lookup(value);
  };
  for (Operation &op : body.without_terminator()) {
    if (isa<arith::ConstantOp>(op)) {
      mapping.map(op.getResult(0), spread(builder, builder.clone(op)->getResult(0), lanes));
      continue;
    }
    SmallVector<Value> operands = llvm::map_to_vector(op.getOperands(), lookUp);
    SmallVector<Type> types =
        llvm::map_to_vector(op.getResultTypes(), [&](Type type) -> Type { return VectorType::get(lanes, type); });
    OperationState state(op.getLoc(), op.getName(), operands, types, op.getAttrs());
    mapping.map(op.getResults(), builder.create(state)->getResults());
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(), lookUp);
}

SmallVector<Value> applyToScalars(Builder &builder, Block &body, ArrayRef<Value> arguments) {
  IRMapping mapping;
  mapping.map(body.getArguments(), arguments);
  for (Operation &op : body.without_terminator()) {
    builder.clone(op, mapping);
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

SmallVector<Value> Combiner::operator()(Builder &builder, ArrayRef<Value> lhs, ArrayRef<Value> rhs) const {
  SmallVector<Value> arguments(lhs);
  llvm::append_range(arguments, rhs);
  int64_t lanes = cast<VectorType>(lhs.front().getType()).getNumElements();
  if (isElementwise && lanes > 1) {
    return applyToVectors(builder, body, arguments);
  }
  SmallVector<SmallVector<Value>> elements =
      llvm::map_to_vector(arguments, [&](Value vector) { return unpack(builder, vector); });
  SmallVector<SmallVector<Value>> combined(lhs.size());
  for (int64_t lane = 0; lane < lanes; ++lane) {
    auto ofLane = llvm::map_to_vector(elements, [&](const auto &vector) { return vector[lane]; });
    for (auto [values, value] : llvm::zip_equal(combined, applyToScalars(builder, body, ofLane))) {
      values.push_back(value);
    }
  }
  return llvm::map_to_vector(combined, [&](const auto &values) { return pack(builder, values); });
}

} // namespace tilewright::gpu
