// Choosing one of two states for many variables at once, so that the sum of costs of single variables and of
// pairs is least: a minimum cut.
//
//     state 0 = this side of the source, state 1 = this side of the sink
//
//              c of u in state 1                   cost of u in 0 while v is in 1
//     source ----------------------> u     u -------------------------------------> v
//
// It is exact as long as for each pair e00 + e11 <= e01 + e10 ("differing is never cheaper than the average of
// agreeing"); where costs are not like that, e01 is raised to what is missing.

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

  /// The states; 0 where both are as good.
  std::vector<bool> solve();

private:
  struct Arc {
    int to;
    int64_t room; ///< The arc back is the next one in the list, or the one before.
  };
  void addArc(int from, int to, int64_t capacity);
  bool findLevels();
  int64_t push(int from, int64_t most);

  int source, sink;
  std::vector<int64_t> unary; ///< of state 1 over state 0
  std::vector<Arc> arcs;
  std::vector<std::vector<int>> arcsOf;
  std::vector<int> level, next;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_MINCUT_H
