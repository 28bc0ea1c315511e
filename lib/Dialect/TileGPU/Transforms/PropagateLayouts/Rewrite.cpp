#include "Rewrite.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

class Rewrite {
public:
  Rewrite(Operation *root, LayoutGraph &graph, Labels &labels) : root(root), graph(graph), labels(labels) {}

  void run() {
    SmallVector<std::pair<const LayoutEdge *, LayoutAttr>> needs = collectNeeds();
    setTypes();
    for (auto &[edge, need] : needs) {
      edge->operand->set(provide(edge->tile, need, edge->block));
    }
    eraseUnused();
    for (Operation *op : llvm::reverse(made)) {
      sink(op);
    }
  }

private:
  /// The layouts that edges need. Must run before types change, as fixed nodes need the current layouts.
  SmallVector<std::pair<const LayoutEdge *, LayoutAttr>> collectNeeds() {
    SmallVector<std::pair<const LayoutEdge *, LayoutAttr>> needs;
    for (const LayoutEdge &edge : graph.edges()) {
      needs.push_back({&edge, graph.needOf(edge, labels[edge.to])});
    }
    return needs;
  }

  void setTypes() {
    for (auto [index, node] : llvm::enumerate(graph.nodes())) {
      for (Value tile : node.tiles) {
        setLayout(tile, graph.layoutOf(tile, labels[static_cast<int>(index)]));
      }
    }
  }

  /// Provides the tile in a layout for a use in `block`.
  Value provide(Value tile, LayoutAttr need, Block *block) {
    if (!need || need == getLayout(tile)) {
      return tile;
    }
    Block *place = placeFor(tile.getParentBlock(), block);
    std::tuple key(tile, need, place);
    if (auto known = provided.find(key); known != provided.end()) {
      return known->second;
    }
    bool isCheaper = labels.isCheaperToRematerialize(tile, need, place);
    Value value = isCheaper ? rematerialize(tile, need, place) : convert(tile, need, place);
    made.insert(value.getDefiningOp());
    return provided[key] = value;
  }

  /// Sets the insertion point after the tile, or to the start of `place` if that is another block; `sink` moves the
  /// operation to its use later.
  void setPoint(OpBuilder &builder, Value tile, Block *place) {
    if (place == tile.getParentBlock()) {
      builder.setInsertionPointAfterValue(tile);
    } else {
      auto [start, isNew] = starts.try_emplace(place, &place->front());
      builder.setInsertionPoint(start->second);
    }
  }

  Value convert(Value tile, LayoutAttr need, Block *place) {
    OpBuilder builder(tile.getContext());
    setPoint(builder, tile, place);
    return ConvertLayoutOp::create(builder, tile.getLoc(), withLayout(tile.getType(), need), tile);
  }

  Value rematerialize(Value tile, LayoutAttr need, Block *place) {
    const LayoutNode &node = graph.nodes()[graph.nodeOf(tile)];
    LayoutAttr label = graph.labelFor(tile, need);
    SmallVector<Value> values(node.op->getOperands());
    for (int i : node.in) {
      const LayoutEdge &edge = graph.edges()[i];
      values[edge.operand->getOperandNumber()] = provide(edge.tile, graph.needOf(edge, label), place);
    }
    OpBuilder builder(tile.getContext());
    setPoint(builder, tile, place);
    Operation *copy = builder.clone(*node.op);
    copy->setOperands(values);
    for (Value result : copy->getResults()) {
      setLayout(result, need);
    }
    return copy->getResult(cast<OpResult>(tile).getResultNumber());
  }

  /// Erases operations that have no uses left.
  void eraseUnused() {
    SmallVector<Operation *> ops;
    root->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : llvm::reverse(ops)) {
      if (isOpTriviallyDead(op)) {
        made.remove(op);
        op->erase();
      }
    }
  }

  /// Moves an operation right before its first use, and before operations that have been sunk there already.
  void sink(Operation *op) {
    Operation *point = nullptr;
    for (Operation *user : op->getUsers()) {
      Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
      point = !point || ancestor->isBeforeInBlock(point) ? ancestor : point;
    }
    while (point->getPrevNode() && sunk.contains(point->getPrevNode())) {
      point = point->getPrevNode();
    }
    op->moveBefore(point);
    sunk.insert(op);
  }

  Operation *root;
  LayoutGraph &graph;
  Labels &labels;
  DenseMap<std::tuple<Value, LayoutAttr, Block *>, Value> provided;
  DenseMap<Block *, Operation *> starts;
  llvm::SetVector<Operation *> made;
  DenseSet<Operation *> sunk;
};

} // namespace

void tilegpu::applyLabels(Operation *root, LayoutGraph &graph, Labels &labels) { Rewrite(root, graph, labels).run(); }
