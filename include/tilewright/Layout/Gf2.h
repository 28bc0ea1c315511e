// Linear algebra over GF(2): numbers are bits, addition is xor.
//
// A vector is a word of 64 bits. A matrix is the list of its columns, so that
// multiplying it with x is the sum of the columns that x selects:
//
//     columns {0b001, 0b110, 0b011}    row 0: 1 0 1
//                                      row 1: 0 1 1
//     times x = 0b101                  row 2: 0 1 0
//         = 0b001 ^ 0b011 = 0b010

#ifndef TILEWRIGHT_LAYOUT_GF2_H
#define TILEWRIGHT_LAYOUT_GF2_H

#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright::layout {

using Columns = std::vector<uint64_t>;

/// The subspace spanned by a list of vectors, and the representation of its elements as sums of them.
class Span {
public:
  Span() = default;
  explicit Span(const Columns &vectors) { addAll(vectors); }

  /// Adds a vector; returns false if it was in the subspace already.
  bool add(uint64_t vector);
  void addAll(const Columns &vectors);

  bool contains(uint64_t vector) const { return reduce({vector, 0}).vector == 0; }

  /// The added vectors whose sum is `vector`, as a mask: bit i for the i-th.
  std::optional<uint64_t> express(uint64_t vector) const;

  int rank() const { return static_cast<int>(rows.size()); }

private:
  struct Row {
    uint64_t vector;      ///< no two rows have the same highest bit
    uint64_t combination; ///< mask of the added vectors of which it is the sum
  };
  Row reduce(Row row) const;

  std::vector<Row> rows;
  int added = 0;
};

uint64_t multiply(const Columns &matrix, uint64_t vector);

int rank(const Columns &vectors);

/// A basis of the x with matrix * x = 0. It has one vector for every column that depends on the columns before it, with
/// the bit of that column and bits of columns before it.
Columns kernel(const Columns &matrix);

/// A basis of the intersection of the spans of both lists.
Columns intersection(const Columns &left, const Columns &right);

/// G with M G M = M: the inverse if there is one, otherwise a right inverse of a surjective M or a left inverse of an
/// injective M. G is zero on a complement of M's image.
Columns pseudoInverse(const Columns &matrix, int rows);

/// A maximal subspace C of span(space) whose intersections with span(left) and span(right) are {0}. Its dimension is
/// dim(space) - max(dim(left), dim(right)):
///
///     left  = common + {u1, u2}     C = {u1 + w1} + a complement of both
///     right = common + {w1}
Columns commonComplement(const Columns &space, const Columns &left, const Columns &right);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_GF2_H
