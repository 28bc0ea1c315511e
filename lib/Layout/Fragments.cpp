#include "tilewright/Layout/Fragments.h"

#include "tilewright/Layout/Algebra.h"

#include <algorithm>
#include <cassert>

namespace tilewright::layout {

static LinearLayout along(std::string_view in, int dim, int64_t size) {
  return LinearLayout::identity(in, dimName(dim), size);
}

/// (word, 4 lanes) along `minor`, 8 lanes along `major`, then registers over the rest.
static LinearLayout fragment(int minor, int64_t word, Shape shape, int firstRepeated) {
  int major = 1 - minor;
  LinearLayout core = along(kRegister, minor, word) * along(kLane, minor, 4) * along(kLane, major, 8);
  LinearLayout tile = unitTile(2) * core;
  assert(shape[minor] % (4 * word) == 0 && shape[major] % 8 == 0 && "fragments consist of 8 x 4 words");
  return fitToShape(tile, shape, {firstRepeated, 1 - firstRepeated});
}

LinearLayout mmaFragment(Operand operand, MmaShape shape, int elementBits) {
  int64_t word = std::max(1, 32 / elementBits);
  switch (operand) {
  case Operand::A:
    return fragment(1, word, {shape.m, shape.k}, 0);
  case Operand::B:
    return fragment(0, word, {shape.k, shape.n}, 0);
  case Operand::C:
    return fragment(1, 2, {shape.m, shape.n}, 0);
  }
  return {};
}

LinearLayout wgmmaFragment(Operand operand, MmaShape shape, int elementBits) {
  assert(operand != Operand::B && "wgmma reads B from shared memory");
  assert(shape.m == 64 && "a warp group computes 64 rows");
  return mmaFragment(operand, {16, shape.n, shape.k}, elementBits) * along(kWarp, 0, 4);
}

/// Distributes warps over the operand; those along the dimension that the operand lacks hold replicas.
static LinearLayout spreadWarps(Operand operand, const Shape &warps, const Order &order) {
  LinearLayout spread;
  for (int dim : order) {
    bool lacks = (operand == Operand::A && dim == 1) || (operand == Operand::B && dim == 0);
    spread = spread * (lacks ? LinearLayout::zeros(kWarp, warps[dim], dimName(dim)) : along(kWarp, dim, warps[dim]));
  }
  return spread;
}

LinearLayout mmaOperand(Operand operand, const LinearLayout &fragment, const Shape &shape, const Shape &warps,
                        const Order &warpOrder) {
  Order registers = operand == Operand::B ? Order{0, 1} : Order{1, 0};
  return fitToShape(fragment * spreadWarps(operand, warps, warpOrder), shape, registers);
}

LinearLayout wgmmaOperand(Operand operand, const LinearLayout &fragment, const Shape &shape, const Shape &warps) {
  assert(warps[0] % 4 == 0 && "warp groups stand on top of each other");
  return mmaOperand(operand, fragment, shape, {warps[0] / 4, warps[1]}, {0, 1});
}

} // namespace tilewright::layout
