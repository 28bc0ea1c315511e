// raise-conversions: converts what operands of dots are computed from instead of the operands. See Passes.td.
//
//     %x = tile.load %p : #rows                      %x = tile.load %p : #rows
//     %y = arith.mulf %x, %scale : #rows       =     %c = convert_layout %x : #operand
//     %z = convert_layout %y : #operand              %z = arith.mulf %c, %scale : #operand
//
// A computation is collected as a list of steps, which is judged, and repeated in the layout of the operand.

#include "Buffers.h"
#include "CopiesAhead.h"
#include "ExpandPipeline/Speculation.h"
#include "OperandPath.h"
#include "PlanBoxes/EraseUnused.h"
#include "tilewright/Dialect/Tile/IR/VolatileLoads.h"
#include "tilewright/Dialect/TileGPU/IR/LayoutRules.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"
#include "tilewright/Layout/Algebra.h"
#include "tilewright/Layout/Conversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::LinearLayout;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_RAISECONVERSIONS
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

/// A tile with at most this part of the operand's elements is converted where it is used, which is cheap.
static constexpr int64_t kSmallPart = 8;
/// So many operations are repeated at most, and so many threads compute an element at most.
static constexpr size_t kMostSteps = 24;
static constexpr int64_t kMostReplicas = 4;

static RankedTensorType typeOf(Value tile) { return cast<RankedTensorType>(tile.getType()); }

static int64_t bytesOfTile(Value tile) {
  return typeOf(tile).getNumElements() * bytesOf(typeOf(tile).getElementType());
}

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

namespace {
/// How the source of a conversion is computed, in the layout to which it is converted.
class Computation {
public:
  explicit Computation(ConvertLayoutOp convert) : convert(convert), block(convert->getBlock()) {
    isKnown = collect(convert.getSrc(), mapOf(convert));
  }

  /// Whether every part of it is an operation that can be repeated, a load without other uses, or a small tile.
  bool canRaise() const { return isKnown && !steps.empty() && !loads.empty(); }

  ArrayRef<Operation *> repeated() const { return steps; }
  ArrayRef<tile::LoadOp> converted() const { return loads; }

  /// Converts the loads and the small tiles, and repeats the operations for the result of the conversion.
  void raise();

private:
  bool collect(Value value, const LinearLayout &map);
  Value emit(OpBuilder &builder, Value value, const LinearLayout &map);
  Value convertTo(OpBuilder &builder, Value tile, const LinearLayout &map);

  bool isSmall(Value tile) { return typeOf(tile).getNumElements() * kSmallPart <= convert.getType().getNumElements(); }

  ConvertLayoutOp convert;
  Block *block;
  bool isKnown;
  SmallVector<Operation *> steps;
  SmallVector<tile::LoadOp> loads;
};
} // namespace

/// Whether the operation makes a tile of numbers, in any layout at no cost.
static bool isFree(Operation *op) {
  return op && isRepeatable(op) &&
         llvm::none_of(op->getOperands(), [](Value value) { return isa<RankedTensorType>(value.getType()); });
}

bool Computation::collect(Value value, const LinearLayout &map) {
  Operation *op = value.getDefiningOp();
  if (isFree(op) || isSmall(value)) {
    return true;
  }
  if (auto load = dyn_cast_or_null<tile::LoadOp>(op)) {
    loads.push_back(load);
    return load->getBlock() == block && load->hasOneUse();
  }
  bool isStep = op && op->getBlock() == block && isRepeatable(op) && op->getNumResults() == 1 && op->hasOneUse();
  if (!isStep || steps.size() == kMostSteps) {
    return false;
  }
  steps.push_back(op);
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    if (!isa<RankedTensorType>(operand.get().getType())) {
      return true;
    }
    std::optional<LinearLayout> needed = operandLayout(operand, map);
    return needed && collect(operand.get(), *needed);
  });
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The line of the conversion is that of the operation which needs the layout, also before a load.
Value Computation::convertTo(OpBuilder &builder, Value tile, const LinearLayout &map) {
  auto type = withLayout(typeOf(tile), map);
  return mapOf(tile) == map ? tile : ConvertLayoutOp::create(builder, convert.getLoc(), type, tile);
}

Value Computation::emit(OpBuilder &builder, Value value, const LinearLayout &map) {
  Operation *op = value.getDefiningOp();
  if (!isFree(op) && isSmall(value)) {
    return convertTo(builder, value, map);
  }
  if (isa<tile::LoadOp>(op)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(op); // where an asynchronous copy can replace the load
    return convertTo(builder, value, map);
  }
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands()) {
    if (isa<RankedTensorType>(operand.get().getType())) {
      mapping.map(operand.get(), emit(builder, operand.get(), *operandLayout(operand, map)));
    }
  }
  Operation *copy = builder.clone(*op, mapping);
  setLayout(copy->getResult(0), LayoutAttr::get(builder.getContext(), map));
  return copy->getResult(0);
}

void Computation::raise() {
  OpBuilder builder(convert);
  convert.replaceAllUsesWith(emit(builder, convert.getSrc(), mapOf(convert)));
  Operation *source = convert.getSrc().getDefiningOp();
  convert.erase();
  eraseUnused({source});
}

//===----------------------------------------------------------------------===//
// Judging
//===----------------------------------------------------------------------===//

/// How many threads hold each element.
static int64_t replicasOf(const LinearLayout &map) {
  std::vector<uint64_t> replicas = layout::freeBits(map);
  return int64_t(1) << (llvm::popcount(replicas[1]) + llvm::popcount(replicas[2])); // among lanes, among warps
}

/// Whether a thread computes the operation in about one instruction for each element.
static bool isCheap(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect, tile::TileDialect>(op->getDialect()) &&
         !isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemFOp, arith::RemSIOp, arith::RemUIOp>(op);
}

/// Whether shared memory has room for all tiles that the loop loads, as often as its stages need, beside the buffers
/// that there are.
static bool hasRoomForLoads(scf::ForOp loop) {
  int64_t bytes = 0;
  for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
    bytes += isa<RankedTensorType>(load.getType()) ? bytesOfTile(load) : 0;
  }
  return stagesOf(loop) * bytes + sharedBytesOf(loop->getParentOfType<func::FuncOp>()) <= targetOf(loop).sharedPerBlock;
}

/// Whether asynchronous copies can bring all that the loop loads for this operand of its dots to shared memory.
static bool areCopiedAhead(ArrayRef<tile::LoadOp> loads, scf::ForOp loop, const ReadOnlyMemory &readOnly) {
  return llvm::all_of(loads, [&](tile::LoadOp load) {
    llvm::SetVector<Operation *> slice;
    return !tile::readsEachTime(load) && fillsWithZeros(load) && whyNotAhead(load, loop, readOnly, slice).empty();
  });
}

/// Whether the threads that hold an element of the operand can each compute it.
static bool isCheapToRepeat(ConvertLayoutOp convert, const Computation &computation) {
  return replicasOf(mapOf(convert)) == 1 || llvm::all_of(computation.repeated(), isCheap);
}

/// Whether asynchronous copies can replace the loads if these are converted, which saves waiting for them in each
/// iteration. propagate-layouts does not know of this: it counts instructions.
static bool allowsCopiesAhead(ConvertLayoutOp convert, const Computation &computation, const ReadOnlyMemory &readOnly) {
  auto loop = dyn_cast<scf::ForOp>(convert->getParentOp());
  return loop && stagesOf(loop) > 1 && !targetOf(convert).copiesThroughRegisters() && isForOperandsOnly(convert) &&
         replicasOf(mapOf(convert)) <= kMostReplicas && hasRoomForLoads(loop) &&
         areCopiedAhead(computation.converted(), loop, readOnly);
}

/// Whether fewer bytes, or as many, cross warps if a loaded tile is converted instead of one that is computed from it.
static bool movesFewerBytes(ConvertLayoutOp convert, const Computation &computation) {
  tile::LoadOp load = computation.converted().front();
  return layout::planConversion(mapOf(convert.getSrc()), mapOf(convert)).kind == layout::ConversionKind::Shared &&
         llvm::all_of(computation.repeated(), isCheapUnary) && bytesOfTile(load) <= bytesOfTile(convert);
}

static bool movesData(ConvertLayoutOp convert) {
  layout::ConversionKind kind = layout::planConversion(mapOf(convert.getSrc()), mapOf(convert)).kind;
  return kind == layout::ConversionKind::Shared || kind == layout::ConversionKind::Lanes;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void raiseConversionsIn(func::FuncOp function) {
  ReadOnlyMemory readOnly(function);
  SmallVector<ConvertLayoutOp> conversions;
  function.walk([&](ConvertLayoutOp convert) {
    if (movesData(convert)) {
      conversions.push_back(convert);
    }
  });
  for (ConvertLayoutOp convert : conversions) {
    Computation computation(convert);
    if (computation.canRaise() && isCheapToRepeat(convert, computation) &&
        (movesFewerBytes(convert, computation) || allowsCopiesAhead(convert, computation, readOnly))) {
      computation.raise();
    }
  }
}

namespace {
class RaiseConversions : public tilegpu::impl::RaiseConversionsBase<RaiseConversions> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      raiseConversionsIn(function);
    }
  }
};
} // namespace
