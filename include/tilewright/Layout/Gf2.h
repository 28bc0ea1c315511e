// Linear algebra over GF(2): numbers are bits, + is exclusive or.
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

/// The subspace that some vectors span, and how each of its elements is a sum of them.
class Span {
public:
  Span() = default;
  explicit Span(const Columns &vectors) { addAll(vectors); }

  /// Adds a vector; false where the others already span it.
  bool add(uint64_t vector);
  void addAll(const Columns &vectors);

  bool contains(uint64_t vector) const { return reduce({vector, 0}).vector == 0; }

  /// Which of the added vectors sum up to `vector`: bit i stands for the i-th.
  std::optional<uint64_t> express(uint64_t vector) const;

  int rank() const { return static_cast<int>(rows.size()); }

private:
  struct Row {
    uint64_t vector;      ///< no two rows have the same highest bit
    uint64_t combination; ///< the added vectors it is the sum of
  };
  Row reduce(Row row) const;

  std::vector<Row> rows;
  int added = 0;
};

uint64_t multiply(const Columns &matrix, uint64_t vector);

int rank(const Columns &vectors);

/// A basis of the x with matrix * x = 0. There is one for every column that the
/// columns before it span: that column's bit, and bits of columns before it.
Columns kernel(const Columns &matrix);

/// A basis of what both lists span.
Columns intersection(const Columns &left, const Columns &right);

/// G with M G M = M: the inverse where there is one, else a right inverse of a
/// surjective and a left inverse of an injective M. G is zero on a complement of M's image.
Columns pseudoInverse(const Columns &matrix, int rows);

/// A largest C that meets neither span(left) nor span(right) except in 0, inside
/// span(space). Its dimension is dim(space) - max(dim(left), dim(right)):
///
///     left  = common + {u1, u2}     C = {u1 + w1} + what neither spans
///     right = common + {w1}
Columns commonComplement(const Columns &space, const Columns &left, const Columns &right);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_GF2_H
