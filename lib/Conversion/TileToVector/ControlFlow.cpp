// Loops and branches. Tiles that they carry or yield are in buffers; scalars remain SSA values.

#include "Emitter.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

using namespace mlir;

namespace tilewright::cpu {

static SmallVector<Value> scalarsOf(ValueRange values) {
  return llvm::to_vector(llvm::make_filter_range(values, [](Value value) { return !isTile(value); }));
}

static SmallVector<Value> tilesOf(ValueRange values) {
  return llvm::to_vector(llvm::make_filter_range(values, [](Value value) { return isTile(value); }));
}

SmallVector<Buffer> Emitter::allocateFor(ValueRange values) {
  return llvm::map_to_vector(tilesOf(values), [&](Value tile) { return allocate(tile.getType()); });
}

void Emitter::bind(ValueRange values, ValueRange emittedScalars, ArrayRef<Buffer> tiles) {
  for (auto [value, emitted] : llvm::zip_equal(scalarsOf(values), emittedScalars)) {
    map(value, emitted);
  }
  for (auto [value, buffer] : llvm::zip_equal(tilesOf(values), tiles)) {
    buffers[value] = buffer;
  }
}

SmallVector<Value> Emitter::moveInto(ValueRange values, ArrayRef<Buffer> into) {
  SmallVector<Value> tiles = tilesOf(values);
  // Cheap tiles of this block are in memory too: computing them here might read buffers that have been overwritten.
  auto sources = llvm::map_to_vector(tiles, [&](Value tile) { return buffers.lookup(tile); });
  // Copy a tile out of a destination buffer of another tile before it is overwritten.
  for (auto [i, source] : llvm::enumerate(sources)) {
    bool displaced = source.base && llvm::any_of(llvm::enumerate(into), [i = i, &source = source](auto other) {
                       return other.index() != i && other.value().base == source.base;
                     });
    if (displaced) {
      Buffer temporary = allocate(tiles[i].getType());
      copyBuffer(tiles[i].getType(), source, temporary);
      source = temporary;
    }
  }
  for (auto [tile, source, buffer] : llvm::zip_equal(tiles, sources, into)) {
    if (!source.base) {
      copyTile(tile, buffer);
    } else if (source.base != buffer.base) {
      copyBuffer(tile.getType(), source, buffer);
    }
  }
  return llvm::map_to_vector(scalarsOf(values), [&](Value value) { return scalar(value); });
}

/// The buffers of a loop's carried tiles, initialized with their initial values.
SmallVector<Buffer> Emitter::enterLoop(Operation *loop, ValueRange init) {
  SmallVector<Buffer> carried;
  for (Value tile : tilesOf(init)) {
    std::optional<Buffer> reusable = takeOver(tile, loop);
    carried.push_back(reusable ? *reusable : allocate(tile.getType()));
    if (!reusable) {
      copyTile(tile, carried.back());
    }
  }
  return carried;
}

LogicalResult Emitter::emitFor(scf::ForOp op) {
  SmallVector<Buffer> carried = enterLoop(op, op.getInitArgs());
  auto init = llvm::map_to_vector(scalarsOf(op.getInitArgs()), [&](Value value) { return scalar(value); });
  auto loop = scf::ForOp::create(b, op.getLoc(), scalar(op.getLowerBound()), scalar(op.getUpperBound()),
                                 scalar(op.getStep()), init, nullptr, op.getUnsignedCmp());
  constexpr llvm::StringLiteral disableLICM = tile::TileDialect::kDisableLICMAttr;
  if (Attribute attr = op->getDiscardableAttr(disableLICM)) {
    loop->setDiscardableAttr(disableLICM, attr); // for later passes
  }
  map(op.getInductionVar(), loop.getInductionVar());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    bind(op.getRegionIterArgs(), loop.getRegionIterArgs(), carried);
    if (failed(emitRegionInto(*op.getBody(), carried))) {
      return failure();
    }
  }
  bind(op.getResults(), loop.getResults(), carried);
  return success();
}

/// Emits the block and its yield: tiles are copied to `into`, scalars are yielded.
LogicalResult Emitter::emitRegionInto(Block &block, ArrayRef<Buffer> into) {
  CacheScope scope(*this);
  // Buffers filled by this block are not valid on other paths.
  llvm::DenseMap<Value, Buffer> outside = buffers;
  if (failed(emitBlock(block))) {
    return failure();
  }
  Operation *yield = block.getTerminator();
  SmallVector<Value> yielded = moveInto(yield->getOperands(), into);
  // The builder may have given the new block a terminator already.
  Block *emitted = b.getInsertionBlock();
  if (!emitted->empty() && emitted->back().hasTrait<OpTrait::IsTerminator>()) {
    emitted->back().erase();
    b.setInsertionPointToEnd(emitted);
  }
  scf::YieldOp::create(b, yield->getLoc(), yielded);
  buffers = std::move(outside);
  return success();
}

LogicalResult Emitter::emitIf(scf::IfOp op) {
  SmallVector<Buffer> results = allocateFor(op.getResults());
  auto types = llvm::map_to_vector(scalarsOf(op.getResults()), [&](Value value) { return convert(value.getType()); });
  bool hasElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(b, op.getLoc(), types, scalar(op.getCondition()), hasElse);
  for (auto [from, into] : llvm::zip(op->getRegions(), branch->getRegions())) {
    if (from.empty()) {
      continue;
    }
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&into.front());
    if (failed(emitRegionInto(from.front(), results))) {
      return failure();
    }
  }
  bind(op.getResults(), branch.getResults(), results);
  return success();
}

LogicalResult Emitter::emitWhile(scf::WhileOp op) {
  SmallVector<Buffer> carried = enterLoop(op, op.getInits());
  SmallVector<Buffer> forwarded = allocateFor(op.getResults());
  auto init = llvm::map_to_vector(scalarsOf(op.getInits()), [&](Value value) { return scalar(value); });
  auto types = llvm::map_to_vector(scalarsOf(op.getResults()), [&](Value value) { return convert(value.getType()); });
  auto loop = scf::WhileOp::create(b, op.getLoc(), types, init);
  OpBuilder::InsertionGuard guard(b);

  auto initTypes = llvm::map_to_vector(init, [](Value value) { return value.getType(); });
  SmallVector<Location> initLocs(init.size(), op.getLoc()), locs(types.size(), op.getLoc());
  b.createBlock(&loop.getBefore(), {}, initTypes, initLocs);
  bind(op.getBeforeArguments(), loop.getBeforeArguments(), carried);
  {
    CacheScope scope(*this);
    llvm::DenseMap<Value, Buffer> outside = buffers;
    if (failed(emitBlock(*op.getBeforeBody()))) {
      return failure();
    }
    SmallVector<Value> values = moveInto(op.getConditionOp().getArgs(), forwarded);
    scf::ConditionOp::create(b, op.getLoc(), scalar(op.getConditionOp().getCondition()), values);
    buffers = std::move(outside);
  }
  b.createBlock(&loop.getAfter(), {}, types, locs);
  bind(op.getAfterArguments(), loop.getAfterArguments(), forwarded);
  if (failed(emitRegionInto(*op.getAfterBody(), carried))) {
    return failure();
  }
  bind(op.getResults(), loop.getResults(), forwarded);
  return success();
}

namespace {
/// Operations with regions, emitted by a method of Emitter.
template <typename Op, LogicalResult (Emitter::*emitOp)(Op)>
struct ControlFlow : EmissionModel<ControlFlow<Op, emitOp>, Op> {
  OperandUse getOperandUse(Operation *, OpOperand &) const { return OperandUse::Copied; }
  LogicalResult emit(Operation *op, Emitter &e) const { return (e.*emitOp)(cast<Op>(op)); }
};
} // namespace

void attachControlFlow(MLIRContext *context) {
  scf::ForOp::attachInterface<ControlFlow<scf::ForOp, &Emitter::emitFor>>(*context);
  scf::IfOp::attachInterface<ControlFlow<scf::IfOp, &Emitter::emitIf>>(*context);
  scf::WhileOp::attachInterface<ControlFlow<scf::WhileOp, &Emitter::emitWhile>>(*context);
}

} // namespace tilewright::cpu
