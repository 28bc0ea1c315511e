#include "Choose.h"

#include "MinCut.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

/// Kernels with more layouts than this are rare; further families are ignored.
static constexpr size_t kMostFamilies = 24;

namespace {
/// Propagates one layout along the edges.
class FamilyPropagation {
public:
  explicit FamilyPropagation(LayoutGraph &graph) : graph(graph), family(graph.nodes().size()) {}

  void seed(int node, LayoutAttr label) {
    if (label && !family[node] && graph.isPossible(node, label)) {
      family[node] = label;
      queue.push_back(node);
    }
  }

  void seedProducer(const LayoutEdge &edge, LayoutAttr layout) { seed(edge.from, graph.labelFor(edge.tile, layout)); }
  void seedConsumer(const LayoutEdge &edge, LayoutAttr layout) { seed(edge.to, graph.labelOfConsumer(edge, layout)); }

  Family run() {
    for (size_t i = 0; i < queue.size(); ++i) {
      int node = queue[i];
      for (int e : graph.nodes()[node].in) {
        const LayoutEdge &edge = graph.edges()[e];
        if (LayoutAttr need = graph.needOf(edge, family[node])) {
          seedProducer(edge, need);
        }
      }
      for (int e : graph.nodes()[node].out) {
        const LayoutEdge &edge = graph.edges()[e];
        seedConsumer(edge, graph.layoutOf(edge.tile, family[node]));
      }
    }
    return std::move(family);
  }

private:
  LayoutGraph &graph;
  Family family;
  std::vector<int> queue;
};
} // namespace

static int64_t registersOf(LayoutAttr layout) { return layout.getMap().inSize(layout::kRegister); }

/// Whether families reach the broadcast, and all of them repeat in registers what its first layout distributes over
/// threads: those of vectors along the dimensions of the tile do, if no access to memory has its shape.
static bool isRepeated(const LayoutNode &node, int index, ArrayRef<Family> families) {
  auto reaches = [&](const Family &family) { return bool(family[index]); };
  auto repeats = [&](const Family &family) { return registersOf(family[index]) > registersOf(node.label); };
  return isa_and_nonnull<tile::BroadcastOp>(node.op) && llvm::any_of(families, reaches) &&
         llvm::all_of(llvm::make_filter_range(families, reaches), repeats);
}

std::vector<Family> tilegpu::findFamilies(LayoutGraph &graph) {
  llvm::MapVector<LayoutAttr, FamilyPropagation> seeds;
  auto seedsOf = [&](LayoutAttr layout) -> FamilyPropagation & {
    return seeds.try_emplace(layout, graph).first->second;
  };
  for (auto [index, node] : llvm::enumerate(graph.nodes())) {
    if (isa_and_nonnull<tile::MemoryAccessOpInterface>(node.op) && node.label) {
      seedsOf(node.label).seed(static_cast<int>(index), node.label);
    }
    if (!node.isFixed) {
      continue;
    }
    for (int e : node.in) {
      const LayoutEdge &edge = graph.edges()[e];
      if (LayoutAttr need = graph.needOf(edge, {})) {
        seedsOf(need).seedProducer(edge, need);
      }
    }
    for (int e : node.out) {
      const LayoutEdge &edge = graph.edges()[e];
      LayoutAttr layout = graph.layoutOf(edge.tile, {});
      seedsOf(layout).seedConsumer(edge, layout);
    }
  }
  std::vector<Family> families;
  for (auto &[layout, spreading] : seeds) {
    if (families.size() < kMostFamilies) {
      families.push_back(spreading.run());
    }
  }
  for (auto [index, node] : llvm::enumerate(graph.nodes())) {
    if (families.size() < kMostFamilies && isRepeated(node, static_cast<int>(index), families)) {
      FamilyPropagation spreading(graph);
      spreading.seed(static_cast<int>(index), node.label);
      families.push_back(spreading.run());
    }
  }
  return families;
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

/// Memory accesses keep their label, other nodes start with the first family that reaches them, or else their own
/// label.
static std::vector<LayoutAttr> startingLabels(LayoutGraph &graph, ArrayRef<Family> families) {
  std::vector<LayoutAttr> labels;
  for (auto [index, node] : llvm::enumerate(graph.nodes())) {
    labels.push_back(node.label);
    if (node.isFixed || isa_and_nonnull<tile::MemoryAccessOpInterface>(node.op)) {
      continue;
    }
    for (const Family &family : families) {
      if (family[index]) {
        labels.back() = family[index];
        break;
      }
    }
  }
  return labels;
}

/// The labels after the optimal step toward one family.
static std::vector<LayoutAttr> step(LayoutGraph &graph, Labels &labels, const Family &family) {
  std::vector<LayoutAttr> after = labels.all();
  std::vector<int> variable(after.size(), -1), movable;
  for (int node = 0; node < static_cast<int>(after.size()); ++node) {
    if (family[node] && family[node] != labels[node]) {
      variable[node] = static_cast<int>(movable.size());
      movable.push_back(node);
    }
  }
  if (movable.empty()) {
    return after;
  }
  MinCut cut(static_cast<int>(movable.size()));
  for (int node : movable) {
    cut.addCost(variable[node], labels.ownCost(node, labels[node]), labels.ownCost(node, family[node]));
  }
  for (const LayoutEdge &edge : graph.edges()) {
    int u = variable[edge.from], v = variable[edge.to];
    if (u == v) {
      continue;
    }
    LayoutAttr from = labels[edge.from], to = labels[edge.to];
    if (u < 0) {
      cut.addCost(v, labels.edgeCost(edge, from, to), labels.edgeCost(edge, from, family[edge.to]));
    } else if (v < 0) {
      cut.addCost(u, labels.edgeCost(edge, from, to), labels.edgeCost(edge, family[edge.from], to));
    } else {
      cut.addCost(u, v, labels.edgeCost(edge, from, to), labels.edgeCost(edge, from, family[edge.to]),
                  labels.edgeCost(edge, family[edge.from], to),
                  labels.edgeCost(edge, family[edge.from], family[edge.to]));
    }
  }
  std::vector<bool> joins = cut.solve();
  for (int node : movable) {
    if (joins[variable[node]]) {
      after[node] = family[node];
    }
  }
  return after;
}

Labels tilegpu::chooseLabels(LayoutGraph &graph, CostModel &model) {
  constexpr int kMostRounds = 4;
  std::vector<Family> families = findFamilies(graph);
  Labels labels(graph, model, startingLabels(graph, families));
  Cost least = labels.total();
  bool improves = true;
  for (int round = 0; round < kMostRounds && improves; ++round) {
    improves = false;
    for (const Family &family : families) {
      Labels after(graph, model, step(graph, labels, family));
      if (after.all() == labels.all()) {
        continue;
      }
      if (Cost cost = after.total(); cost < least) {
        least = cost;
        improves = true;
        labels = std::move(after);
      }
    }
  }
  return labels;
}
