// A function as a graph for the choice of layouts.
//
// Each node has one layout, its label. A node is an operation or a variable; a variable is a loop-carried value or the
// result of a branch (block argument and result have one label). An edge goes from the producer of a tile to a
// consumer. The graph looks through existing conversions; the rewrite recreates those between different labels.
//
//     %r = scf.for iter_args(%acc = %zero) {        zero ──▶ [acc, r] ◀── sum ◀── x
//       %x = tile.load %p                                      │           ▲
//       %sum = arith.addf %acc, %x                             └───────────┘
//       scf.yield %sum
//     }

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_LAYOUTGRAPH_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_LAYOUTGRAPH_H

#include "tilewright/Analysis/ReadOnlyMemory.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

namespace tilewright::tilegpu {

struct LayoutNode {
  mlir::Operation *op = nullptr; ///< null for a variable
  LayoutAttr label;              ///< the current layout; null for a fixed node
  /// Its layouts must not change: matrix instructions and operations unknown to this dialect.
  bool isFixed = false;
  /// It may be rematerialized in another layout: pure, without regions, and not a gather; or a load of at most one
  /// integer of 32 or 64 bits per thread from memory that the kernel only reads, such as row numbers for addresses.
  bool isRepeatable = false;
  llvm::SmallVector<mlir::Value, 2> tiles;
  llvm::SmallVector<int, 4> in, out; ///< edges
};

struct LayoutEdge {
  int from, to;
  mlir::Value tile; ///< produced by `from`
  mlir::OpOperand *operand;
  mlir::Block *block; ///< where `to` uses it
};

class LayoutGraph {
public:
  explicit LayoutGraph(mlir::Operation *root);

  llvm::ArrayRef<LayoutNode> nodes() const { return allNodes; }
  llvm::ArrayRef<LayoutEdge> edges() const { return allEdges; }
  int nodeOf(mlir::Value tile) const { return producers.at(tile); }

  /// Looks through conversions.
  static mlir::Value source(mlir::Value tile);

  /// The layout of a tile if its node has this label.
  LayoutAttr layoutOf(mlir::Value tile, LayoutAttr label);
  /// The label of the tile's node that gives the tile this layout; null if there is none or it is not determined.
  LayoutAttr labelFor(mlir::Value tile, LayoutAttr layout);

  /// The layout that the edge's consumer needs under this label; null if it accepts any.
  LayoutAttr needOf(const LayoutEdge &edge, LayoutAttr label);
  /// The label of the consumer if it gets its tile in this layout; null as above.
  LayoutAttr labelOfConsumer(const LayoutEdge &edge, LayoutAttr layout);

  /// Whether all operands of the node have a layout under this label.
  bool isPossible(int node, LayoutAttr label);

private:
  void addVariables(mlir::RegionBranchOpInterface branch);
  void addOperation(mlir::Operation *op);
  bool isRepeatableLoad(mlir::Operation *op) const;
  int addNode(LayoutNode node);
  void addEdges(mlir::Operation *op);

  ReadOnlyMemory readOnly;
  bool hasCalls = false; ///< of functions, of whose arguments it is not known what they alias
  std::vector<LayoutNode> allNodes;
  std::vector<LayoutEdge> allEdges;
  llvm::DenseMap<mlir::Value, int> producers;
  llvm::DenseMap<mlir::Operation *, int> operations;
  llvm::DenseMap<mlir::OpOperand *, int> variables; ///< the node of the variable that receives the operand

  enum class Rule { Result, Operand };
  llvm::DenseMap<std::tuple<mlir::OpOperand *, int, LayoutAttr>, LayoutAttr> derived;
  LayoutAttr derive(mlir::OpOperand &operand, Rule rule, LayoutAttr layout);
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_LAYOUTGRAPH_H
