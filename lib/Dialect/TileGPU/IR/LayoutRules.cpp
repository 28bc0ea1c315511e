// How operations relate the layouts of their operands and results.

#include "tilewright/Dialect/TileGPU/IR/LayoutRules.h"

#include "tilewright/Layout/Algebra.h"
#include "tilewright/Layout/Shape.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::LinearLayout;

using MaybeLayout = std::optional<LinearLayout>;

static layout::Shape shapeOf(Value tile) { return layout::Shape(cast<RankedTensorType>(tile.getType()).getShape()); }

/// Adds the dimension that join adds and split removes. Its bit is the lowest register bit, so that pairs are adjacent.
static LinearLayout withPairs(const LinearLayout &map) {
  int last = static_cast<int>(map.outs().size());
  return LinearLayout::identity(layout::kRegister, layout::dimName(last), 2) * layout::insertDim(map, last);
}

/// The same map with its inputs and output dimensions in the canonical order.
static LinearLayout inDimOrder(const LinearLayout &map) {
  std::vector<std::string_view> ins = {layout::kRegister, layout::kLane, layout::kWarp, layout::kBlock};
  std::vector<std::string> names;
  std::vector<std::string_view> outs;
  for (size_t i = 0; i < map.outs().size(); ++i) {
    names.push_back(layout::dimName(static_cast<int>(i)));
  }
  outs.assign(names.begin(), names.end());
  return layout::sublayout(map, ins, outs);
}

/// Removes the last dimension if its bit is the lowest register bit; none otherwise.
static MaybeLayout withoutPairs(const LinearLayout &map) {
  int last = static_cast<int>(map.outs().size()) - 1;
  LinearLayout rest = layout::dropDim(map, last);
  return inDimOrder(withPairs(rest)) == map ? MaybeLayout(rest) : std::nullopt;
}

/// The operand layout of a broadcast to `map`: all coordinates along a dimension of size 1 map to its one element.
static LinearLayout collapsed(const LinearLayout &map, const layout::Shape &shape) {
  layout::Columns columns = map.columns();
  for (uint64_t &column : columns) {
    LinearLayout::Point point = map.unpackOut(column);
    uint64_t packed = 0;
    int start = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      packed |= shape[dim] == 1 ? 0 : uint64_t(point[dim]) << start;
      start += layout::log2Exact(shape[dim]);
    }
    column = packed;
  }
  std::vector<layout::Dim> outs;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    outs.push_back({layout::dimName(static_cast<int>(dim)), layout::log2Exact(shape[dim])});
  }
  return layout::dropRepeatedRegisters(LinearLayout(map.ins(), outs, columns));
}

bool tilegpu::keepsLayout(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp, tile::AtomicCASOp>(op);
}

bool tilegpu::worksInAnyLayout(Operation *op) {
  return keepsLayout(op) || op->hasTrait<OpTrait::ConstantLike>() ||
         isa<tile::MakeRangeOp, tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp, tile::TransOp,
             tile::JoinOp, tile::SplitOp, tile::CatOp, tile::GatherOp, tile::ReduceOp, tile::ScanOp>(op);
}

MaybeLayout tilegpu::resultLayout(OpOperand &operand, const LinearLayout &map) {
  Operation *op = operand.getOwner();
  if (keepsLayout(op)) {
    return op->getNumResults() ? MaybeLayout(map) : std::nullopt;
  }
  return TypeSwitch<Operation *, MaybeLayout>(op)
      .Case([&](tile::ExpandDimsOp expand) { return layout::insertDim(map, expand.getAxis()); })
      .Case([&](tile::BroadcastOp broadcast) {
        layout::Shape shape = shapeOf(broadcast.getResult());
        return layout::fitToShape(map, shape, layout::rowMajorOrder(static_cast<int>(shape.size())));
      })
      .Case([&](tile::TransOp trans) {
        return layout::transposed(map, std::vector<int>(trans.getOrder().begin(), trans.getOrder().end()));
      })
      .Case([&](tile::ReshapeOp reshape) { return layout::reshaped(map, shapeOf(reshape.getResult())); })
      .Case([&](tile::JoinOp) { return inDimOrder(withPairs(map)); })
      .Case([&](tile::SplitOp) { return withoutPairs(map); })
      .Case([&](tile::CatOp) { return map * LinearLayout::identity(layout::kRegister, layout::dimName(0), 2); })
      .Case([&](tile::ReduceOp reduce) { return layout::dropDim(map, reduce.getAxis()); })
      .Case<tile::ScanOp, LocalGatherOp>([&](auto) { return MaybeLayout(map); })
      .Case([&](tile::GatherOp gather) {
        return &operand == &gather.getIndicesMutable() ? MaybeLayout(map) : std::nullopt;
      })
      .Case<tile::DotOp, MmaOp>(
          [&](auto dot) { return &operand == &dot.getAccMutable() ? MaybeLayout(map) : std::nullopt; })
      .Default([](Operation *) { return std::nullopt; });
}

MaybeLayout tilegpu::operandLayout(OpOperand &operand, const LinearLayout &map) {
  Operation *op = operand.getOwner();
  if (keepsLayout(op)) {
    return map;
  }
  return TypeSwitch<Operation *, MaybeLayout>(op)
      .Case([&](tile::ExpandDimsOp expand) { return layout::dropDim(map, expand.getAxis()); })
      .Case([&](tile::BroadcastOp broadcast) { return collapsed(map, shapeOf(broadcast.getSrc())); })
      .Case([&](tile::TransOp trans) {
        std::vector<int> inverse(trans.getOrder().size());
        for (auto [index, dim] : llvm::enumerate(trans.getOrder())) {
          inverse[dim] = static_cast<int>(index);
        }
        return layout::transposed(map, inverse);
      })
      .Case([&](tile::ReshapeOp reshape) { return layout::reshaped(map, shapeOf(reshape.getSrc())); })
      .Case([&](tile::JoinOp) { return withoutPairs(map); })
      .Case([&](tile::SplitOp) { return inDimOrder(withPairs(map)); })
      .Case([&](tile::CatOp cat) {
        LinearLayout high = LinearLayout::identity(layout::kRegister, layout::dimName(0), 2);
        return layout::divideRight(map, high);
      })
      .Case<tile::ScanOp, LocalGatherOp>([&](auto) { return MaybeLayout(map); })
      .Case([&](tile::GatherOp gather) {
        return &operand == &gather.getIndicesMutable() ? MaybeLayout(map) : std::nullopt;
      })
      .Case<tile::DotOp, MmaOp>(
          [&](auto dot) { return &operand == &dot.getAccMutable() ? MaybeLayout(map) : std::nullopt; })
      .Default([](Operation *) { return std::nullopt; });
}

bool tilegpu::takesAnyLayout(OpOperand &operand) {
  return TypeSwitch<Operation *, bool>(operand.getOwner())
      .Case<tile::PrintOp, tile::AssertOp, LocalStoreOp, ConvertLayoutOp, AsyncCopyOp>([](Operation *) { return true; })
      .Case([&](tile::GatherOp gather) { return &operand == &gather.getSrcMutable(); })
      .Default([](Operation *) { return false; });
}
