#include "LayoutGraph.h"

#include "tilewright/Dialect/Tile/IR/VolatileLoads.h"
#include "tilewright/Dialect/TileGPU/IR/LayoutRules.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

Value LayoutGraph::source(Value tile) {
  while (auto convert = tile.getDefiningOp<ConvertLayoutOp>()) {
    tile = convert.getSrc();
  }
  return tile;
}

LayoutGraph::LayoutGraph(Operation *root) : readOnly(root) {
  root->walk([&](tile::CallOp) { hasCalls = true; });
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    ops.push_back(op);
    // The regions of an operation with a rule, such as a reduction's combiner, have no tiles.
    return isa<LayoutRuleOpInterface>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  for (Operation *op : ops) {
    if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
      addVariables(branch);
    } else if (!isa<ConvertLayoutOp>(op)) {
      addOperation(op);
    }
  }
  for (Operation *op : ops) {
    addEdges(op);
  }
}

int LayoutGraph::addNode(LayoutNode node) {
  int index = static_cast<int>(allNodes.size());
  for (Value tile : node.tiles) {
    producers[tile] = index;
  }
  allNodes.push_back(std::move(node));
  return index;
}

/// Values that receive the same operand are one variable.
void LayoutGraph::addVariables(RegionBranchOpInterface branch) {
  RegionBranchSuccessorMapping mapping;
  branch.getSuccessorOperandInputMapping(mapping);
  llvm::EquivalenceClasses<void *> same;
  for (auto &[operand, inputs] : mapping) {
    for (Value input : inputs) {
      same.unionSets(inputs.front().getAsOpaquePointer(), input.getAsOpaquePointer());
    }
  }
  DenseMap<void *, int> nodeOfClass;
  auto visit = [&](Value value) {
    if (!isTile(value)) {
      return;
    }
    auto [entry, isNew] = nodeOfClass.try_emplace(same.getOrInsertLeaderValue(value.getAsOpaquePointer()));
    if (isNew) {
      entry->second = addNode({});
      allNodes[entry->second].label = getLayout(value);
    }
    producers[value] = entry->second;
    allNodes[entry->second].tiles.push_back(value);
  };
  for (Value result : branch->getResults()) {
    visit(result);
  }
  for (Region &region : branch->getRegions()) {
    for (BlockArgument argument : region.getArguments()) {
      visit(argument);
    }
  }
  for (auto &[operand, inputs] : mapping) {
    if (isTile(inputs.front())) {
      variables[operand] = producers.at(inputs.front());
    }
  }
}

bool LayoutGraph::isRepeatableLoad(Operation *op) const {
  auto load = dyn_cast<tile::LoadOp>(op);
  auto tile = load ? dyn_cast<RankedTensorType>(load.getType()) : RankedTensorType();
  bool isOfIndices = tile && (tile.getElementType().isInteger(32) || tile.getElementType().isInteger(64));
  return isOfIndices && !hasCalls && tile.getNumElements() <= threadsOf(op).count() && !tile::readsEachTime(load) &&
         readOnly.contains(load.getPtr());
}

void LayoutGraph::addOperation(Operation *op) {
  LayoutNode node;
  node.op = op;
  llvm::copy_if(op->getResults(), std::back_inserter(node.tiles), isTile);
  for (Region &region : op->getRegions()) {
    llvm::copy_if(region.getArguments(), std::back_inserter(node.tiles), isTile);
  }
  bool takesTiles = llvm::any_of(op->getOperands(), isTile);
  if (node.tiles.empty() && !takesTiles) {
    return;
  }
  node.isFixed = !worksInAnyLayout(op);
  node.isRepeatable = isRepeatable(op) || isRepeatableLoad(op);
  if (!node.isFixed) {
    bool byOperand = isLabeledByOperand(op) || node.tiles.empty();
    node.label = getLayout(byOperand ? op->getOperand(0) : node.tiles.front());
  }
  operations[op] = addNode(std::move(node));
}

void LayoutGraph::addEdges(Operation *op) {
  if (isa<ConvertLayoutOp>(op)) {
    return;
  }
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isTile(operand.get())) {
      continue;
    }
    auto variable = variables.find(&operand);
    auto operation = operations.find(op);
    if (variable == variables.end() && operation == operations.end()) {
      continue;
    }
    int to = variable != variables.end() ? variable->second : operation->second;
    Value tile = source(operand.get());
    int from = producers.at(tile), index = static_cast<int>(allEdges.size());
    allEdges.push_back({from, to, tile, &operand, op->getBlock()});
    allNodes[from].out.push_back(index);
    allNodes[to].in.push_back(index);
  }
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

LayoutAttr LayoutGraph::derive(OpOperand &operand, Rule rule, LayoutAttr layout) {
  auto [entry, isNew] = derived.try_emplace({&operand, static_cast<int>(rule), layout});
  if (isNew) {
    const layout::LinearLayout &map = layout.getMap();
    auto other = rule == Rule::Result ? resultLayout(operand, map) : operandLayout(operand, map);
    entry->second = other ? LayoutAttr::get(layout.getContext(), *other) : LayoutAttr();
  }
  return entry->second;
}

LayoutAttr LayoutGraph::layoutOf(Value tile, LayoutAttr label) {
  const LayoutNode &node = allNodes[producers.at(tile)];
  if (node.isFixed) {
    return getLayout(tile);
  }
  return node.op && isLabeledByOperand(node.op) ? derive(node.op->getOpOperand(0), Rule::Result, label) : label;
}

LayoutAttr LayoutGraph::labelFor(Value tile, LayoutAttr layout) {
  const LayoutNode &node = allNodes[producers.at(tile)];
  return node.isFixed || (node.op && isLabeledByOperand(node.op)) ? LayoutAttr() : layout;
}

LayoutAttr LayoutGraph::needOf(const LayoutEdge &edge, LayoutAttr label) {
  const LayoutNode &node = allNodes[edge.to];
  if (node.op && takesAnyLayout(*edge.operand)) {
    return {};
  }
  if (node.isFixed) {
    return getLayout(edge.operand->get());
  }
  if (!node.op || keepsLayout(node.op) || isLabeledByOperand(node.op)) {
    return label;
  }
  return derive(*edge.operand, Rule::Operand, label);
}

LayoutAttr LayoutGraph::labelOfConsumer(const LayoutEdge &edge, LayoutAttr layout) {
  const LayoutNode &node = allNodes[edge.to];
  if (node.isFixed || (node.op && takesAnyLayout(*edge.operand))) {
    return {};
  }
  if (!node.op || keepsLayout(node.op) || isLabeledByOperand(node.op)) {
    return layout;
  }
  return derive(*edge.operand, Rule::Result, layout);
}

bool LayoutGraph::isPossible(int node, LayoutAttr label) {
  return llvm::all_of(allNodes[node].in, [&](int edge) {
    return !allNodes[node].op || takesAnyLayout(*allEdges[edge].operand) || needOf(allEdges[edge], label);
  });
}
