// tile-scalarize-advance: a loop-carried tile that advances uniformly becomes its initial value plus a loop-carried
// scalar:
//
//     iter_args(%p = %init)                      iter_args(%o = 0)
//       ...                                        %p = addptr %init, splat(%o)
//       %n = addptr %p, splat(%step)     ->        ...
//       yield %n                                   %s = addi %o, %step
//                                                  yield %s
//
// The same for a tile that one or both sides of a branch, or of a select with a scalar condition, advance uniformly. So
// the pass also handles loops that advance a tile conditionally:
//
//     %q = if %c {                               %o = if %c {
//       yield addptr %p, splat(%a)                 yield %a
//     } else {                           ->      } else {
//       yield %p                                   yield 0
//     }                                          }
//                                                %q = addptr %p, splat(%o)

#include "Uniform.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESCALARIZEADVANCE
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

namespace {
/// A loop-carried tile and the uniform tiles that one iteration adds to it.
struct Advance {
  unsigned index;
  Value init;
  SmallVector<Value> steps;
};

/// A tile that is `init` plus different uniform tiles on each of two paths.
struct Merge {
  unsigned index;
  Value init;
  SmallVector<Value> steps[2];
};
} // namespace

//===----------------------------------------------------------------------===//
// Collect
//===----------------------------------------------------------------------===//

/// The tile to which a uniform step was added to obtain `tile`; null if `tile` is not such a sum. Looks through hints,
/// which are dropped, as the tile will be computed differently.
static Value stepBack(Value tile, SmallVectorImpl<Value> &steps) {
  if (auto hint = tile.getDefiningOp<HintOp>()) {
    return hint.getSrc();
  }
  Value from, step;
  if (auto addptr = tile.getDefiningOp<AddPtrOp>()) {
    from = addptr.getPtr();
    step = addptr.getOffset();
  } else if (auto add = tile.getDefiningOp<arith::AddIOp>()) {
    bool isRight = isUniform(add.getRhs());
    from = isRight ? add.getLhs() : add.getRhs();
    step = isRight ? add.getRhs() : add.getLhs();
  }
  if (!step || !isUniform(step)) {
    return {};
  }
  steps.push_back(step);
  return from;
}

/// The uniform steps from `carried` to `next`, if there are one or more and nothing else.
static std::optional<Advance> findAdvance(unsigned index, Value init, Value carried, Value next) {
  if (!isa<RankedTensorType>(carried.getType())) {
    return std::nullopt;
  }
  Advance advance{index, init, {}};
  while (next && next != carried) {
    next = stepBack(next, advance.steps);
  }
  if (!next || advance.steps.empty()) {
    return std::nullopt;
  }
  return advance;
}

static SmallVector<Advance> collect(scf::ForOp loop) {
  SmallVector<Advance> advances;
  for (auto [index, init, carried, next] :
       llvm::enumerate(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues())) {
    if (auto advance = findAdvance(index, init, carried, next)) {
      advances.push_back(*advance);
    }
  }
  return advances;
}

/// In a `while`, the tile has to have the same position in both regions.
static SmallVector<Advance> collect(scf::WhileOp loop) {
  SmallVector<Advance> advances;
  OperandRange forwarded = loop.getConditionOp().getArgs();
  for (auto [index, init, before, next] :
       llvm::enumerate(loop.getInits(), loop.getBeforeArguments(), loop.getYieldedValues())) {
    if (index >= forwarded.size() || forwarded[index] != before) {
      continue;
    }
    if (auto advance = findAdvance(index, init, loop.getAfterArguments()[index], next)) {
      advances.push_back(*advance);
    }
  }
  return advances;
}

/// The tile from which both `first` and `second` are obtained by uniform steps, at least one in total. It has to be
/// defined outside of `where`, the operation that merges the two paths.
static std::optional<Merge> findMerge(unsigned index, Value first, Value second, Operation *where) {
  if (!isa<RankedTensorType>(first.getType())) {
    return std::nullopt;
  }
  Merge merge{index, first, {}};
  for (; merge.init; merge.init = stepBack(merge.init, merge.steps[0])) {
    if (where->isAncestor(merge.init.getParentBlock()->getParentOp())) {
      continue; // defined on one of the two paths
    }
    merge.steps[1].clear();
    Value other = second;
    while (other && other != merge.init) {
      other = stepBack(other, merge.steps[1]);
    }
    if (other) {
      bool moves = !merge.steps[0].empty() || !merge.steps[1].empty();
      return moves ? std::optional<Merge>(std::move(merge)) : std::nullopt;
    }
  }
  return std::nullopt;
}

static SmallVector<Merge> collect(scf::IfOp branch) {
  SmallVector<Merge> merges;
  if (branch.getNumResults() == 0) {
    return merges;
  }
  for (auto [index, first, second] :
       llvm::enumerate(branch.thenYield().getOperands(), branch.elseYield().getOperands())) {
    if (auto merge = findMerge(index, first, second, branch)) {
      merges.push_back(std::move(*merge));
    }
  }
  return merges;
}

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

/// The type of offsets: 64 bits for pointers, and the same type for integers, which wrap in it.
static Type getScalarType(Value tile) {
  Type element = getElementType(tile.getType());
  return isa<PtrType>(element) ? IntegerType::get(element.getContext(), 64) : element;
}

/// `tile` plus `offset`.
static Value makeTile(OpBuilder &builder, Value tile, Value offset) {
  Location loc = tile.getLoc();
  Type type = withElementType(tile.getType(), offset.getType());
  Value splat = SplatOp::create(builder, loc, type, offset);
  if (isa<PtrType>(getElementType(tile.getType()))) {
    return AddPtrOp::create(builder, loc, tile.getType(), tile, splat);
  }
  return arith::AddIOp::create(builder, loc, tile, splat);
}

/// The initial offset of a tile.
static Value makeZero(OpBuilder &builder, Value tile) {
  TypedAttr zero = builder.getIntegerAttr(getScalarType(tile), 0);
  return arith::ConstantOp::create(builder, tile.getLoc(), zero);
}

/// `offset` plus the steps, which were collected from last to first.
static Value addSteps(OpBuilder &builder, ArrayRef<Value> steps, Value offset) {
  for (Value step : llvm::reverse(steps)) {
    Location loc = step.getLoc();
    Value scalar = getUniformScalar(builder, step);
    unsigned width = scalar.getType().getIntOrFloatBitWidth();
    if (width < offset.getType().getIntOrFloatBitWidth()) {
      scalar = arith::ExtSIOp::create(builder, loc, offset.getType(), scalar);
    } else if (width > offset.getType().getIntOrFloatBitWidth()) {
      scalar = arith::TruncIOp::create(builder, loc, offset.getType(), scalar);
    }
    offset = arith::AddIOp::create(builder, loc, offset, scalar);
  }
  return offset;
}

/// The initial values of the new loop, with zeros for tiles that advance.
static SmallVector<Value> startFromZero(OpBuilder &builder, ValueRange inits, ArrayRef<Advance> advances) {
  SmallVector<Value> starts(inits);
  for (const Advance &advance : advances) {
    starts[advance.index] = makeZero(builder, advance.init);
  }
  return starts;
}

/// The values of the old loop, computed from those of the new one.
static SmallVector<Value> makeTiles(OpBuilder &builder, ValueRange values, ArrayRef<Advance> advances) {
  SmallVector<Value> tiles(values);
  for (const Advance &advance : advances) {
    tiles[advance.index] = makeTile(builder, advance.init, values[advance.index]);
  }
  return tiles;
}

/// Moves `from` into the empty block `to`, in which scalars replace the tiles that advance.
static void moveBody(IRRewriter &rewriter, Block *from, Block *to, unsigned firstCarried, ArrayRef<Advance> advances) {
  rewriter.setInsertionPointToStart(to);
  SmallVector<Value> args(to->getArguments().take_front(firstCarried));
  args.append(makeTiles(rewriter, to->getArguments().drop_front(firstCarried), advances));
  rewriter.mergeBlocks(from, to, args);
}

/// Yields the scalars instead of the tiles computed from them.
static void passScalars(IRRewriter &rewriter, Operation *terminator, unsigned first, ValueRange carried,
                        ArrayRef<Advance> advances) {
  rewriter.setInsertionPoint(terminator);
  for (const Advance &advance : advances) {
    Value next = addSteps(rewriter, advance.steps, carried[advance.index]);
    rewriter.modifyOpInPlace(terminator, [&] { terminator->setOperand(first + advance.index, next); });
  }
}

static void finish(IRRewriter &rewriter, Operation *old, Operation *loop, ArrayRef<Advance> advances) {
  loop->setDiscardableAttrs(old->getDiscardableAttrDictionary());
  rewriter.setInsertionPointAfter(loop);
  rewriter.replaceOp(old, makeTiles(rewriter, loop->getResults(), advances));
}

static void rewrite(IRRewriter &rewriter, scf::ForOp old, ArrayRef<Advance> advances) {
  rewriter.setInsertionPoint(old);
  auto loop = scf::ForOp::create(rewriter, old.getLoc(), old.getLowerBound(), old.getUpperBound(), old.getStep(),
                                 startFromZero(rewriter, old.getInitArgs(), advances));
  loop.setUnsignedCmp(old.getUnsignedCmp());
  moveBody(rewriter, old.getBody(), loop.getBody(), /*firstCarried=*/1, advances);
  passScalars(rewriter, loop.getBody()->getTerminator(), 0, loop.getRegionIterArgs(), advances);
  finish(rewriter, old, loop, advances);
}

static void rewrite(IRRewriter &rewriter, scf::WhileOp old, ArrayRef<Advance> advances) {
  rewriter.setInsertionPoint(old);
  SmallVector<Value> starts = startFromZero(rewriter, old.getInits(), advances);
  SmallVector<Type> types(old.getResultTypes());
  for (const Advance &advance : advances) {
    types[advance.index] = getScalarType(advance.init);
  }
  auto loop = scf::WhileOp::create(rewriter, old.getLoc(), types, starts, /*beforeBuilder=*/nullptr,
                                   /*afterBuilder=*/nullptr);
  moveBody(rewriter, old.getBeforeBody(), loop.getBeforeBody(), 0, advances);
  moveBody(rewriter, old.getAfterBody(), loop.getAfterBody(), 0, advances);
  for (const Advance &advance : advances) {
    // Operand 0 of the terminator is the condition itself.
    loop.getConditionOp()->setOperand(1 + advance.index, loop.getBeforeArguments()[advance.index]);
  }
  passScalars(rewriter, loop.getYieldOp(), 0, loop.getAfterArguments(), advances);
  finish(rewriter, old, loop, advances);
}

static void rewrite(IRRewriter &rewriter, scf::IfOp old, ArrayRef<Merge> merges) {
  SmallVector<Type> types(old.getResultTypes());
  for (int way : {0, 1}) {
    scf::YieldOp yield = way == 0 ? old.thenYield() : old.elseYield();
    rewriter.setInsertionPoint(yield);
    for (const Merge &merge : merges) {
      Value offset = addSteps(rewriter, merge.steps[way], makeZero(rewriter, merge.init));
      rewriter.modifyOpInPlace(yield, [&] { yield->setOperand(merge.index, offset); });
      types[merge.index] = offset.getType();
    }
  }
  rewriter.setInsertionPoint(old);
  auto branch = scf::IfOp::create(rewriter, old.getLoc(), types, old.getCondition(), /*withElseRegion=*/true);
  branch->setDiscardableAttrs(old->getDiscardableAttrDictionary());
  for (auto [from, to] : llvm::zip_equal(old->getRegions(), branch->getRegions())) {
    rewriter.eraseBlock(&to.front());
    rewriter.inlineRegionBefore(from, to, to.end());
  }
  SmallVector<Value> results(branch.getResults());
  for (const Merge &merge : merges) {
    results[merge.index] = makeTile(rewriter, merge.init, branch.getResult(merge.index));
  }
  rewriter.replaceOp(old, results);
}

static void rewrite(IRRewriter &rewriter, arith::SelectOp old, const Merge &merge) {
  rewriter.setInsertionPoint(old);
  Value offsets[2];
  for (auto [offset, steps] : llvm::zip_equal(offsets, merge.steps)) {
    offset = addSteps(rewriter, steps, makeZero(rewriter, merge.init));
  }
  Value chosen = arith::SelectOp::create(rewriter, old.getLoc(), old.getCondition(), offsets[0], offsets[1]);
  rewriter.replaceOp(old, makeTile(rewriter, merge.init, chosen));
}

namespace {
struct TileScalarizeAdvance : tilewright::tile::impl::TileScalarizeAdvanceBase<TileScalarizeAdvance> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk<WalkOrder::PostOrder>([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        scalarize(rewriter, loop);
      } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        scalarize(rewriter, loop);
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        scalarize(rewriter, branch);
      } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
        scalarize(rewriter, select);
      }
    });
  }

  template <typename RegionOp> static void scalarize(IRRewriter &rewriter, RegionOp op) {
    auto movements = collect(op);
    if (!movements.empty()) {
      rewrite(rewriter, op, movements);
    }
  }

  static void scalarize(IRRewriter &rewriter, arith::SelectOp op) {
    if (isa<RankedTensorType>(op.getCondition().getType())) {
      return;
    }
    if (auto merge = findMerge(0, op.getTrueValue(), op.getFalseValue(), op)) {
      rewrite(rewriter, op, *merge);
    }
  }
};
} // namespace
