// Calls of functions that stay functions: their effects, their verification, and their order.

#include "tilewright/Dialect/Tile/IR/Calls.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright::tile;

/// A function may access memory through the pointers that it is passed, and through those that it loads.
void CallOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
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

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(*this, getCalleeAttr());
  if (!callee) {
    return emitOpError("calls '") << getCallee() << "', which is no function of the module";
  }
  if (TypeRange(callee.getArgumentTypes()) != getOperandTypes() ||
      TypeRange(callee.getResultTypes()) != getResultTypes()) {
    return emitOpError("has other types than the function '") << getCallee() << "'";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The order of functions
//===----------------------------------------------------------------------===//

FunctionOpInterface tilewright::tile::calleeOf(CallOp call) {
  return call->getParentOfType<ModuleOp>().lookupSymbol<FunctionOpInterface>(call.getCallee());
}

static void addAfterCallees(FunctionOpInterface function, llvm::SetVector<FunctionOpInterface> &order) {
  if (function.isDeclaration() || order.contains(function)) {
    return;
  }
  function->walk([&](CallOp call) { addAfterCallees(calleeOf(call), order); });
  order.insert(function);
}

SmallVector<FunctionOpInterface> tilewright::tile::callersFirst(ModuleOp module) {
  llvm::SetVector<FunctionOpInterface> calleesFirst;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    addAfterCallees(function, calleesFirst);
  }
  return llvm::to_vector(llvm::reverse(calleesFirst));
}
