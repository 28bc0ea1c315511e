#include "AddressArithmetic.h"

#include "tilewright/Analysis/IndexRanges.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright {

static bool has(Value value, unsigned bits) { return integerBits(value.getType()) == bits; }

bool isSignedArithmetic(Operation *op) {
  return isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) && !op->hasAttr(kUnsignedAttr);
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// What a region's argument is equal to, depending on the iteration.
static SmallVector<Value> sourcesOf(BlockArgument arg) {
  Operation *parent = arg.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent); loop && arg != loop.getInductionVar()) {
    unsigned index = arg.getArgNumber() - loop.getNumInductionVars();
    return {loop.getInitArgs()[index], loop.getYieldedValues()[index]};
  }
  if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    unsigned index = arg.getArgNumber();
    if (arg.getOwner() == loop.getBeforeBody()) {
      return {loop.getInits()[index], loop.getYieldOp().getOperand(index)};
    }
    return {loop.getConditionOp().getArgs()[index]};
  }
  return {};
}

/// What a result of a loop or a branch is equal to.
static SmallVector<Value> sourcesOf(OpResult result) {
  unsigned index = result.getResultNumber();
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(result.getOwner())
      .Case([&](scf::ForOp loop) {
        return SmallVector<Value>{loop.getInitArgs()[index], loop.getYieldedValues()[index]};
      })
      .Case([&](scf::WhileOp loop) { return SmallVector<Value>{loop.getConditionOp().getArgs()[index]}; })
      .Case([&](scf::IfOp branch) {
        return SmallVector<Value>{branch.thenYield().getOperand(index), branch.elseYield().getOperand(index)};
      })
      .Default([](Operation *) { return SmallVector<Value>(); });
}

SmallVector<Value> exactSources(Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    return sourcesOf(arg);
  }
  Operation *op = value.getDefiningOp();
  if (auto shape = dyn_cast<tile::RearrangementOpInterface>(op)) {
    return llvm::to_vector_of<Value>(shape.getSources());
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    return {select.getTrueValue(), select.getFalseValue()};
  }
  bool extends = isa<arith::ExtSIOp>(op) && has(op->getOperand(0), 32);
  if (extends || isSignedArithmetic(op) || isa<arith::MinSIOp, arith::MaxSIOp>(op)) {
    return llvm::to_vector_of<Value>(op->getOperands());
  }
  return sourcesOf(cast<OpResult>(value));
}

bool isWideArithmetic(Operation *op) {
  bool computes = isSignedArithmetic(op) || isa_and_nonnull<arith::MinSIOp, arith::MaxSIOp, arith::TruncIOp>(op);
  return (computes && has(op->getOperand(0), 64)) ||
         isa_and_nonnull<arith::ExtUIOp, tile::RearrangementOpInterface>(op);
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

void AddressArithmetic::add(Value value) {
  SmallVector<Value> pending{value};
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if ((has(next, 32) || has(next, 64)) && needed.insert(next)) {
      llvm::append_range(pending, exactSources(next));
    }
  }
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// Whether each term of a sum is a constant or a value of an address. Then the sum is an index, and not a number that
/// the program lets wrap.
bool AddressArithmetic::isSumOfAddressValues(Value value) const {
  if (inAddresses.contains(value) || matchPattern(value, m_Constant())) {
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() != 0 || isa<arith::MulIOp>(op)) {
    return false;
  }
  SmallVector<Value> terms = exactSources(value);
  return !terms.empty() && llvm::all_of(terms, [&](Value term) { return isSumOfAddressValues(term); });
}

/// The sums of address values that one side of a comparison is computed from.
void AddressArithmetic::addSides(Value value, SmallVectorImpl<Value> &sums) const {
  if (isSumOfAddressValues(value)) {
    sums.push_back(value);
    return;
  }
  if (isWideArithmetic(value.getDefiningOp())) {
    for (Value operand : value.getDefiningOp()->getOperands()) {
      addSides(operand, sums);
    }
  }
}

void AddressArithmetic::addComparison(arith::CmpIOp compare) {
  if (!has(compare.getLhs(), 32) && !has(compare.getLhs(), 64)) {
    return;
  }
  SmallVector<Value> sums;
  for (Value side : compare->getOperands()) {
    addSides(side, sums);
  }
  llvm::for_each(sums, [&](Value sum) { add(sum); });
  if (!sums.empty()) {
    compared.push_back(compare);
  }
}

//===----------------------------------------------------------------------===//
// The analysis
//===----------------------------------------------------------------------===//

AddressArithmetic::AddressArithmetic(FunctionOpInterface function) {
  function->walk([&](tile::AddPtrOp op) { add(op.getOffset()); });
  // The function on the other side may compute addresses with them.
  function->walk([&](Operation *op) {
    if (isa<tile::CallOp>(op) || (op->hasTrait<OpTrait::ReturnLike>() && op->getParentOp() == function)) {
      llvm::for_each(op->getOperands(), [&](Value value) { add(value); });
    }
  });
  inAddresses.insert(needed.begin(), needed.end());
  function->walk([&](arith::CmpIOp compare) { addComparison(compare); });
}

bool AddressArithmetic::needsExactResult(Operation *op) const {
  return isSignedArithmetic(op) && has(op->getResult(0), 32) && needed.contains(op->getResult(0));
}

} // namespace tilewright
