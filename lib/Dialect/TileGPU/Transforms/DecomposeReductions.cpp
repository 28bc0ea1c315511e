// decompose-reductions: moves every reduction and scan inside a warp (scans of long lines: SplitScans.h). See
// Passes.td.
//
//     a row of 256 elements: lanes and registers map to the low 7 bits, 2 warps to the high bit
//
//       reduce 256            =   reshape 2x128, reduce 128 (one half in each warp): 2 partial results
//                                 convert_layout: every thread of every warp gets both of them
//                                 reduce 2

#include "LineLayouts.h"
#include "SplitScans.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"
#include "tilewright/Layout/Reduction.h"
#include "tilewright/Layout/Shared.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::LinearLayout;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_DECOMPOSEREDUCTIONS
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Up to this many bytes of partial results go to the registers of each thread; more are distributed over the lanes.
static constexpr int64_t kBytesInRegisters = 32;

static bool isInWarp(const layout::ScanPlan &plan) {
  return plan.isComplete && llvm::none_of(plan.steps, [](const layout::ScanStep &step) {
           return step.in == layout::kWarp || step.in == layout::kBlock;
         });
}

/// The bits of the coordinate along `dim` to which warps map.
static uint64_t bitsOfWarps(const LinearLayout &map, int dim) {
  uint64_t bits = 0;
  for (int bit = 0; bit < map.inBits(layout::kWarp); ++bit) {
    bits |= map.basis(layout::kWarp, bit, layout::dimName(dim));
  }
  return bits;
}

namespace {
/// How to split a dimension in two by reshape and trans alone: some bits of its coordinate, then the others.
struct AxisSplit {
  layout::Shape runs; ///< a dimension for each run of adjacent bits
  std::vector<int> order;
  layout::Shape merged;

  AxisSplit(const layout::Shape &shape, int dim, uint64_t firstBits);

  LinearLayout apply(const LinearLayout &map) const {
    return layout::reshaped(layout::transposed(layout::reshaped(map, runs), order), merged);
  }
};
} // namespace

AxisSplit::AxisSplit(const layout::Shape &shape, int dim, uint64_t firstBits) : merged(shape) {
  layout::Shape sizes;
  std::vector<int> first, second;
  int bits = layout::log2Exact(shape[dim]);
  for (int bit = bits; bit-- > 0;) {
    bool isFirst = firstBits >> bit & 1;
    if (bit == bits - 1 || isFirst != (firstBits >> (bit + 1) & 1)) {
      (isFirst ? first : second).push_back(dim + static_cast<int>(sizes.size()));
      sizes.push_back(1);
    }
    sizes.back() *= 2;
  }
  runs.assign(shape.begin(), shape.begin() + dim);
  llvm::append_range(runs, sizes);
  runs.insert(runs.end(), shape.begin() + dim + 1, shape.end());
  order.resize(runs.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::copy(second, llvm::copy(first, order.begin() + dim));
  int64_t firstSize = int64_t(1) << llvm::popcount(firstBits);
  merged[dim] /= firstSize;
  merged.insert(merged.begin() + dim, firstSize);
}

/// Whether each warp can reduce its elements along `dim`, leaving one element for each value of the warp bits.
static bool canReduceInWarps(const LinearLayout &map, int dim) {
  AxisSplit split(layout::shapeOf(map), dim, bitsOfWarps(map, dim));
  return layout::planReduction(split.apply(map), dim + 1).isInWarp();
}

//===----------------------------------------------------------------------===//
// Emitting operations
//===----------------------------------------------------------------------===//

namespace {
/// Emits operations and derives the layouts of their results.
class Emitter {
public:
  explicit Emitter(Operation *before) : builder(before), loc(before->getLoc()) {}

  Value convert(Value tile, const LinearLayout &map) {
    return mapOf(tile) == map ? tile : ConvertLayoutOp::create(builder, loc, withLayout(typeOf(tile), map), tile);
  }

  Value reshape(Value tile, const layout::Shape &shape) {
    auto type = RankedTensorType::get(shape, typeOf(tile).getElementType());
    LinearLayout map = layout::reshaped(mapOf(tile), shape);
    return builder.createOrFold<tile::ReshapeOp>(loc, withLayout(type, map), tile, /*allow_reorder=*/false);
  }

  Value transpose(Value tile, const std::vector<int> &order) {
    layout::Shape shape;
    for (int dim : order) {
      shape.push_back(typeOf(tile).getDimSize(dim));
    }
    auto type = RankedTensorType::get(shape, typeOf(tile).getElementType());
    LinearLayout map = layout::transposed(mapOf(tile), order);
    return builder.createOrFold<tile::TransOp>(loc, withLayout(type, map), tile, ArrayRef<int32_t>(order));
  }

  Value split(Value tile, const AxisSplit &split) {
    return reshape(transpose(reshape(tile, split.runs), split.order), split.merged);
  }

  ValueRange reduce(ValueRange tiles, int axis, tile::ReduceOp like) {
    SmallVector<Type> types;
    for (Value tile : tiles) {
      SmallVector<int64_t> shape(typeOf(tile).getShape());
      shape.erase(shape.begin() + axis);
      Type element = typeOf(tile).getElementType();
      auto type = RankedTensorType::get(shape, element);
      types.push_back(shape.empty() ? element : withLayout(type, layout::dropDim(mapOf(tile), axis)));
    }
    auto reduce = tile::ReduceOp::create(builder, loc, types, tiles, static_cast<uint32_t>(axis));
    IRMapping mapping;
    like.getCombiner().cloneInto(&reduce.getCombiner(), mapping);
    return reduce.getResults();
  }

private:
  static RankedTensorType typeOf(Value tile) { return cast<RankedTensorType>(tile.getType()); }

  OpBuilder builder;
  Location loc;
};
} // namespace

static SmallVector<Value> convertAll(Emitter &emitter, ValueRange tiles, const LinearLayout &map) {
  return llvm::map_to_vector(tiles, [&](Value tile) { return emitter.convert(tile, map); });
}

/// Reduces inside warps. Dimension `axis` of the results consists of the bits to which warps map.
static ValueRange reduceInWarps(Emitter &emitter, tile::ReduceOp op, ValueRange tiles) {
  int axis = op.getAxis();
  const LinearLayout &map = mapOf(tiles.front());
  AxisSplit split(layout::shapeOf(map), axis, bitsOfWarps(map, axis));
  if (split.merged[axis + 1] == 1) {
    return tiles; // nothing to reduce inside warps
  }
  SmallVector<Value> parts;
  for (Value tile : tiles) {
    parts.push_back(emitter.split(tile, split));
  }
  return emitter.reduce(parts, axis + 1, op);
}

/// Reduces the partial results. All operands need one layout; the widest element type decides whether it is in
/// registers.
static ValueRange reducePartials(Emitter &emitter, tile::ReduceOp op, ValueRange partials) {
  int axis = op.getAxis();
  LinearLayout each = layout::dropDim(mapOf(partials.front()), axis);
  int64_t size = cast<RankedTensorType>(partials.front().getType()).getDimSize(axis), bytes = 0;
  for (Value partial : partials) {
    bytes = std::max(bytes, bytesOf(getElementTypeOrSelf(partial)));
  }
  bool inRegisters = size * each.inSize(layout::kRegister) * bytes <= kBytesInRegisters;
  return emitter.reduce(convertAll(emitter, partials, withPartials(each, axis, size, inRegisters)), axis, op);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Replaces an operation by values in other layouts.
static void replace(Emitter &emitter, Operation *op, ValueRange values) {
  for (auto [result, value] : llvm::zip_equal(op->getResults(), values)) {
    bool isTile = isa<RankedTensorType>(value.getType());
    result.replaceAllUsesWith(isTile ? emitter.convert(value, mapOf(result)) : value);
  }
  op->erase();
}

static bool areAlike(ValueRange tiles) {
  return llvm::all_of(tiles, [&](Value tile) { return mapOf(tile) == mapOf(tiles.front()); });
}

static void decompose(tile::ReduceOp op) {
  int axis = op.getAxis();
  LinearLayout map = mapOf(op.getOperand(0));
  layout::ReductionPlan plan = layout::planReduction(map, axis);
  if (plan.isInWarp() && areAlike(op.getOperands())) {
    return;
  }
  if (!plan.isComplete || !canReduceInWarps(map, axis)) {
    map = linesInWarps(layout::shapeOf(map), axis, threadsOf(op));
    plan = layout::planReduction(map, axis);
  }
  Emitter emitter(op);
  SmallVector<Value> tiles = convertAll(emitter, op.getOperands(), map);
  if (plan.isInWarp()) {
    return replace(emitter, op, emitter.reduce(tiles, axis, op));
  }
  replace(emitter, op, reducePartials(emitter, op, reduceInWarps(emitter, op, tiles)));
}

static void decompose(tile::ScanOp op) {
  int axis = op.getAxis();
  const LinearLayout &found = mapOf(op.getOperand(0));
  if (isInWarp(layout::planScan(found, axis)) && areAlike(op.getOperands())) {
    return;
  }
  if (int64_t parts = partsOfLines(op); parts > 1) {
    return splitScan(op, parts);
  }
  LinearLayout map = linesInWarps(layout::shapeOf(found), axis, threadsOf(op));
  Emitter emitter(op);
  OpBuilder builder(op);
  IRMapping mapping;
  mapping.map(op.getOperands(), convertAll(emitter, op.getOperands(), map));
  Operation *scan = builder.clone(*op, mapping);
  for (Value result : scan->getResults()) {
    result.setType(withLayout(cast<RankedTensorType>(result.getType()), map));
  }
  replace(emitter, op, scan->getResults());
}

static void decompose(tile::HistogramOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  layout::Shape shape(type.getShape());
  auto shared = LayoutAttr::get(op.getContext(), layout::swizzled(shape, layout::rowMajorOrder(1)));
  Value buffer = LocalAllocOp::create(builder, loc, BufferType::get(type, shared), IntegerAttr());
  Value zeros = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  LocalStoreOp::create(builder, loc, zeros, buffer);
  LocalHistogramOp::create(builder, loc, op.getSrc(), buffer);
  Value counts = LocalLoadOp::create(builder, loc, type, buffer);
  op.replaceAllUsesWith(counts);
  op.erase();
}

namespace {
class DecomposeReductions : public tilegpu::impl::DecomposeReductionsBase<DecomposeReductions> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      TypeSwitch<Operation *>(op).Case<tile::ReduceOp, tile::ScanOp, tile::HistogramOp>(
          [](auto one) { decompose(one); });
    });
  }
};
} // namespace
