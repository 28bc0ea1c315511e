// Chooses one of two states for many variables at once to minimize the sum of unary and pairwise costs, as a minimum
// cut.
//
//     state 0 = on the side of the source, state 1 = on the side of the sink
//
//              cost of u in state 1                cost of u in 0 with v in 1
//     source ----------------------> u     u -------------------------------------> v
//
// The result is exact if e00 + e11 <= e01 + e10 for each pair, i.e. the costs are submodular. Otherwise e01 is raised
// until they are.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_MINCUT_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_MINCUT_H

#include <cstdint>
#include <vector>

namespace tilewright::tilegpu {

class MinCut {
public:
  explicit MinCut(int variables);

  void addCost(int variable, int64_t e0, int64_t e1);
  void addCost(int u, int v, int64_t e00, int64_t e01, int64_t e10, int64_t e11);

  /// Returns the states, 0 if both have the same cost.
  std::vector<bool> solve();

private:
  struct Arc {
    int to;
    int64_t room; ///< Arcs 2n and 2n + 1 are each other's reverse.
  };
  void addArc(int from, int to, int64_t capacity);
  bool findLevels();
  int64_t push(int from, int64_t most);

  int source, sink;
  std::vector<int64_t> unary; ///< cost of state 1 minus cost of state 0
  std::vector<Arc> arcs;
  std::vector<std::vector<int>> arcsOf;
  std::vector<int> level, next;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_MINCUT_H
