// A function as the choice of layouts sees it.
//
// A node is something that has one layout, its label: an operation, or a variable, which is what a loop carries or a
// branch gives (an argument of the body, the result, all under one label). An edge goes from
// the node that makes a tile to one that takes it. Conversions that stand in the IR are looked through: they are made
// anew where labels differ in the end.
//
//     %r = scf.for iter_args(%acc = %zero) {        zero ──▶ [acc, r] ◀── sum ◀── x
//       %x = tile.load %p                                      │           ▲
//       %sum = arith.addf %acc, %x                             └───────────┘
//       scf.yield %sum
//     }

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_LAYOUTGRAPH_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_LAYOUTGRAPH_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

namespace tilewright::tilegpu {

struct LayoutNode {
  mlir::Operation *op = nullptr; ///< null for a variable
  LayoutAttr label;              ///< as the IR has it; null for a node that is fixed
  /// Its layouts are not to be chosen: matrix instructions, what this dialect does not know.
  bool isFixed = false;
  /// It may be computed again in another layout: pure, and cheap enough for that to be considered.
  bool isRepeatable = false;
  llvm::SmallVector<mlir::Value, 2> tiles;
  llvm::SmallVector<int, 4> in, out; ///< edges
};

struct LayoutEdge {
  int from, to;
  mlir::Value tile; ///< made by `from`
  mlir::OpOperand *operand;
  mlir::Block *block; ///< where `to` takes it
};

class LayoutGraph {
public:
  explicit LayoutGraph(mlir::Operation *root);

  llvm::ArrayRef<LayoutNode> nodes() const { return allNodes; }
  llvm::ArrayRef<LayoutEdge> edges() const { return allEdges; }
  int nodeOf(mlir::Value tile) const { return makers.at(tile); }

  /// The tile itself, before conversions.
  static mlir::Value source(mlir::Value tile);

  /// The layout of a tile of the node.
  LayoutAttr layoutOf(mlir::Value tile, LayoutAttr label);
  /// The label that gives a tile of the node this layout; null if there is none or it is not known.
  LayoutAttr labelFor(mlir::Value tile, LayoutAttr layout);

  /// The layout that the edge's taker asks for; null where it takes any.
  LayoutAttr needOf(const LayoutEdge &edge, LayoutAttr label);
  /// The label of the taker if it gets its tile in this layout; null as above.
  LayoutAttr labelOfTaker(const LayoutEdge &edge, LayoutAttr layout);

  /// Whether the node's operands all have layouts under this label.
  bool isPossible(int node, LayoutAttr label);

private:
  void addVariables(mlir::RegionBranchOpInterface branch);
  void addOperation(mlir::Operation *op);
  int addNode(LayoutNode node);
  void addEdges(mlir::Operation *op);

  std::vector<LayoutNode> allNodes;
  std::vector<LayoutEdge> allEdges;
  llvm::DenseMap<mlir::Value, int> makers;
  llvm::DenseMap<mlir::Operation *, int> operations;
  llvm::DenseMap<mlir::OpOperand *, int> variables; ///< what flows into them

  enum class Rule { Result, Operand };
  llvm::DenseMap<std::tuple<mlir::OpOperand *, int, LayoutAttr>, LayoutAttr> derived;
  LayoutAttr derive(mlir::OpOperand &operand, Rule rule, LayoutAttr layout);
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_LAYOUTGRAPH_H
