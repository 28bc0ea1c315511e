#include "Labels.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseSet.h"

#include <limits>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// The cost of something impossible. Sums of many of these do not overflow.
static constexpr Cost kNever = std::numeric_limits<Cost>::max() / (1 << 20);

Block *tilegpu::placeFor(Block *definition, Block *use) {
  Block *place = use;
  for (Block *block = use; block && block != definition;) {
    Operation *parent = block->getParentOp();
    block = parent ? parent->getBlock() : nullptr;
    if (isa_and_nonnull<LoopLikeOpInterface>(parent)) {
      place = block;
    }
  }
  return place;
}

Cost Labels::ownCost(int node, LayoutAttr label) const {
  Operation *op = graph->nodes()[node].op;
  return op && label ? model->operation(op, label) * model->times(op->getBlock()) : 0;
}

/// The lower of the costs of conversion and rematerialization in `block`.
Cost Labels::cost(Value tile, LayoutAttr have, LayoutAttr need, Block *block) {
  if (!need || have == need) {
    return 0;
  }
  Block *place = placeFor(tile.getParentBlock(), block);
  Cost rematerialization = rematerializationCost(tile, need, place);
  if (rematerialization == 0) {
    return 0;
  }
  return std::min(model->conversion(tile::getElementType(tile.getType()), have, need) * model->times(place),
                  rematerialization);
}

Cost Labels::rematerializationCost(Value tile, LayoutAttr layout, Block *block) {
  int index = graph->nodeOf(tile);
  const LayoutNode &node = graph->nodes()[index];
  LayoutAttr label = node.isRepeatable ? graph->labelFor(tile, layout) : LayoutAttr();
  if (!label) {
    return kNever;
  }
  std::tuple key(tile, layout, block);
  if (auto known = rematerializations.find(key); known != rematerializations.end()) {
    return known->second;
  }
  Cost sum = graph->isPossible(index, label) ? model->operation(node.op, label) * model->times(block) : kNever;
  for (int i : node.in) {
    const LayoutEdge &edge = graph->edges()[i];
    sum += cost(edge.tile, graph->layoutOf(edge.tile, labels[edge.from]), graph->needOf(edge, label), block);
  }
  return rematerializations[key] = std::min(sum, kNever);
}

Cost Labels::edgeCost(const LayoutEdge &edge, LayoutAttr producerLabel, LayoutAttr consumerLabel) {
  return cost(edge.tile, graph->layoutOf(edge.tile, producerLabel), graph->needOf(edge, consumerLabel), edge.block);
}

bool Labels::isCheaperToRematerialize(Value tile, LayoutAttr layout, Block *block) {
  LayoutAttr have = graph->layoutOf(tile, labels[graph->nodeOf(tile)]);
  Type element = tile::getElementType(tile.getType());
  return rematerializationCost(tile, layout, block) < model->conversion(element, have, layout) * model->times(block);
}

//===----------------------------------------------------------------------===//
// The sum
//===----------------------------------------------------------------------===//

namespace {
/// Walks from the nodes that cannot be rematerialized to everything they need, counting each cost once.
class Total {
public:
  Total(LayoutGraph &graph, CostModel &model, Labels &labels) : graph(graph), model(model), labels(labels) {}

  Cost sum() {
    for (auto [index, node] : llvm::enumerate(graph.nodes())) {
      if (!node.isRepeatable) {
        count(static_cast<int>(index), labels[static_cast<int>(index)], node.op ? node.op->getBlock() : nullptr);
      }
    }
    return cost;
  }

private:
  /// Counts the node under a label, executed in `block`, which is null for a variable, and the nodes it needs.
  void count(int index, LayoutAttr label, Block *block) {
    const LayoutNode &node = graph.nodes()[index];
    if (!counted.insert({index, label, block}).second) {
      return;
    }
    if (node.op && label) {
      cost += model.operation(node.op, label) * model.times(block);
    }
    for (int i : node.in) {
      const LayoutEdge &edge = graph.edges()[i];
      demand(edge, graph.needOf(edge, label), block ? block : edge.block);
    }
  }

  void demand(const LayoutEdge &edge, LayoutAttr need, Block *block) {
    const LayoutNode &producer = graph.nodes()[edge.from];
    LayoutAttr have = graph.layoutOf(edge.tile, labels[edge.from]);
    if (need && need != have) {
      Value tile = edge.tile;
      Block *place = placeFor(tile.getParentBlock(), block);
      if (!moved.insert({tile, need, place}).second) {
        return;
      }
      if (labels.isCheaperToRematerialize(tile, need, place)) {
        return count(edge.from, graph.labelFor(tile, need), place);
      }
      cost += model.conversion(tile::getElementType(tile.getType()), have, need) * model.times(place);
    }
    if (producer.isRepeatable) {
      count(edge.from, labels[edge.from], producer.op->getBlock());
    }
  }

  LayoutGraph &graph;
  CostModel &model;
  Labels &labels;
  Cost cost = 0;
  DenseSet<std::tuple<int, LayoutAttr, Block *>> counted;
  DenseSet<std::tuple<Value, LayoutAttr, Block *>> moved;
};
} // namespace

Cost Labels::total() { return Total(*graph, *model, *this).sum(); }
