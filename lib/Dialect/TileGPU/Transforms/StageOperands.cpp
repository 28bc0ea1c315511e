// stage-operands: moves conversions across warps, and operands of dots that a loop loads, through shared memory. See
// Passes.td.
//
//     %y = convert_layout %x : #load -> #operand    =   %b = local_alloc
//                                                       local_store %x, %b
//                                                       %y = local_load %b

#include "CopiesAhead.h"
#include "ExpandPipeline/Speculation.h"
#include "OperandPath.h"
#include "OwnAccesses.h"
#include "SharedLayout.h"
#include "tilewright/Dialect/Tile/IR/VolatileLoads.h"
#include "tilewright/Dialect/TileGPU/IR/AccessWidth.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"
#include "tilewright/Layout/Algebra.h"
#include "tilewright/Layout/Conversion.h"
#include "tilewright/Layout/Shape.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::LinearLayout;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_STAGEOPERANDS
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

static RankedTensorType typeOf(Value tile) { return cast<RankedTensorType>(tile.getType()); }

static int64_t elementBytes(Value tile) { return bytesOf(typeOf(tile).getElementType()); }

/// Whether a loop loads an operand of dots, which asynchronous copies can bring to shared memory ahead of time.
/// Shuffles would wait for the load in each iteration. propagate-layouts does not know of this: it counts shuffles.
static bool isOperandToCopyAhead(ConvertLayoutOp convert) {
  auto loop = dyn_cast<scf::ForOp>(convert->getParentOp());
  auto load = convert.getSrc().getDefiningOp<tile::LoadOp>();
  return loop && stagesOf(loop) > 1 && !targetOf(convert).copiesThroughRegisters() && load && load->hasOneUse() &&
         load->getBlock() == loop.getBody() && !tile::readsEachTime(load) && fillsWithZeros(load) &&
         isForOperandsOnly(convert);
}

static bool needsSharedMemory(ConvertLayoutOp op) {
  layout::ConversionKind kind = layout::planConversion(mapOf(op.getSrc()), mapOf(op)).kind;
  return kind == layout::ConversionKind::Shared || (kind == layout::ConversionKind::Lanes && isOperandToCopyAhead(op));
}

/// The registers that a thread loads with one instruction, if the tile is the result of a load.
static layout::VectorAccess loadAccess(Value tile) {
  auto load = tile.getDefiningOp<tile::LoadOp>();
  return load ? vectorAccessOf(load) : layout::VectorAccess();
}

/// Whether only branches are between the operation and the block.
static bool isInBranches(Operation *op, Block *block) {
  while (op->getBlock() != block) {
    op = op->getParentOp();
    if (!isa_and_nonnull<scf::IfOp>(op)) {
      return false;
    }
  }
  return true;
}

/// Lets the builder store a loaded tile where it is loaded, if it is read in a branch, so that an asynchronous copy can
/// replace the load.
static void moveToLoad(OpBuilder &builder, Value tile) {
  auto load = tile.getDefiningOp<tile::LoadOp>();
  if (load && load->getBlock() != builder.getBlock() && isInBranches(&*builder.getInsertionPoint(), load->getBlock())) {
    builder.setInsertionPointAfter(load);
  }
}

/// Stores a tile to a new buffer and loads it back with the layout `map`.
static Value throughSharedMemory(OpBuilder &builder, Location loc, Value tile, const LinearLayout &map) {
  StagedTile staged = {mapOf(tile), map, loadAccess(tile), elementBytes(tile)};
  LinearLayout shared = chooseSharedLayout(staged, targetOf(builder.getBlock()->getParentOp()));
  auto type = BufferType::get(typeOf(tile), LayoutAttr::get(builder.getContext(), shared));
  OpBuilder::InsertPoint whereRead = builder.saveInsertionPoint();
  moveToLoad(builder, tile);
  Value buffer = LocalAllocOp::create(builder, loc, type, IntegerAttr());
  LocalStoreOp::create(builder, loc, tile, buffer);
  builder.restoreInsertionPoint(whereRead);
  return LocalLoadOp::create(builder, loc, withLayout(typeOf(tile), map), buffer);
}

//===----------------------------------------------------------------------===//
// Results of atomics and of volatile loads that several threads need
//===----------------------------------------------------------------------===//

/// One element that all threads hold.
static LinearLayout replicatedLayout(Threads threads) {
  std::string dim = layout::dimName(0);
  LinearLayout one = layout::unitTile(1);
  return one * LinearLayout::zeros(layout::kLane, threads.lanes, dim) *
         LinearLayout::zeros(layout::kWarp, threads.warps, dim);
}

/// The element of a tile of size 1, as a scalar.
static Value onlyElement(OpBuilder &builder, Location loc, Value tile) {
  Type element = typeOf(tile).getElementType();
  auto reduce = tile::ReduceOp::create(builder, loc, TypeRange{element}, tile, /*axis=*/0);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&reduce.getCombiner(), {}, {element, element}, {loc, loc});
  tile::YieldOp::create(builder, loc, block->getArgument(0));
  return reduce.getResult(0);
}

/// Whether the threads that hold an element may have different results. Only one of them executes an atomic. All of
/// them execute a volatile load, but at different times, between which another program may write: with different values
/// they would take different branches.
static bool differsBetweenThreads(Operation *op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  bool isVolatile = load && load.getIsVolatile() && !isa<tile::PtrType>(getElementTypeOrSelf(load.getType()));
  return isVolatile || isa<tile::AtomicOpInterface>(op);
}

/// Shares the result of one of the threads that hold an element with the others, through shared memory.
static void shareResult(Operation *op) {
  Value result = op->getResult(0);
  if (result.use_empty()) {
    return;
  }
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Location loc = op->getLoc();
  SmallPtrSet<Operation *, 2> before = {op};
  Value tile = result;
  if (!isa<RankedTensorType>(result.getType())) {
    auto type = withLayout(RankedTensorType::get({1}, result.getType()), replicatedLayout(threadsOf(op)));
    tile = tile::SplatOp::create(builder, loc, type, result);
    before.insert(tile.getDefiningOp());
  } else if (hasOneThreadPerElement(mapOf(result))) {
    return;
  }
  Value shared = throughSharedMemory(builder, loc, tile, mapOf(tile));
  for (Operation *user : tile.getUsers()) {
    if (isa<LocalStoreOp>(user) && user->getOperand(1) == shared.getDefiningOp()->getOperand(0)) {
      before.insert(user);
    }
  }
  Value sharedResult = tile == result ? shared : onlyElement(builder, loc, shared);
  result.replaceAllUsesExcept(sharedResult, before);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
class StageOperands : public tilegpu::impl::StageOperandsBase<StageOperands> {
  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (differsBetweenThreads(op)) {
        shareResult(op);
      }
    });
    getOperation()->walk([&](ConvertLayoutOp convert) {
      if (needsSharedMemory(convert)) {
        OpBuilder builder(convert);
        Value loaded = throughSharedMemory(builder, convert.getLoc(), convert.getSrc(), mapOf(convert));
        convert.replaceAllUsesWith(loaded);
        convert.erase();
      }
    });
  }
};
} // namespace
