// A label for each node of the graph, their total cost, and how a tile is provided in another layout.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_LABELS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_LABELS_H

#include "../CostModel.h"
#include "LayoutGraph.h"

namespace tilewright::tilegpu {

/// The block in which to provide a tile in another layout for a use in `use`: that block, but outside of loops that do
/// not contain the definition.
mlir::Block *placeFor(mlir::Block *definition, mlir::Block *use);

class Labels {
public:
  Labels(LayoutGraph &graph, CostModel &model, std::vector<LayoutAttr> labels)
      : graph(&graph), model(&model), labels(std::move(labels)) {}

  LayoutAttr operator[](int node) const { return labels[node]; }
  const std::vector<LayoutAttr> &all() const { return labels; }

  /// The cost of executing a node under a label.
  Cost ownCost(int node, LayoutAttr label) const;

  /// The cost of providing the edge's tile to a consumer under `consumerLabel` from a producer under `producerLabel`.
  Cost edgeCost(const LayoutEdge &edge, LayoutAttr producerLabel, LayoutAttr consumerLabel);

  /// Whether it is cheaper to rematerialize a tile in this layout and block than to convert it.
  bool isCheaperToRematerialize(mlir::Value tile, LayoutAttr layout, mlir::Block *block);

  /// The total cost, with each conversion and each rematerialization counted once.
  Cost total();

private:
  Cost cost(mlir::Value tile, LayoutAttr have, LayoutAttr need, mlir::Block *block);
  Cost rematerializationCost(mlir::Value tile, LayoutAttr layout, mlir::Block *block);

  LayoutGraph *graph;
  CostModel *model;
  std::vector<LayoutAttr> labels;
  llvm::DenseMap<std::tuple<mlir::Value, LayoutAttr, mlir::Block *>, Cost> rematerializations;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_LABELS_H
