#include "tilewright/Layout/Gf2.h"

#include <algorithm>
#include <cassert>

namespace tilewright::layout {

static int highestBit(uint64_t vector) { return 63 - __builtin_clzll(vector); }

// Rows are in descending order of their highest bits.
Span::Row Span::reduce(Row row) const {
  for (const Row &basis : rows) {
    if (row.vector >> highestBit(basis.vector) & 1) {
      row.vector ^= basis.vector;
      row.combination ^= basis.combination;
    }
  }
  return row;
}

bool Span::add(uint64_t vector) {
  Row row = reduce({vector, added < 64 ? uint64_t(1) << added : 0});
  ++added;
  if (row.vector == 0) {
    return false;
  }
  auto above = [&](const Row &other) { return other.vector > row.vector; };
  rows.insert(std::find_if_not(rows.begin(), rows.end(), above), row);
  return true;
}

void Span::addAll(const Columns &vectors) {
  for (uint64_t vector : vectors) {
    add(vector);
  }
}

std::optional<uint64_t> Span::express(uint64_t vector) const {
  assert(added <= 64 && "a combination is a word of 64 bits");
  Row row = reduce({vector, 0});
  if (row.vector != 0) {
    return std::nullopt;
  }
  return row.combination;
}

uint64_t multiply(const Columns &matrix, uint64_t vector) {
  uint64_t sum = 0;
  for (; vector != 0; vector &= vector - 1) {
    sum ^= matrix[__builtin_ctzll(vector)];
  }
  return sum;
}

int rank(const Columns &vectors) { return Span(vectors).rank(); }

Columns kernel(const Columns &matrix) {
  Columns basis;
  Span span;
  for (size_t i = 0; i < matrix.size(); ++i) {
    if (std::optional<uint64_t> combination = span.express(matrix[i])) {
      basis.push_back(*combination | uint64_t(1) << i);
    }
    span.add(matrix[i]);
  }
  return basis;
}

Columns intersection(const Columns &left, const Columns &right) {
  Columns both = left;
  both.insert(both.end(), right.begin(), right.end());
  uint64_t ofLeft = (uint64_t(1) << left.size()) - 1;
  Columns basis;
  Span span;
  for (uint64_t relation : kernel(both)) {
    uint64_t vector = multiply(left, relation & ofLeft);
    if (span.add(vector)) {
      basis.push_back(vector);
    }
  }
  return basis;
}

Columns pseudoInverse(const Columns &matrix, int rows) {
  // A basis of the codomain: the independent columns of the matrix, completed by unit vectors.
  Span basis(matrix);
  for (int row = 0; row < rows; ++row) {
    basis.add(uint64_t(1) << row);
  }
  uint64_t ofMatrix = (uint64_t(1) << matrix.size()) - 1;
  Columns inverse;
  for (int row = 0; row < rows; ++row) {
    inverse.push_back(basis.express(uint64_t(1) << row).value_or(0) & ofMatrix);
  }
  return inverse;
}

/// Adds `vectors` to `span` and returns those that it did not contain before.
static Columns extend(Span &span, const Columns &vectors) {
  Columns fresh;
  for (uint64_t vector : vectors) {
    if (span.add(vector)) {
      fresh.push_back(vector);
    }
  }
  return fresh;
}

Columns commonComplement(const Columns &space, const Columns &left, const Columns &right) {
  Columns common = intersection(left, right);
  Span ofLeft(common), ofRight(common), ofBoth;
  Columns onlyLeft = extend(ofLeft, left), onlyRight = extend(ofRight, right);
  ofBoth.addAll(left);
  ofBoth.addAll(right);
  Columns complement = extend(ofBoth, space);
  for (size_t i = 0; i < std::min(onlyLeft.size(), onlyRight.size()); ++i) {
    complement.push_back(onlyLeft[i] ^ onlyRight[i]);
  }
  return complement;
}

} // namespace tilewright::layout
