// How operations relate the layouts of their operands and results.

#include "tilewright/Dialect/TileGPU/IR/LayoutRules.h"

#include "tilewright/Dialect/Tile/IR/TileEncoding.h"
#include "tilewright/Layout/Algebra.h"
#include "tilewright/Layout/Shape.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tilewright/Dialect/TileGPU/IR/LayoutRules.cpp.inc"

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
  names.reserve(map.outs().size());
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
  outs.reserve(shape.size());
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    outs.push_back({layout::dimName(static_cast<int>(dim)), layout::log2Exact(shape[dim])});
  }
  return layout::dropRepeatedRegisters(LinearLayout(map.ins(), outs, columns));
}

/// The layout of two tiles of the layout, one after the other along dimension 0.
static LinearLayout concatenated(const LinearLayout &map) {
  return map * LinearLayout::identity(layout::kRegister, layout::dimName(0), 2);
}

/// The layout of a broadcast, which repeats the operand in additional registers.
static LinearLayout repeated(const LinearLayout &map, const layout::Shape &shape) {
  return layout::fitToShape(map, shape, layout::rowMajorOrder(static_cast<int>(shape.size())));
}

static LinearLayout permuted(const LinearLayout &map, ArrayRef<int32_t> order) {
  return layout::transposed(map, std::vector<int>(order.begin(), order.end()));
}

//===----------------------------------------------------------------------===//
// The inference of result types
//===----------------------------------------------------------------------===//

namespace {

/// A tile in the front end's IR may have a layout already. Those of the results are the ones that the operations' rules
/// below derive from it. Layouts in shared memory, which no tile has, determine none.
struct LayoutEncoding : tile::EncodingAttrInterface::ExternalModel<LayoutEncoding, LayoutAttr> {
  Attribute expandDims(Attribute attr, int64_t axis) const {
    return derived(attr, [&](auto &map) { return layout::insertDim(map, static_cast<int>(axis)); });
  }
  Attribute reduce(Attribute attr, int64_t axis) const {
    return derived(attr, [&](auto &map) { return layout::dropDim(map, static_cast<int>(axis)); });
  }
  Attribute permute(Attribute attr, ArrayRef<int32_t> order) const {
    return derived(attr, [&](auto &map) { return permuted(map, order); });
  }
  Attribute reshape(Attribute attr, ArrayRef<int64_t> shape) const {
    return areSizes(shape) ? derived(attr, [&](auto &map) { return layout::reshaped(map, layout::Shape(shape)); })
                           : Attribute();
  }
  Attribute join(Attribute attr) const {
    return derived(attr, [](auto &map) { return inDimOrder(withPairs(map)); });
  }
  Attribute split(Attribute attr) const {
    return derived(attr, [](auto &map) { return withoutPairs(map); });
  }
  Attribute concatenate(Attribute attr) const {
    return derived(attr, [](auto &map) { return concatenated(map); });
  }
  Attribute broadcast(Attribute attr, ArrayRef<int64_t> shape) const {
    return areSizes(shape) ? derived(attr, [&](auto &map) { return repeated(map, layout::Shape(shape)); })
                           : Attribute();
  }
  bool broadcastsTo(Attribute attr, Attribute result) const {
    auto from = cast<LayoutAttr>(attr), to = dyn_cast<LayoutAttr>(result);
    return to && !from.isShared() && !to.isShared() &&
           collapsed(to.getMap(), layout::shapeOf(from.getMap())) == from.getMap();
  }

private:
  static bool areSizes(ArrayRef<int64_t> shape) {
    return llvm::all_of(shape, [](int64_t size) { return llvm::isPowerOf2_64(size); });
  }

  /// Null if there is no derived layout.
  template <typename Derive> static Attribute derived(Attribute attr, Derive derive) {
    auto from = cast<LayoutAttr>(attr);
    MaybeLayout map = from.isShared() ? std::nullopt : MaybeLayout(derive(from.getMap()));
    return map ? LayoutAttr::get(attr.getContext(), *map) : Attribute();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// The rules of operations
//===----------------------------------------------------------------------===//

namespace {

template <typename Model, typename Op> using Rule = LayoutRuleOpInterface::ExternalModel<Model, Op>;

/// Loads, stores, atomics and prints: each thread accesses the elements that it holds.
template <typename Op> struct AccessRule : Rule<AccessRule<Op>, Op> {
  bool keepsLayout(Operation *) const { return true; }
  bool needsEqualOperands(Operation *) const { return true; }
};

/// Operations without tile operands.
template <typename Op> struct SourceRule : Rule<SourceRule<Op>, Op> {};

/// Operations without tile results that take every operand as it is.
template <typename Op> struct ConsumerRule : Rule<ConsumerRule<Op>, Op> {
  bool takesAnyLayout(Operation *, OpOperand &) const { return true; }
  bool worksInAnyLayout(Operation *) const { return false; }
};

struct AsyncCopyRule : Rule<AsyncCopyRule, AsyncCopyOp> {
  bool takesAnyLayout(Operation *, OpOperand &) const { return true; }
  bool worksInAnyLayout(Operation *) const { return false; }
  bool needsEqualOperands(Operation *) const { return true; }
};

struct ExpandDimsRule : Rule<ExpandDimsRule, tile::ExpandDimsOp> {
  MaybeLayout resultLayout(Operation *op, OpOperand &, const LinearLayout &map) const {
    return layout::insertDim(map, cast<tile::ExpandDimsOp>(op).getAxis());
  }
  MaybeLayout operandLayout(Operation *op, OpOperand &, const LinearLayout &map) const {
    return layout::dropDim(map, cast<tile::ExpandDimsOp>(op).getAxis());
  }
};

struct BroadcastRule : Rule<BroadcastRule, tile::BroadcastOp> {
  MaybeLayout resultLayout(Operation *op, OpOperand &, const LinearLayout &map) const {
    return repeated(map, shapeOf(op->getResult(0)));
  }
  MaybeLayout operandLayout(Operation *op, OpOperand &, const LinearLayout &map) const {
    return collapsed(map, shapeOf(op->getOperand(0)));
  }
};

struct TransRule : Rule<TransRule, tile::TransOp> {
  MaybeLayout resultLayout(Operation *op, OpOperand &, const LinearLayout &map) const {
    return permuted(map, cast<tile::TransOp>(op).getOrder());
  }
  MaybeLayout operandLayout(Operation *op, OpOperand &, const LinearLayout &map) const {
    ArrayRef<int32_t> order = cast<tile::TransOp>(op).getOrder();
    std::vector<int> inverse(order.size());
    for (auto [index, dim] : llvm::enumerate(order)) {
      inverse[dim] = static_cast<int>(index);
    }
    return layout::transposed(map, inverse);
  }
};

struct ReshapeRule : Rule<ReshapeRule, tile::ReshapeOp> {
  MaybeLayout resultLayout(Operation *op, OpOperand &, const LinearLayout &map) const {
    return layout::reshaped(map, shapeOf(op->getResult(0)));
  }
  MaybeLayout operandLayout(Operation *op, OpOperand &, const LinearLayout &map) const {
    return layout::reshaped(map, shapeOf(op->getOperand(0)));
  }
};

struct JoinRule : Rule<JoinRule, tile::JoinOp> {
  MaybeLayout resultLayout(Operation *, OpOperand &, const LinearLayout &map) const {
    return inDimOrder(withPairs(map));
  }
  MaybeLayout operandLayout(Operation *, OpOperand &, const LinearLayout &map) const { return withoutPairs(map); }
};

struct SplitRule : Rule<SplitRule, tile::SplitOp> {
  MaybeLayout resultLayout(Operation *, OpOperand &, const LinearLayout &map) const { return withoutPairs(map); }
  MaybeLayout operandLayout(Operation *, OpOperand &, const LinearLayout &map) const {
    return inDimOrder(withPairs(map));
  }
};

struct CatRule : Rule<CatRule, tile::CatOp> {
  MaybeLayout resultLayout(Operation *, OpOperand &, const LinearLayout &map) const { return concatenated(map); }
  MaybeLayout operandLayout(Operation *, OpOperand &, const LinearLayout &map) const {
    return layout::divideRight(map, LinearLayout::identity(layout::kRegister, layout::dimName(0), 2));
  }
};

struct ReduceRule : Rule<ReduceRule, tile::ReduceOp> {
  MaybeLayout resultLayout(Operation *op, OpOperand &, const LinearLayout &map) const {
    return layout::dropDim(map, cast<tile::ReduceOp>(op).getAxis());
  }
  bool needsEqualOperands(Operation *) const { return true; }
  bool isLabeledByOperand(Operation *) const { return true; }
  bool movesElements(Operation *) const { return true; }
};

struct ScanRule : Rule<ScanRule, tile::ScanOp> {
  MaybeLayout resultLayout(Operation *, OpOperand &, const LinearLayout &map) const { return map; }
  MaybeLayout operandLayout(Operation *, OpOperand &, const LinearLayout &map) const { return map; }
  bool needsEqualOperands(Operation *) const { return true; }
  bool movesElements(Operation *) const { return true; }
};

struct MapRule : Rule<MapRule, tile::MapOp> {
  MaybeLayout resultLayout(Operation *, OpOperand &, const LinearLayout &map) const { return map; }
  MaybeLayout operandLayout(Operation *, OpOperand &, const LinearLayout &map) const { return map; }
  bool needsEqualOperands(Operation *) const { return true; }
};

/// The result has the layout of the indices.
struct GatherRule : Rule<GatherRule, tile::GatherOp> {
  MaybeLayout resultLayout(Operation *op, OpOperand &operand, const LinearLayout &map) const {
    return takesAnyLayout(op, operand) ? std::nullopt : MaybeLayout(map);
  }
  MaybeLayout operandLayout(Operation *op, OpOperand &operand, const LinearLayout &map) const {
    return resultLayout(op, operand, map);
  }
  bool takesAnyLayout(Operation *op, OpOperand &operand) const {
    return &operand == &cast<tile::GatherOp>(op).getSrcMutable();
  }
  bool movesElements(Operation *) const { return true; }
};

/// The counts do not depend on where the elements are.
struct HistogramRule : Rule<HistogramRule, tile::HistogramOp> {
  bool takesAnyLayout(Operation *, OpOperand &) const { return true; }
  bool movesElements(Operation *) const { return true; }
};

struct LocalGatherRule : Rule<LocalGatherRule, LocalGatherOp> {
  MaybeLayout resultLayout(Operation *, OpOperand &, const LinearLayout &map) const { return map; }
  MaybeLayout operandLayout(Operation *, OpOperand &, const LinearLayout &map) const { return map; }
  bool worksInAnyLayout(Operation *) const { return false; }
};

/// The accumulator has the layout of the result. The instruction determines that, and those of the other operands.
template <typename Op> struct DotRule : Rule<DotRule<Op>, Op> {
  MaybeLayout resultLayout(Operation *op, OpOperand &operand, const LinearLayout &map) const {
    return &operand == &cast<Op>(op).getAccMutable() ? MaybeLayout(map) : std::nullopt;
  }
  MaybeLayout operandLayout(Operation *op, OpOperand &operand, const LinearLayout &map) const {
    return resultLayout(op, operand, map);
  }
  bool worksInAnyLayout(Operation *) const { return false; }
};

/// As for a dot. Operands that are read from shared memory may have any layout.
struct GroupMmaRule : Rule<GroupMmaRule, GroupMmaOp> {
  MaybeLayout resultLayout(Operation *op, OpOperand &operand, const LinearLayout &map) const {
    return &operand == &cast<GroupMmaOp>(op).getAccMutable() ? MaybeLayout(map) : std::nullopt;
  }
  MaybeLayout operandLayout(Operation *op, OpOperand &operand, const LinearLayout &map) const {
    return resultLayout(op, operand, map);
  }
  bool worksInAnyLayout(Operation *) const { return false; }
  bool takesAnyLayout(Operation *op, OpOperand &operand) const {
    auto mma = cast<GroupMmaOp>(op);
    return &operand == &mma.getBMutable() || (&operand == &mma.getAMutable() && !mma.getRegisterA());
  }
};

struct GroupMmaWaitRule : Rule<GroupMmaWaitRule, GroupMmaWaitOp> {
  bool keepsLayout(Operation *) const { return true; }
  bool worksInAnyLayout(Operation *) const { return false; }
};

template <template <typename> class Model, typename... Ops> void attachToAll(MLIRContext *context) {
  (Ops::template attachInterface<Model<Ops>>(*context), ...);
}

} // namespace

void tilegpu::attachLayoutRules(MLIRContext *context) {
  LayoutAttr::attachInterface<LayoutEncoding>(*context);
  attachToAll<AccessRule, tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp, tile::AtomicCASOp, tile::PrintOp>(context);
  attachToAll<SourceRule, tile::MakeRangeOp, tile::SplatOp, tile::AtomicPollOp>(context);
  attachToAll<ConsumerRule, tile::AssertOp, LocalStoreOp, LocalHistogramOp, ConvertLayoutOp>(context);
  attachToAll<DotRule, tile::DotOp, MmaOp>(context);
  GroupMmaOp::attachInterface<GroupMmaRule>(*context);
  GroupMmaWaitOp::attachInterface<GroupMmaWaitRule>(*context);
  AsyncCopyOp::attachInterface<AsyncCopyRule>(*context);
  tile::ExpandDimsOp::attachInterface<ExpandDimsRule>(*context);
  tile::BroadcastOp::attachInterface<BroadcastRule>(*context);
  tile::TransOp::attachInterface<TransRule>(*context);
  tile::ReshapeOp::attachInterface<ReshapeRule>(*context);
  tile::JoinOp::attachInterface<JoinRule>(*context);
  tile::SplitOp::attachInterface<SplitRule>(*context);
  tile::CatOp::attachInterface<CatRule>(*context);
  tile::ReduceOp::attachInterface<ReduceRule>(*context);
  tile::ScanOp::attachInterface<ScanRule>(*context);
  tile::MapOp::attachInterface<MapRule>(*context);
  tile::GatherOp::attachInterface<GatherRule>(*context);
  LocalGatherOp::attachInterface<LocalGatherRule>(*context);
  tile::HistogramOp::attachInterface<HistogramRule>(*context);
}

//===----------------------------------------------------------------------===//
// The rules, with the defaults
//===----------------------------------------------------------------------===//

bool tilegpu::keepsLayout(Operation *op) {
  auto rule = dyn_cast<LayoutRuleOpInterface>(op);
  return rule ? rule.keepsLayout() : op->hasTrait<OpTrait::Elementwise>();
}

bool tilegpu::worksInAnyLayout(Operation *op) {
  auto rule = dyn_cast<LayoutRuleOpInterface>(op);
  return rule ? rule.worksInAnyLayout() : op->hasTrait<OpTrait::Elementwise>() || op->hasTrait<OpTrait::ConstantLike>();
}

MaybeLayout tilegpu::resultLayout(OpOperand &operand, const LinearLayout &map) {
  Operation *op = operand.getOwner();
  if (keepsLayout(op)) {
    return op->getNumResults() ? MaybeLayout(map) : std::nullopt;
  }
  auto rule = dyn_cast<LayoutRuleOpInterface>(op);
  return rule ? rule.resultLayout(operand, map) : std::nullopt;
}

MaybeLayout tilegpu::operandLayout(OpOperand &operand, const LinearLayout &map) {
  Operation *op = operand.getOwner();
  if (keepsLayout(op)) {
    return map;
  }
  auto rule = dyn_cast<LayoutRuleOpInterface>(op);
  return rule ? rule.operandLayout(operand, map) : std::nullopt;
}

bool tilegpu::takesAnyLayout(OpOperand &operand) {
  auto rule = dyn_cast<LayoutRuleOpInterface>(operand.getOwner());
  return rule && rule.takesAnyLayout(operand);
}

bool tilegpu::needsEqualOperands(Operation *op) {
  auto rule = dyn_cast<LayoutRuleOpInterface>(op);
  return rule && rule.needsEqualOperands();
}

bool tilegpu::isLabeledByOperand(Operation *op) {
  auto rule = dyn_cast<LayoutRuleOpInterface>(op);
  return rule && rule.isLabeledByOperand();
}

bool tilegpu::isRepeatable(Operation *op) {
  auto rule = dyn_cast<LayoutRuleOpInterface>(op);
  return worksInAnyLayout(op) && isPure(op) && !(rule && rule.movesElements());
}
