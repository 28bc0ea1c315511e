// Inline assembly: its effects, and its verification. The text and the constraints are those of a target, whose passes
// check them.

#include "tilewright/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilewright::tile;

/// Assembly that is not pure may access memory through its pointers, and in ways that its operands do not tell: it may
/// compute addresses, and order the accesses around it.
void InlineAsmOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getPure()) {
    return;
  }
  effects.emplace_back(MemoryEffects::Read::get(), Memory::get());
  effects.emplace_back(MemoryEffects::Write::get(), Memory::get());
  for (OpOperand &operand : getArgsMutable()) {
    if (isa<PtrType>(getElementType(operand.get().getType()))) {
      effects.emplace_back(MemoryEffects::Read::get(), &operand, Memory::get());
      effects.emplace_back(MemoryEffects::Write::get(), &operand, Memory::get());
    }
  }
}

LogicalResult InlineAsmOp::verify() {
  if (getNumResults() == 0) {
    return emitOpError("must have a result");
  }
  if (!llvm::isPowerOf2_64(getPacked())) {
    return emitOpError("executes a power of two of elements at a time, found ") << getPacked();
  }
  ArrayRef<int64_t> shape = getShape(getResult(0).getType());
  for (Type type : llvm::concat<const Type>(getOperandTypes(), getResultTypes())) {
    if (getShape(type) != shape) {
      return emitOpError("has values of different shapes: ") << getResult(0).getType() << " and " << type;
    }
  }
  for (Type type : llvm::concat<const Type>(getArgs().getTypes(), getResultTypes())) {
    if (getPacked() > 1 && getElementType(type).isInteger(1)) {
      return emitOpError("does not pack elements of type i1");
    }
  }
  if (getMask() && getPure()) {
    return emitOpError("is pure, and needs no mask");
  }
  return success();
}
