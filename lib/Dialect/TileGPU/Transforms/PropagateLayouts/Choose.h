// The choice of labels with the lowest costs in sum.
//
// Where layouts come from: operations that move memory or multiply have one that suits them. Each of these layouts,
// carried along the edges by the rules of LayoutRules.h as far as it goes, is a family: for every node
// that it reaches, the label with which nothing has to be converted between there and where it comes from.
//
//     load (blocked) ──▶ extf ──▶ mulf ──▶ truncf ──▶ mma's A (fragment)
//      blocked            blocked   blocked  blocked               family of the load
//      fragment           fragment  fragment fragment              family of the fragment
//
// A step lets all nodes decide at once between staying as they are and joining one family; that
// is a minimum cut (MinCut.h), exact for each step but for what shared conversions save. Steps are taken with one
// family after the other, and kept where the sum really falls, until none does.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_CHOOSE_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_CHOOSE_H

#include "Labels.h"

namespace tilewright::tilegpu {

/// For each node its label in the family, null where it does not reach.
using Family = std::vector<LayoutAttr>;

std::vector<Family> findFamilies(LayoutGraph &graph);

Labels chooseLabels(LayoutGraph &graph, CostModel &model);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PROPAGATELAYOUTS_CHOOSE_H
