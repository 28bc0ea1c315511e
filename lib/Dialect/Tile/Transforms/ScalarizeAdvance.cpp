// tile-scalarize-advance: a tile that moves as one around a loop becomes its
// first value plus a loop-carried scalar:
//
//     iter_args(%p = %init)                      iter_args(%o = 0)
//       ...                                        %p = addptr %init, splat(%o)
//       %n = addptr %p, splat(%step)     ->        ...
//       yield %n                                   %s = addi %o, %step
//                                                  yield %s

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
} // namespace

//===----------------------------------------------------------------------===//
// Collect
//===----------------------------------------------------------------------===//

/// One uniform step back from `tile`, to what it was added to; null where it is no such sum.
static Value stepBack(Value tile, SmallVectorImpl<Value> &steps) {
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

/// How `next` comes from `carried`, where by one or more uniform steps.
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

/// In a `while` the tile has to go through both regions in one place.
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

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

/// Pointers are as wide as an address; integers wrap around in their own type.
static Type getScalarType(const Advance &advance) {
  Type element = getElementType(advance.init.getType());
  return isa<PtrType>(element) ? IntegerType::get(element.getContext(), 64) : element;
}

/// The tile after the loop has moved it by `offset`.
static Value makeTile(OpBuilder &builder, const Advance &advance, Value offset) {
  Location loc = advance.init.getLoc();
  Type type = withElementType(advance.init.getType(), offset.getType());
  Value splat = SplatOp::create(builder, loc, type, offset);
  if (isa<PtrType>(getElementType(advance.init.getType()))) {
    return AddPtrOp::create(builder, loc, advance.init.getType(), advance.init, splat);
  }
  return arith::AddIOp::create(builder, loc, advance.init, splat);
}

/// `offset` after one more iteration.
static Value makeNext(OpBuilder &builder, const Advance &advance, Value offset) {
  for (Value step : llvm::reverse(advance.steps)) {
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

/// The values that enter the loop: zero for each that advances.
static SmallVector<Value> startFromZero(OpBuilder &builder, ValueRange inits, ArrayRef<Advance> advances) {
  SmallVector<Value> starts(inits);
  for (const Advance &advance : advances) {
    TypedAttr zero = builder.getIntegerAttr(getScalarType(advance), 0);
    starts[advance.index] = arith::ConstantOp::create(builder, advance.init.getLoc(), zero);
  }
  return starts;
}

/// `values` of the new loop as the old one had them.
static SmallVector<Value> makeTiles(OpBuilder &builder, ValueRange values, ArrayRef<Advance> advances) {
  SmallVector<Value> tiles(values);
  for (const Advance &advance : advances) {
    tiles[advance.index] = makeTile(builder, advance, values[advance.index]);
  }
  return tiles;
}

/// Moves `from` into the empty `to`, whose arguments carry scalars.
static void moveBody(IRRewriter &rewriter, Block *from, Block *to, unsigned firstCarried, ArrayRef<Advance> advances) {
  rewriter.setInsertionPointToStart(to);
  SmallVector<Value> args(to->getArguments().take_front(firstCarried));
  args.append(makeTiles(rewriter, to->getArguments().drop_front(firstCarried), advances));
  rewriter.mergeBlocks(from, to, args);
}

/// Hands the scalars on instead of the tiles that were computed from them.
static void passScalars(IRRewriter &rewriter, Operation *terminator, unsigned first, ValueRange carried,
                        ArrayRef<Advance> advances) {
  rewriter.setInsertionPoint(terminator);
  for (const Advance &advance : advances) {
    Value next = makeNext(rewriter, advance, carried[advance.index]);
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
    types[advance.index] = getScalarType(advance);
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

namespace {
struct TileScalarizeAdvance : tilewright::tile::impl::TileScalarizeAdvanceBase<TileScalarizeAdvance> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk<WalkOrder::PostOrder>([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        scalarize(rewriter, loop);
      } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        scalarize(rewriter, loop);
      }
    });
  }

  template <typename LoopOp> static void scalarize(IRRewriter &rewriter, LoopOp loop) {
    SmallVector<Advance> advances = collect(loop);
    if (!advances.empty()) {
      rewrite(rewriter, loop, advances);
    }
  }
};
} // namespace
