#include "tilewright/Analysis/IndexRanges.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <set>

using namespace mlir;

namespace tilewright {

using runtime::LaunchConditions;
using runtime::Range;
using runtime::RangeOp;
using runtime::RangeStep;
using Check = IndexRanges::Check;

static constexpr unsigned kIndexBits = 64;

unsigned integerBits(Type type) {
  Type element = tile::getElementType(type);
  if (element.isIndex()) {
    return kIndexBits;
  }
  auto integer = dyn_cast<IntegerType>(element);
  return integer && integer.getWidth() <= 64 ? integer.getWidth() : 0;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

int IndexRanges::addStep(RangeOp op, unsigned bits, int64_t lhs, int64_t rhs, bool isOpaque) {
  auto [known, isNew] = numbers.try_emplace({op, bits, lhs, rhs, isOpaque}, static_cast<int>(steps.size()));
  if (!isNew) {
    return known->second;
  }
  steps.push_back({op, static_cast<uint8_t>(bits), lhs, rhs});
  opaque.push_back(isOpaque);
  return static_cast<int>(steps.size()) - 1;
}

int IndexRanges::addConstant(unsigned bits, Range range, bool isOpaque) {
  return addStep(RangeOp::Constant, bits, range.lo, range.hi, isOpaque);
}

int IndexRanges::addUnknown(Type type) {
  unsigned bits = integerBits(type);
  return addConstant(bits, Range::all(bits), /*isOpaque=*/true);
}

int IndexRanges::stepOf(Value value) {
  auto known = stepOfValue.find(value);
  return known != stepOfValue.end() ? known->second : stepOfValue[value] = addUnknown(value.getType());
}

/// A remainder or bitwise and is bounded by one operand, so the result is evaluable even if the other is opaque.
int IndexRanges::combine(RangeOp op, unsigned bits, int lhs, int rhs) {
  bool left = opaque[lhs], right = opaque[rhs];
  switch (op) {
  case RangeOp::RemainderSigned:
  case RangeOp::RemainderUnsigned:
    return addStep(op, bits, lhs, rhs, right);
  case RangeOp::And:
    return addStep(op, bits, lhs, rhs, left && right);
  default:
    return addStep(op, bits, lhs, rhs, left || right);
  }
}

int IndexRanges::widen(int step, unsigned bits) {
  return steps[step].bits == bits ? step : addStep(RangeOp::ExtendSigned, bits, step, 0, opaque[step]);
}

void IndexRanges::join(Value result, ValueRange sources) {
  unsigned bits = integerBits(result.getType());
  int joined = stepOf(sources.front());
  for (Value source : sources.drop_front()) {
    joined = combine(RangeOp::Join, bits, joined, stepOf(source));
  }
  stepOfValue[result] = joined;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static std::optional<RangeOp> binaryOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<RangeOp>>(op)
      .Case([](arith::AddIOp) { return RangeOp::Add; })
      .Case([](arith::SubIOp) { return RangeOp::Subtract; })
      .Case([](arith::MulIOp) { return RangeOp::Multiply; })
      .Case([](arith::DivSIOp) { return RangeOp::DivideSigned; })
      .Case([](arith::DivUIOp) { return RangeOp::DivideUnsigned; })
      .Case([](arith::RemSIOp) { return RangeOp::RemainderSigned; })
      .Case([](arith::RemUIOp) { return RangeOp::RemainderUnsigned; })
      .Case([](arith::FloorDivSIOp) { return RangeOp::FloorDivideSigned; })
      .Case([](arith::CeilDivSIOp) { return RangeOp::CeilDivideSigned; })
      .Case([](arith::MinSIOp) { return RangeOp::MinSigned; })
      .Case([](arith::MaxSIOp) { return RangeOp::MaxSigned; })
      .Case([](arith::AndIOp) { return RangeOp::And; })
      .Case([](arith::ShRSIOp) { return RangeOp::ShiftRightSigned; })
      .Default([](Operation *) { return std::nullopt; });
}

/// An index is extended or truncated like a 64-bit integer.
static std::optional<RangeOp> castOp(Operation *op) {
  unsigned from = integerBits(op->getOperand(0).getType()), to = integerBits(op->getResult(0).getType());
  if (isa<arith::ExtSIOp>(op) || (isa<arith::IndexCastOp>(op) && to > from)) {
    return RangeOp::ExtendSigned;
  }
  if (isa<arith::ExtUIOp>(op) || (isa<arith::IndexCastUIOp>(op) && to > from)) {
    return RangeOp::ExtendUnsigned;
  }
  if (isa<arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    return RangeOp::Truncate;
  }
  return std::nullopt;
}

static std::optional<Range> constantRange(Operation *op) {
  APInt value;
  if (matchPattern(op, m_ConstantInt(&value))) {
    return Range::of(value.getSExtValue());
  }
  return std::nullopt;
}

void IndexRanges::addArithmetic(Operation *op) {
  Value result = op->getResult(0);
  unsigned bits = integerBits(result.getType());
  if (std::optional<Range> range = constantRange(op)) {
    stepOfValue[result] = addConstant(bits, *range);
  } else if (std::optional<RangeOp> binary = binaryOp(op)) {
    int lhs = stepOf(op->getOperand(0)), rhs = stepOf(op->getOperand(1));
    stepOfValue[result] = combine(*binary, bits, lhs, rhs);
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    join(result, {select.getTrueValue(), select.getFalseValue()});
  } else if (isa<arith::CmpIOp, arith::CmpFOp>(op)) {
    stepOfValue[result] = addConstant(bits, Range::all(bits));
  } else if (op->getNumOperands() == 1 && integerBits(op->getOperand(0).getType())) {
    if (std::optional<RangeOp> cast = castOp(op)) {
      int source = stepOf(op->getOperand(0));
      stepOfValue[result] = addStep(*cast, bits, source, 0, opaque[source]);
    }
  }
}

void IndexRanges::addOperation(Operation *op) {
  for (Region &region : op->getRegions()) {
    for (Block &block : region) {
      addBlock(block);
    }
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (auto [index, result] : llvm::enumerate(branch.getResults())) {
      if (integerBits(result.getType())) {
        join(result, {branch.thenYield().getOperand(index), branch.elseYield().getOperand(index)});
      }
    }
    return;
  }
  if (op->getNumResults() == 0 || op->getNumRegions() != 0 || !integerBits(op->getResult(0).getType())) {
    return;
  }
  Value result = op->getResult(0);
  if (Value source = sourceOf ? sourceOf(op) : Value()) {
    join(result, source);
    return;
  }
  if (auto axis = op->getAttrOfType<IntegerAttr>(kPositionAttr)) {
    stepOfValue[result] = addStep(RangeOp::ProgramId, 32, axis.getInt(), 0, false);
    return;
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tile::ProgramIdOp id) {
        stepOfValue[result] =
            isPersistent ? addUnknown(result.getType()) : addStep(RangeOp::ProgramId, 32, id.getAxis(), 0, false);
      })
      .Case([&](tile::NumProgramsOp count) {
        stepOfValue[result] =
            isPersistent ? addUnknown(result.getType()) : addStep(RangeOp::NumPrograms, 32, count.getAxis(), 0, false);
      })
      .Case([&](tile::MakeRangeOp range) {
        int32_t first = range.getStart(), last = range.getEnd() - 1;
        stepOfValue[result] = addConstant(32, first <= last ? Range{first, last} : Range::all(32));
      })
      .Case([&](tile::RearrangementOpInterface shape) {
        for (Value made : op->getResults()) {
          join(made, shape.getSources());
        }
      })
      .Default([&](Operation *) { addArithmetic(op); });
}

void IndexRanges::addBlock(Block &block) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      addLoop(loop);
    } else {
      addOperation(&op);
    }
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The amounts that an iteration adds to a loop-carried value, which the loop does not change; none for any other
/// value.
static SmallVector<Value> findAmounts(scf::ForOp loop, unsigned carried) {
  BlockArgument arg = loop.getRegionIterArg(carried);
  SmallVector<Value> amounts;
  Value next = tile::withoutHints(loop.getYieldedValues()[carried]);
  while (next != arg) {
    auto add = next.getDefiningOp<arith::AddIOp>();
    if (!add) {
      return {};
    }
    Value lhs = tile::withoutHints(add.getLhs()), rhs = tile::withoutHints(add.getRhs());
    bool isLeft = loop.isDefinedOutsideOfLoop(lhs);
    amounts.push_back(isLeft ? lhs : rhs);
    next = isLeft ? rhs : lhs;
    if (!loop.isDefinedOutsideOfLoop(amounts.back())) {
      return {};
    }
  }
  return amounts;
}

/// The range of a loop-carried value to which each iteration adds the same amounts: from its initial value to that plus
/// the amounts times the trip count. -1 for any other value.
int IndexRanges::advance(scf::ForOp loop, unsigned carried) {
  SmallVector<Value> amounts = findAmounts(loop, carried);
  if (amounts.empty()) {
    return -1;
  }
  return advancedStep(loop, integerBits(loop.getRegionIterArg(carried).getType()), stepOf(loop.getInitArgs()[carried]),
                      llvm::map_to_vector(amounts, [&](Value amount) { return stepOf(amount); }));
}

int IndexRanges::advancedStep(scf::ForOp loop, unsigned bits, int init, ArrayRef<int> amounts) {
  if (loop.getUnsignedCmp() || bits < integerBits(loop.getStep().getType())) {
    return -1;
  }
  int lower = widen(stepOf(loop.getLowerBound()), bits), upper = widen(upperStepOf(loop), bits);
  int span = combine(RangeOp::LoopSpan, bits, lower, upper);
  int trips = combine(RangeOp::LoopTrips, bits, span, widen(stepOf(loop.getStep()), bits));
  int reached = init;
  for (int amount : amounts) {
    int total = combine(RangeOp::Multiply, bits, trips, amount);
    int some = combine(RangeOp::Join, bits, total, addConstant(bits, Range::of(0)));
    reached = combine(RangeOp::Add, bits, reached, some);
  }
  return reached;
}

/// The step of a value that the loop's index stays below: of a minimum with an opaque side, the other side.
int IndexRanges::upperStepOf(scf::ForOp loop) {
  Value upper = loop.getUpperBound();
  while (auto least = upper.getDefiningOp<arith::MinSIOp>()) {
    if (!opaque[stepOf(upper)]) {
      break;
    }
    upper = opaque[stepOf(least.getLhs())] ? least.getRhs() : least.getLhs();
  }
  return stepOf(upper);
}

void IndexRanges::addLoop(scf::ForOp loop) {
  Value index = loop.getInductionVar();
  if (!loop.getUnsignedCmp()) {
    unsigned bits = integerBits(index.getType());
    int counting = combine(RangeOp::LoopIndex, bits, stepOf(loop.getLowerBound()), upperStepOf(loop));
    stepOfValue[index] = counting;
    endOfLoop[loop] = combine(RangeOp::Add, bits, counting, stepOf(loop.getStep()));
  }
  for (auto [carried, arg] : llvm::enumerate(loop.getRegionIterArgs())) {
    if (!integerBits(arg.getType())) {
      continue;
    }
    int step = advance(loop, carried);
    step = step < 0 ? addUnknown(arg.getType()) : step;
    stepOfValue[arg] = step;
    stepOfValue[loop.getResult(carried)] = step;
  }
  addBlock(*loop.getBody());
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// A persistent kernel has the launch's grid, of which conditions speak, in hidden arguments. `tile.program_id` and
/// `tile.num_programs` are those of the started grid, of which nothing is known.
IndexRanges::IndexRanges(FunctionOpInterface function, SourceOf sourceOf)
    : sourceOf(sourceOf), isPersistent(function->hasAttr(tile::TileDialect::kPersistentAttr)) {
  for (BlockArgument arg : function.getArguments()) {
    auto axis = function.getArgAttrOfType<IntegerAttr>(arg.getArgNumber(), tile::TileDialect::kHiddenSlotAttr);
    if (isPersistent && axis) {
      stepOfValue[arg] = addStep(RangeOp::NumPrograms, 32, axis.getInt(), 0, false);
    }
    auto slot = function.getArgAttrOfType<IntegerAttr>(arg.getArgNumber(), tile::TileDialect::kSlotAttr);
    if (slot && isa<IntegerType>(arg.getType()) && integerBits(arg.getType())) {
      stepOfValue[arg] = addStep(RangeOp::Argument, integerBits(arg.getType()), slot.getInt(), 0, false);
    }
  }
  for (Block &block : function.getFunctionBody()) {
    addBlock(block);
  }
}

Check IndexRanges::checkOf(RangeOp kind, Value value) const {
  auto step = stepOfValue.find(value);
  return {kind, step == stepOfValue.end() ? -1 : step->second};
}

Check IndexRanges::endCheckOf(scf::ForOp loop) const {
  auto step = endOfLoop.find(loop);
  return {RangeOp::CheckNoWrap, step == endOfLoop.end() ? -1 : step->second};
}

Check IndexRanges::smallArraysCheck() { return {RangeOp::CheckSmallArrays, addConstant(32, Range::of(0))}; }

bool IndexRanges::isEvaluable(const Check &check) const { return check.step >= 0 && !opaque[check.step]; }

LaunchConditions IndexRanges::conditionsFor(ArrayRef<Check> checks, MutableArrayRef<int> further) const {
  std::vector<bool> needed(steps.size());
  for (int step : further) {
    needed[step] = true;
  }
  for (const Check &check : checks) {
    needed[check.step] = true;
  }
  auto hasOperands = [](const RangeStep &step) { return step.op > RangeOp::NumPrograms; };
  for (int i = static_cast<int>(steps.size()) - 1; i >= 0; --i) {
    if (needed[i] && hasOperands(steps[i])) {
      needed[steps[i].lhs] = needed[steps[i].rhs] = true;
    }
  }
  std::vector<RangeStep> kept;
  std::vector<int> place(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    if (!needed[i]) {
      continue;
    }
    place[i] = static_cast<int>(kept.size());
    RangeStep step = steps[i];
    if (hasOperands(step)) {
      step.lhs = place[step.lhs];
      step.rhs = place[step.rhs];
    }
    kept.push_back(step);
  }
  for (int &step : further) {
    step = place[step];
  }
  std::set<std::pair<RangeOp, int>> added;
  for (const Check &check : checks) {
    if (added.insert({check.kind, check.step}).second) {
      kept.push_back({check.kind, steps[check.step].bits, place[check.step], 0});
    }
  }
  return LaunchConditions(std::move(kept));
}

} // namespace tilewright
