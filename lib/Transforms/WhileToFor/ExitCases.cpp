#include "ExitCases.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tilewright {
namespace {

class Cases {
public:
  Cases(scf::WhileOp loop, const LoopControl &control, bool stops) : loop(loop), control(control), stops(stops) {}

  std::optional<DecidedBranches> run() {
    loop.getAfter().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto branch = dyn_cast<scf::IfOp>(op)) {
        branches.push_back(branch);
      }
      return isa<LoopLikeOpInterface>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    enumerate(control.nextStopFlag());
    if (count > kMaxCases || evaluations > kMaxEvaluations) {
      return std::nullopt;
    }
    DecidedBranches decided;
    for (scf::IfOp branch : branches) {
      if (std::optional<bool> side = taken.lookup(branch)) {
        decided[branch] = *side;
      }
    }
    return decided;
  }

private:
  static constexpr unsigned kMaxCases = 64, kMaxEvaluations = 1 << 16;

  using Known = std::optional<APInt>;

  /// Tries both values of each condition that the flag depends on.
  void enumerate(Value flag) {
    missing = {};
    Known value = evaluate(flag);
    if (!value && missing && count <= kMaxCases) {
      Value condition = missing;
      for (bool holds : {false, true}) {
        assumed[condition] = holds;
        enumerate(flag);
      }
      assumed.erase(condition);
      return;
    }
    if (!value || value->getBoolValue() == stops) {
      ++count;
      addCase();
    }
  }

  /// Compares the branches taken in this case with those of the earlier ones.
  void addCase() {
    for (scf::IfOp branch : branches) {
      if (!mayExecute(branch)) {
        continue;
      }
      Known value = evaluate(branch.getCondition());
      std::optional<bool> side = value ? std::optional(value->getBoolValue()) : std::nullopt;
      auto [entry, isNew] = taken.try_emplace(branch, side);
      if (!isNew && entry->second != side) {
        entry->second = std::nullopt;
      }
    }
  }

  /// Whether no branch around this one is known to be the other one.
  bool mayExecute(Operation *op) {
    for (Operation *inner = op, *around = op->getParentOp(); around != loop;
         inner = around, around = around->getParentOp()) {
      auto branch = dyn_cast<scf::IfOp>(around);
      Known value = branch ? evaluate(branch.getCondition()) : Known();
      if (value && value->getBoolValue() != (inner->getParentRegion() == &branch.getThenRegion())) {
        return false;
      }
    }
    return true;
  }

  Known evaluate(Value value) {
    if (++evaluations > kMaxEvaluations) {
      return std::nullopt;
    }
    value = control.throughCondition(value);
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant))) {
      return constant;
    }
    if (control.isStopFlag(value)) {
      return APInt(1, 0); // or the iteration would not be executed
    }
    Operation *op = value.getDefiningOp();
    if (auto branch = dyn_cast_or_null<scf::IfOp>(op)) {
      unsigned index = cast<OpResult>(value).getResultNumber();
      Known condition = evaluate(branch.getCondition());
      return condition
                 ? evaluate((condition->getBoolValue() ? branch.thenYield() : branch.elseYield())->getOperand(index))
                 : Known();
    }
    if (auto select = dyn_cast_or_null<arith::SelectOp>(op); select && select.getCondition().getType().isInteger(1)) {
      Known condition = evaluate(select.getCondition());
      return condition ? evaluate(condition->getBoolValue() ? select.getTrueValue() : select.getFalseValue()) : Known();
    }
    return value.getType().isInteger(1) ? evaluateCondition(value) : Known();
  }

  Known evaluateCondition(Value value) {
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<arith::AndIOp, arith::OrIOp>(op)) {
      bool decisive = isa<arith::OrIOp>(op);
      Known left = evaluate(op->getOperand(0));
      if (!left || left->getBoolValue() == decisive) {
        return left;
      }
      return evaluate(op->getOperand(1));
    }
    if (isa_and_nonnull<arith::XOrIOp>(op)) {
      Known left = evaluate(op->getOperand(0)), right = left ? evaluate(op->getOperand(1)) : Known();
      return left && right ? Known(*left ^ *right) : Known();
    }
    if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
        compare && isCode(compare.getLhs()) && isCode(compare.getRhs())) {
      Known left = evaluate(compare.getLhs()), right = left ? evaluate(compare.getRhs()) : Known();
      return left && right ? Known(APInt(1, arith::applyCmpPredicate(compare.getPredicate(), *left, *right))) : Known();
    }
    auto found = assumed.find(value);
    if (found != assumed.end()) {
      return APInt(1, found->second);
    }
    missing = missing ? missing : value;
    return std::nullopt;
  }

  /// Whether the value is an exit code: a constant on each path.
  bool isCode(Value value) {
    auto [known, isNew] = codes.try_emplace(value, false);
    if (!isNew) {
      return known->second;
    }
    return codes[value] = matchPattern(value, m_Constant()) || isChosenCode(value);
  }

  bool isChosenCode(Value value) {
    if (auto branch = value.getDefiningOp<scf::IfOp>()) {
      unsigned index = cast<OpResult>(value).getResultNumber();
      return isCode(branch.thenYield()->getOperand(index)) && isCode(branch.elseYield()->getOperand(index));
    }
    auto select = value.getDefiningOp<arith::SelectOp>();
    return select && isCode(select.getTrueValue()) && isCode(select.getFalseValue());
  }

  scf::WhileOp loop;
  const LoopControl &control;
  bool stops;
  SmallVector<scf::IfOp> branches;
  llvm::DenseMap<Value, bool> assumed; ///< the values of conditions in the current case
  Value missing;                       ///< the first condition without a value that an evaluation needed
  unsigned count = 0, evaluations = 0;
  llvm::DenseMap<Value, bool> codes;
  llvm::DenseMap<Operation *, std::optional<bool>> taken; ///< no value: either branch
};

} // namespace

std::optional<DecidedBranches> decideBranches(scf::WhileOp loop, const LoopControl &control, bool stops) {
  return Cases(loop, control, stops).run();
}

} // namespace tilewright
