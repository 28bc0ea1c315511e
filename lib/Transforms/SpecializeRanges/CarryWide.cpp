#include "CarryWide.h"

#include "tilewright/Analysis/IndexRanges.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright {
namespace {

using Indices = SmallVector<unsigned>;

Type wideType(Type type) { return tile::withElementType(type, IntegerType::get(type.getContext(), 64)); }

Value extend(OpBuilder &builder, Value value) {
  Type type = wideType(value.getType());
  return type == value.getType() ? value : arith::ExtSIOp::create(builder, value.getLoc(), type, value);
}

class Carrying {
public:
  Carrying(MLIRContext *context, const DenseSet<Value> &wide) : rewriter(context), wide(wide) {}

  void rewrite(scf::ForOp loop) {
    Indices indices = inAny(loop.getRegionIterArgs(), loop.getResults());
    if (indices.empty()) {
      return;
    }
    rewriter.setInsertionPoint(loop);
    unsigned controls = loop.getNumControlOperands(), count = loop.getNumResults();
    auto made = scf::ForOp::create(rewriter, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
                                   extended(loop.getInitArgs(), indices));
    made.setUnsignedCmp(loop.getUnsignedCmp());
    made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    move(loop.getBody(), made.getBody());
    addVersions(made.getRegionIterArgs(), indices, count);
    addOperands(made, controls, indices, count);
    pass(made.getBody()->getTerminator(), 0, indices, count);
    replace(loop, made, indices);
  }

  void rewrite(scf::WhileOp loop) {
    Indices before = inAny(loop.getBeforeArguments()), after = inAny(loop.getAfterArguments(), loop.getResults());
    if (before.empty() && after.empty()) {
      return;
    }
    rewriter.setInsertionPoint(loop);
    unsigned first = loop.getInits().size(), second = loop.getNumResults();
    auto made = scf::WhileOp::create(rewriter, loop.getLoc(), extendedTypes(loop.getResultTypes(), after),
                                     extended(loop.getInits(), before), /*beforeBuilder=*/nullptr,
                                     /*afterBuilder=*/nullptr);
    made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    move(loop.getBeforeBody(), made.getBeforeBody());
    move(loop.getAfterBody(), made.getAfterBody());
    addVersions(made.getBeforeArguments(), before, first);
    addVersions(made.getAfterArguments(), after, second);
    addOperands(made, 0, before, first);
    pass(made.getConditionOp(), /*first=*/1, after, second); // operand 0 is the condition
    pass(made.getYieldOp(), 0, before, first);
    replace(loop, made, after);
  }

  void rewrite(scf::IfOp branch) {
    Indices indices = inAny(branch.getResults());
    if (indices.empty()) {
      return;
    }
    rewriter.setInsertionPoint(branch);
    auto made = scf::IfOp::create(rewriter, branch.getLoc(), extendedTypes(branch.getResultTypes(), indices),
                                  branch.getCondition(), /*withElseRegion=*/true);
    made->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
    for (auto [from, to] : llvm::zip_equal(branch->getRegions(), made->getRegions())) {
      to.takeBody(from);
      pass(to.front().getTerminator(), 0, indices, branch.getNumResults());
    }
    replace(branch, made, indices);
  }

  CarriedValues takeResult() { return std::move(carried); }

private:
  /// The positions of wide values in any of the lists, which have the same length.
  template <typename... Lists> Indices inAny(Lists &&...lists) {
    Indices indices;
    unsigned count = std::max({static_cast<unsigned>(lists.size())...});
    for (unsigned i = 0; i < count; ++i) {
      if ((wide.contains(lists[i]) || ...)) {
        indices.push_back(i);
      }
    }
    return indices;
  }

  SmallVector<Value> extended(ValueRange values, const Indices &indices) {
    SmallVector<Value> all(values);
    for (unsigned index : indices) {
      all.push_back(extend(rewriter, values[index]));
    }
    return all;
  }

  static SmallVector<Type> extendedTypes(TypeRange types, const Indices &indices) {
    SmallVector<Type> all(types);
    for (unsigned index : indices) {
      all.push_back(wideType(types[index]));
    }
    return all;
  }

  /// Moves a body to a block that has the same arguments and additional ones. The block may have a terminator.
  void move(Block *from, Block *to) {
    if (!to->empty()) {
      rewriter.eraseOp(to->getTerminator());
    }
    rewriter.mergeBlocks(from, to, to->getArguments().take_front(from->getNumArguments()));
  }

  void addVersions(ValueRange values, const Indices &indices, unsigned count) {
    for (auto [place, index] : llvm::enumerate(indices)) {
      carried.versions.emplace_back(values[index], values[count + place]);
    }
  }

  void addOperands(Operation *op, unsigned first, const Indices &indices, unsigned count) {
    for (auto [place, index] : llvm::enumerate(indices)) {
      carried.operands.push_back({op, first + index, first + count + static_cast<unsigned>(place)});
    }
  }

  void pass(Operation *terminator, unsigned first, const Indices &indices, unsigned count) {
    rewriter.setInsertionPoint(terminator);
    for (unsigned index : indices) {
      Value value = extend(rewriter, terminator->getOperand(first + index));
      terminator->insertOperands(terminator->getNumOperands(), value);
    }
    addOperands(terminator, first, indices, count);
  }

  void replace(Operation *old, Operation *made, const Indices &indices) {
    addVersions(made->getResults(), indices, old->getNumResults());
    rewriter.replaceOp(old, made->getResults().take_front(old->getNumResults()));
  }

  IRRewriter rewriter;
  const DenseSet<Value> &wide;
  CarriedValues carried;
};

} // namespace

CarriedValues carryWide(FunctionOpInterface function, const DenseSet<Value> &wide) {
  Carrying carrying(function.getContext(), wide);
  function->walk<WalkOrder::PostOrder>([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op).Case<scf::ForOp, scf::WhileOp, scf::IfOp>(
        [&](auto passing) { carrying.rewrite(passing); });
  });
  return carrying.takeResult();
}

} // namespace tilewright
