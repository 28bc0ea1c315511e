// Dinic's algorithm: augments along shortest paths while the sink is reachable.

#include "MinCut.h"

#include <algorithm>
#include <limits>

namespace tilewright::tilegpu {

MinCut::MinCut(int variables)
    : source(variables), sink(variables + 1), unary(variables), arcsOf(variables + 2), level(variables + 2),
      next(variables + 2) {}

void MinCut::addArc(int from, int to, int64_t capacity) {
  arcsOf[from].push_back(static_cast<int>(arcs.size()));
  arcs.push_back({to, capacity});
  arcsOf[to].push_back(static_cast<int>(arcs.size()));
  arcs.push_back({from, 0});
}

void MinCut::addCost(int variable, int64_t e0, int64_t e1) { unary[variable] += e1 - e0; }

/// e00 + (e10 - e00) u + (e11 - e10) v + (e01 + e10 - e00 - e11) (1 - u) v
void MinCut::addCost(int u, int v, int64_t e00, int64_t e01, int64_t e10, int64_t e11) {
  addCost(u, e00, e10);
  addCost(v, e10, e11);
  int64_t both = e01 + e10 - e00 - e11;
  if (both > 0) {
    addArc(u, v, both);
  }
}

bool MinCut::findLevels() {
  std::fill(level.begin(), level.end(), -1);
  std::vector<int> queue = {source};
  level[source] = 0;
  for (size_t i = 0; i < queue.size(); ++i) {
    for (int arc : arcsOf[queue[i]]) {
      if (arcs[arc].room > 0 && level[arcs[arc].to] < 0) {
        level[arcs[arc].to] = level[queue[i]] + 1;
        queue.push_back(arcs[arc].to);
      }
    }
  }
  return level[sink] >= 0;
}

int64_t MinCut::push(int from, int64_t most) {
  if (from == sink) {
    return most;
  }
  for (int &i = next[from]; i < static_cast<int>(arcsOf[from].size()); ++i) {
    int arc = arcsOf[from][i];
    if (arcs[arc].room == 0 || level[arcs[arc].to] != level[from] + 1) {
      continue;
    }
    if (int64_t pushed = push(arcs[arc].to, std::min(most, arcs[arc].room))) {
      arcs[arc].room -= pushed;
      arcs[arc ^ 1].room += pushed;
      return pushed;
    }
  }
  return 0;
}

std::vector<bool> MinCut::solve() {
  for (int v = 0; v < source; ++v) {
    if (unary[v] > 0) {
      addArc(source, v, unary[v]);
    } else if (unary[v] < 0) {
      addArc(v, sink, -unary[v]);
    }
  }
  while (findLevels()) {
    std::fill(next.begin(), next.end(), 0);
    while (push(source, std::numeric_limits<int64_t>::max()) != 0) {
    }
  }
  // State 1 for nodes that still reach the sink; the others keep state 0, which costs no more.
  std::vector<bool> reaches(source + 2);
  std::vector<int> queue = {sink};
  reaches[sink] = true;
  for (size_t i = 0; i < queue.size(); ++i) {
    for (int arc : arcsOf[queue[i]]) {
      int from = arcs[arc].to;
      if (arcs[arc ^ 1].room > 0 && !reaches[from]) {
        reaches[from] = true;
        queue.push_back(from);
      }
    }
  }
  reaches.resize(source);
  return reaches;
}

} // namespace tilewright::tilegpu
