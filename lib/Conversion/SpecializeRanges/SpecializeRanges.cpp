// specialize-ranges: index arithmetic that does not wrap is marked so. See Passes.td.
//
//     %o = arith.addi %row, %columns : tensor<128xi32>          arith.addi ... overflow<nsw>
//     %c = arith.remsi %o, %n : tensor<128xi32>                 arith.remui %o, %n
//
// Only what axis analysis profits from is looked at: an aligned block of indices cannot wrap inside, and needs nothing.

#include "IndexRanges.h"

#include "tilewright/Analysis/AxisInfo.h"
#include "tilewright/Conversion/Passes.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"

namespace tilewright {
#define GEN_PASS_DEF_SPECIALIZERANGES
#include "tilewright/Conversion/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

using runtime::LaunchConditions;
using runtime::RangeOp;
using Check = IndexRanges::Check;

//===----------------------------------------------------------------------===//
// What to assume of an operation
//===----------------------------------------------------------------------===//

bool countsAlong(const AxisInfo &info, unsigned dim) { return info.getContiguity(dim) > 1; }

/// Whether one side counts along a dimension in which the other stays, or counts too.
bool hasCountingSide(Operation *op, AxisInfoAnalysis &axis) {
  const AxisInfo &lhs = axis.get(op->getOperand(0)), &rhs = axis.get(op->getOperand(1));
  for (unsigned dim = 0; dim < lhs.getRank(); ++dim) {
    bool left = countsAlong(lhs, dim), right = countsAlong(rhs, dim);
    if ((left && (right || rhs.getConstancy(dim) > 1)) || (right && lhs.getConstancy(dim) > 1)) {
      return true;
    }
  }
  return false;
}

bool isUnsigned(arith::CmpIPredicate predicate) { return predicate >= arith::CmpIPredicate::ult; }

/// What has to hold so that `assume` may change the operation; nothing where that would be of no use.
SmallVector<Check, 2> checksOf(Operation *op, AxisInfoAnalysis &axis) {
  auto nonNegative = [&](ValueRange values) {
    return llvm::map_to_vector<2>(values, [](Value value) { return Check{RangeOp::CheckNonNegative, value}; });
  };
  if (isa<arith::AddIOp, arith::SubIOp, arith::TruncIOp>(op) && axis.get(op->getResult(0)).mayWrap()) {
    return {{RangeOp::CheckNoWrap, op->getResult(0)}};
  }
  auto compare = dyn_cast<arith::CmpIOp>(op);
  bool readsSign = isa<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp>(op);
  if ((readsSign || (compare && isUnsigned(compare.getPredicate()))) && hasCountingSide(op, axis)) {
    return nonNegative(op->getOperands());
  }
  if (isa<arith::ExtUIOp>(op)) {
    const AxisInfo &source = axis.get(op->getOperand(0));
    for (unsigned dim = 0; dim < source.getRank(); ++dim) {
      if (countsAlong(source, dim) && source.getContiguity(dim) > source.getDivisibility(dim)) {
        return nonNegative(op->getOperands());
      }
    }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Saying it
//===----------------------------------------------------------------------===//

template <typename Op> void markNoWrap(Op op) {
  op.setOverflowFlags(op.getOverflowFlags() | arith::IntegerOverflowFlags::nsw);
}

template <typename New> void replaceBy(Operation *op) {
  OpBuilder builder(op);
  auto made = New::create(builder, op->getLoc(), op->getResultTypes(), op->getOperands());
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op->replaceAllUsesWith(made);
  op->erase();
}

arith::CmpIPredicate signedForm(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::ult:
    return arith::CmpIPredicate::slt;
  case arith::CmpIPredicate::ule:
    return arith::CmpIPredicate::sle;
  case arith::CmpIPredicate::ugt:
    return arith::CmpIPredicate::sgt;
  case arith::CmpIPredicate::uge:
    return arith::CmpIPredicate::sge;
  default:
    return predicate;
  }
}

/// Changes an operation whose checks hold.
void assume(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<arith::AddIOp, arith::SubIOp, arith::TruncIOp>([](auto sum) { markNoWrap(sum); })
      .Case<arith::DivSIOp, arith::FloorDivSIOp>([](auto division) { replaceBy<arith::DivUIOp>(division); })
      .Case([](arith::RemSIOp remainder) { replaceBy<arith::RemUIOp>(remainder); })
      .Case([](arith::ExtUIOp extension) { replaceBy<arith::ExtSIOp>(extension); })
      .Case([](arith::CmpIOp compare) { compare.setPredicate(signedForm(compare.getPredicate())); });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

class SpecializeRanges : public impl::SpecializeRangesBase<SpecializeRanges> {
  using SpecializeRangesBase::SpecializeRangesBase;

  void runOnOperation() override {
    getOperation()->walk([&](FunctionOpInterface function) {
      if (function->hasAttr(tile::TileDialect::kKernelAttr)) {
        specialize(function);
      }
    });
  }

  void specialize(FunctionOpInterface function) {
    AxisInfoAnalysis axis(function);
    IndexRanges ranges(function);
    SmallVector<Operation *> proven;
    SmallVector<Check> assumed;
    function->walk([&](Operation *op) {
      SmallVector<Check, 2> checks = checksOf(op, axis);
      bool canBeTold = llvm::all_of(checks, [&](const Check &check) { return ranges.isEvaluable(check.value); });
      if (checks.empty() || !canBeTold) {
        return;
      }
      bool isStatic = ranges.conditionsFor(checks).holdAlways();
      if (isStatic || atLaunch) {
        proven.push_back(op);
      }
      if (!isStatic && atLaunch) {
        llvm::append_range(assumed, checks);
      }
    });
    if (!assumed.empty()) {
      Builder builder(function.getContext());
      getOperation()->setAttr(tile::TileDialect::kLaunchConditionsAttr,
                              builder.getDenseI64ArrayAttr(ranges.conditionsFor(assumed).encode()));
    }
    llvm::for_each(proven, assume);
  }
};

} // namespace
} // namespace tilewright
