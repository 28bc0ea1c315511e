#include "tilewright/Analysis/LoopSteps.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <numeric>

using namespace mlir;

namespace tilewright {

/// Limits the recursion.
static constexpr int kDepth = 64;

/// Narrower values may wrap around at fewer elements than a tile has.
static bool isWide(Type type) {
  Type element = tile::getElementType(type);
  return !element.isInteger() || element.getIntOrFloatBitWidth() >= 32;
}

/// The step of a value whose operation has operands that change.
static int64_t stepOfResult(Operation *op, ArrayRef<int64_t> operands) {
  if (isa<arith::AddIOp, arith::SubIOp, tile::AddPtrOp>(op)) {
    return std::gcd(operands[0], operands[1]);
  }
  // Extensions and truncations change differences by multiples of 2^32 or more.
  if (isa<tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op)) {
    return operands[0];
  }
  llvm::APInt factor;
  bool isScaled = isa<arith::MulIOp>(op) && matchPattern(op->getOperand(1), m_ConstantInt(&factor));
  if (isScaled && factor.isSignedIntN(31) && llvm::isInt<32>(operands[0])) {
    return std::abs(factor.getSExtValue()) * operands[0];
  }
  return 1;
}

namespace {

/// Finds the step of a value with those of its operands, each once.
class Steps {
public:
  int64_t of(Value value, int depth);

private:
  int64_t find(Value value, int depth);
  int64_t ofArgument(BlockArgument argument, int depth);

  DenseMap<Value, int64_t> known;
};

} // namespace

int64_t Steps::ofArgument(BlockArgument argument, int depth) {
  Operation *around = argument.getOwner()->getParentOp();
  auto loop = dyn_cast<scf::ForOp>(around);
  if (loop && argument == loop.getInductionVar()) {
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    return step ? std::gcd(*step, of(loop.getLowerBound(), depth)) : 1;
  }
  return isa<FunctionOpInterface>(around) && argument.getOwner()->isEntryBlock() ? 0 : 1;
}

int64_t Steps::of(Value value, int depth) {
  auto step = known.find(value);
  return step != known.end() ? step->second : known[value] = find(value, depth);
}

int64_t Steps::find(Value value, int depth) {
  if (depth == 0) {
    return 1;
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    return ofArgument(argument, depth - 1);
  }
  Operation *op = value.getDefiningOp();
  if (!op->getParentOfType<LoopLikeOpInterface>()) {
    return 0;
  }
  if (!isMemoryEffectFree(op) || op->getNumRegions() > 0) {
    return 1;
  }
  SmallVector<int64_t> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(of(operand, depth - 1));
  }
  bool isSame = llvm::all_of(operands, [](int64_t step) { return step == 0; });
  return isSame ? 0 : isWide(value.getType()) ? stepOfResult(op, operands) : 1;
}

int64_t stepBetweenIterations(Value value) { return Steps().of(value, kDepth); }

} // namespace tilewright
