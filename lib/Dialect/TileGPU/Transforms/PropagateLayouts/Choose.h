// Chooses labels to minimize the total cost.
//
// Layouts originate at memory accesses and at operations with fixed layouts, such as matrix instructions. Each of these
// layouts is propagated along the edges by the rules of LayoutRules.h as far as possible. The result is a family: for
// every node it reaches, the label that needs no conversion between the node and the origin.
//
//     load (blocked) ──▶ extf ──▶ mulf ──▶ truncf ──▶ mma's A (fragment)
//      blocked            blocked   blocked  blocked               family of the load
//      fragment           fragment  fragment fragment              family of the fragment
//
// A broadcast repeats its operand's elements in registers. If every family that reaches a broadcast has more registers
// per thread than its first layout, as for an outer product of two vectors, that first layout originates another
// family, which distributes the elements over all threads.
//
// A step chooses for all nodes at once between the current label and the label of one family. This is a minimum cut
// (MinCut.h), which is exact except that it ignores savings from shared conversions. Steps are tried with one family
// after the other and kept if the actual total decreases, until none does.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_CHOOSE_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_CHOOSE_H

#include "Labels.h"

namespace tilewright::tilegpu {

/// For each node, its label in the family; null if the family does not reach it.
using Family = std::vector<LayoutAttr>;

std::vector<Family> findFamilies(LayoutGraph &graph);

Labels chooseLabels(LayoutGraph &graph, CostModel &model);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_CHOOSE_H
