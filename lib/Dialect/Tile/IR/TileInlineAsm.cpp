// Inline assembly and calls of libraries: their effects, and their verification. The text and the constraints of
// assembly are those of a target, whose passes check them.

#include "tilewright/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilewright::tile;

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// Code that is not pure may access memory through its pointers, and in ways that its operands do not tell: it may
/// compute addresses, and order the accesses around it.
template <typename Op> static void addEffects(Op op, Effects &effects) {
  if (op.getPure()) {
    return;
  }
  effects.emplace_back(MemoryEffects::Read::get(), Memory::get());
  effects.emplace_back(MemoryEffects::Write::get(), Memory::get());
  for (OpOperand &operand : op.getArgsMutable()) {
    if (isa<PtrType>(getElementType(operand.get().getType()))) {
      effects.emplace_back(MemoryEffects::Read::get(), &operand, Memory::get());
      effects.emplace_back(MemoryEffects::Write::get(), &operand, Memory::get());
    }
  }
}

void InlineAsmOp::getEffects(Effects &effects) { addEffects(*this, effects); }
void CallLibraryOp::getEffects(Effects &effects) { addEffects(*this, effects); }

template <typename Op> static LogicalResult verifyShapes(Op op) {
  Type result = op->getResult(0).getType();
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    if (getShape(type) != getShape(result)) {
      return op.emitOpError("has values of different shapes: ") << result << " and " << type;
    }
  }
  return op.getMask() && op.getPure() ? op.emitOpError("is pure, and needs no mask") : success();
}

LogicalResult CallLibraryOp::verify() {
  return getLibraries().empty() ? emitOpError("must have a library") : verifyShapes(*this);
}

LogicalResult InlineAsmOp::verify() {
  if (getNumResults() == 0) {
    return emitOpError("must have a result");
  }
  if (!llvm::isPowerOf2_64(getPacked())) {
    return emitOpError("executes a power of two of elements at a time, found ") << getPacked();
  }
  for (Type type : llvm::concat<const Type>(getArgs().getTypes(), getResultTypes())) {
    if (getPacked() > 1 && getElementType(type).isInteger(1)) {
      return emitOpError("does not pack elements of type i1");
    }
  }
  return verifyShapes(*this);
}
