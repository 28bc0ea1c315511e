// Operations on linear layouts as maps.
//
//     product      A * B     B's bits above A's, in every dimension they share: a grid of
//                            copies of A at the positions given by B
//     division     W / A     the B with A * B = W, if there is one
//     composition  F after G x -> F(G(x))
//     inverse      from coordinates back to (register, lane, ...) or offset
//
//     identity(lane, dim1, 2) * identity(register, dim1, 2):    dim1 0    1    2    3
//                                                                    T0:0 T1:0 T0:1 T1:1

#ifndef TILEWRIGHT_LAYOUT_ALGEBRA_H
#define TILEWRIGHT_LAYOUT_ALGEBRA_H

#include "tilewright/Layout/LinearLayout.h"

#include <optional>

namespace tilewright::layout {

/// The product of independent layouts; dimensions that only `high` has come last.
LinearLayout operator*(const LinearLayout &low, const LinearLayout &high);

/// The `high` with low * high = whole. Dimensions are those of `whole`, in its order.
std::optional<LinearLayout> divideLeft(const LinearLayout &whole, const LinearLayout &low);

/// The `low` with low * high = whole.
std::optional<LinearLayout> divideRight(const LinearLayout &whole, const LinearLayout &high);

/// x -> outer(inner(x)). Dimensions are matched by name; outer's inputs may be
/// larger than inner's outputs, and more of them.
LinearLayout compose(const LinearLayout &outer, const LinearLayout &inner);

/// From `layout`'s outputs to its inputs: the inverse if there is one; for a surjective layout a right inverse (one
/// replica of each element), for an injective one a left inverse.
LinearLayout pseudoInverse(const LinearLayout &layout);

/// Maps each input of `from` to an input of `to` with the same element: the X with to(X(x)) = from(x). None if `to`
/// lacks some of `from`'s elements.
std::optional<LinearLayout> relate(const LinearLayout &from, const LinearLayout &to);

/// The layout restricted to the given inputs (the others at 0) and projected to the given outputs, in this order.
LinearLayout sublayout(const LinearLayout &layout, const std::vector<std::string_view> &ins,
                       const std::vector<std::string_view> &outs);

/// The sum of both maps on the concatenation of their inputs. The outputs are `left`'s, extended to hold `right`'s.
LinearLayout concatIns(const LinearLayout &left, const LinearLayout &right);

/// The concatenation of the outputs of two layouts with the same inputs.
LinearLayout concatOuts(const LinearLayout &left, const LinearLayout &right);

/// For each input dimension, in order, the bits whose columns depend on those of the bits before them: they add no new
/// elements, only replicas.
std::vector<uint64_t> freeBits(const LinearLayout &layout);

/// The layout without the given bits of an input dimension.
LinearLayout dropInBits(const LinearLayout &layout, std::string_view in, uint64_t bits);

/// The layout of the part of a tile with the coordinates 0 to `size` - 1 along `out`. The tile is cut into such parts;
/// some bits of a register's number must tell to which part its element belongs, and nothing else may. Returns nothing
/// otherwise.
std::optional<LinearLayout> firstPart(const LinearLayout &layout, std::string_view out, int64_t size);

/// The layout with its outputs renamed, in their order.
LinearLayout renameOuts(const LinearLayout &layout, const std::vector<std::string> &names);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_ALGEBRA_H
