// One layout for each node of the graph, what they cost together, and how a tile gets from one layout to another.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_LABELS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_LABELS_H

#include "../CostModel.h"
#include "LayoutGraph.h"

namespace tilewright::tilegpu {

/// The block in which a tile is best brought to another layout for a use in `use`: there, but out of loops that
/// do not make it.
mlir::Block *placeFor(mlir::Block *definition, mlir::Block *use);

class Labels {
public:
  Labels(LayoutGraph &graph, CostModel &model, std::vector<LayoutAttr> labels)
      : graph(&graph), model(&model), labels(std::move(labels)) {}

  LayoutAttr operator[](int node) const { return labels[node]; }
  const std::vector<LayoutAttr> &all() const { return labels; }

  /// What it costs a node to work under a label.
  Cost ownCost(int node, LayoutAttr label) const;

  /// How the edge's taker under `takerLabel` gets its tile from a maker under `makerLabel`.
  Cost edgeCost(const LayoutEdge &edge, LayoutAttr makerLabel, LayoutAttr takerLabel);

  /// Whether a tile had better be computed again in this layout, in this block, than converted from where it lies.
  bool isBetterRepeated(mlir::Value tile, LayoutAttr layout, mlir::Block *block);

  /// Everything, each conversion and each repetition once.
  Cost total();

private:
  Cost cost(mlir::Value tile, LayoutAttr have, LayoutAttr need, mlir::Block *block);
  Cost repetitionCost(mlir::Value tile, LayoutAttr layout, mlir::Block *block);

  LayoutGraph *graph;
  CostModel *model;
  std::vector<LayoutAttr> labels;
  llvm::DenseMap<std::tuple<mlir::Value, LayoutAttr, mlir::Block *>, Cost> repetitions;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_LABELS_H
