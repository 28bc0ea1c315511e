// A layout maps hardware locations to the elements of a tile. It is a linear map over GF(2): from (register, lane,
// warp, block) to coordinates (dim0, dim1, ...) for a tile distributed over threads, from (offset) to coordinates for
// shared memory.
//
// "Linear" means that the values at the powers of two, the bases, determine the map: L(a ^ b) = L(a) ^ L(b). For
// example, a 4 x 4 tile on 4 lanes with 4 registers each, in which every lane holds a 2 x 2 square (T1:2 is lane 1,
// register 2):
//
//             dim1 0    1    2    3
//     dim0 0    T0:0 T0:1 T1:0 T1:1        register 1 -> (0, 1)    lane 1 -> (0, 2)
//          1    T0:2 T0:3 T1:2 T1:3        register 2 -> (1, 0)    lane 2 -> (2, 0)
//          2    T2:0 T2:1 T3:0 T3:1
//          3    T2:2 T2:3 T3:2 T3:3        L(register 3, lane 1) = (0,1) ^ (1,0) ^ (0,2) = (1, 3)
//
// Bases that are not unit vectors swizzle: offset 8 -> (1, 4) with offset 4 -> (0, 4) exchanges the two halves of every
// odd row. A zero basis means replicas: with basis (0, 0) for a lane bit, pairs of lanes hold the same elements.
//
// Algebra.h has the product of independent layouts, division, composition and inverses. All sizes are powers of two and
// are stored as numbers of bits.

#ifndef TILEWRIGHT_LAYOUT_LINEARLAYOUT_H
#define TILEWRIGHT_LAYOUT_LINEARLAYOUT_H

#include "tilewright/Layout/Gf2.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::layout {

inline constexpr std::string_view kRegister = "register";
inline constexpr std::string_view kLane = "lane";
inline constexpr std::string_view kWarp = "warp";
inline constexpr std::string_view kBlock = "block";
inline constexpr std::string_view kOffset = "offset";

/// "dim0", "dim1", ...
std::string dimName(int index);

/// A named dimension of 2^bits points.
struct Dim {
  std::string name;
  int bits = 0;

  int64_t size() const { return int64_t(1) << bits; }
  bool operator==(const Dim &other) const { return name == other.name && bits == other.bits; }
};

/// The binary logarithm of a power of two.
int log2Exact(int64_t size);

class LinearLayout {
public:
  using Point = std::vector<int64_t>; ///< one coordinate per dimension, in their order
  /// For each input dimension, the coordinates of each of its bits, lowest first.
  using Bases = std::vector<std::pair<std::string, std::vector<Point>>>;

  /// The map from one point to one point, the neutral element of products.
  LinearLayout() = default;

  /// From columns, one per bit of the inputs. Both inputs and outputs have their first dimension in the low bits.
  LinearLayout(std::vector<Dim> ins, std::vector<Dim> outs, Columns columns);

  /// For instance {{"lane", {{0, 2}, {2, 0}}}} to {{"dim0", 2}, {"dim1", 2}}.
  static LinearLayout fromBases(const Bases &bases, std::vector<Dim> outs);

  /// Maps 0, 1, 2, ... of `in` to 0, 1, 2, ... of `out`.
  static LinearLayout identity(std::string_view in, std::string_view out, int64_t size);

  /// Maps all of `in` to 0 of `out`: replicas.
  static LinearLayout zeros(std::string_view in, int64_t size, std::string_view out);

  const std::vector<Dim> &ins() const { return inDims; }
  const std::vector<Dim> &outs() const { return outDims; }
  const Columns &columns() const { return matrix; }

  /// The bits of a dimension; 0 if the layout does not have it.
  int inBits(std::string_view name) const;
  int outBits(std::string_view name) const;
  int64_t inSize(std::string_view name) const { return int64_t(1) << inBits(name); }
  int64_t outSize(std::string_view name) const { return int64_t(1) << outBits(name); }
  int totalInBits() const { return static_cast<int>(matrix.size()); }
  int totalOutBits() const;

  /// The first bit of a dimension in a packed input or output.
  int inStart(std::string_view name) const;
  int outStart(std::string_view name) const;

  /// The columns of one input dimension; empty if the layout does not have it.
  Columns columnsOf(std::string_view in) const;

  /// The coordinate along `out` of bit `bit` of `in`.
  int64_t basis(std::string_view in, int bit, std::string_view out) const;

  /// The image of a packed input, packed.
  uint64_t apply(uint64_t in) const { return multiply(matrix, in); }

  /// The image of a point, with coordinates in the order of ins() and outs().
  Point operator()(const Point &in) const;

  uint64_t packIn(const Point &in) const;
  Point unpackOut(uint64_t out) const;

  bool isSurjective() const { return rank(matrix) == totalOutBits(); }
  bool isInjective() const { return rank(matrix) == totalInBits(); }
  bool isInvertible() const { return isSurjective() && isInjective(); }

  /// The same map on the same dimensions in the same order.
  bool operator==(const LinearLayout &other) const;
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }

  /// One line per input dimension:
  ///
  ///     (register:4, lane:4) -> (dim0:4, dim1:4)
  ///       register  1 -> (0, 1)  2 -> (1, 0)
  ///       lane      1 -> (0, 2)  2 -> (2, 0)
  std::string toString() const;

private:
  std::vector<Dim> inDims, outDims;
  Columns matrix;
};

/// Repacks coordinates from the dimensions `from` to the dimensions `to`. Dimensions missing in `to` are dropped, those
/// missing in `from` are 0.
uint64_t repack(uint64_t packed, const std::vector<Dim> &from, const std::vector<Dim> &to);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_LINEARLAYOUT_H
