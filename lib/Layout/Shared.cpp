#include "tilewright/Layout/Shared.h"

#include "tilewright/Layout/Algebra.h"

#include <algorithm>
#include <cassert>

namespace tilewright::layout {

static std::vector<Dim> dimsOf(const Shape &shape) {
  std::vector<Dim> dims;
  dims.reserve(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    dims.push_back({dimName(static_cast<int>(i)), log2Exact(shape[i])});
  }
  return dims;
}

LinearLayout swizzled(const Shape &shape, const Order &order, const Swizzle &swizzle) {
  std::vector<LinearLayout::Point> points;
  for (size_t i = 0; i < order.size(); ++i) {
    for (int64_t value = 1; value < shape[order[i]]; value *= 2) {
      LinearLayout::Point point(shape.size());
      point[order[i]] = value;
      if (i == 1) {
        int64_t phase = value / swizzle.perPhase % swizzle.maxPhase;
        point[order[0]] = phase * swizzle.vec % shape[order[0]];
      }
      points.push_back(std::move(point));
    }
  }
  return LinearLayout::fromBases({{std::string(kOffset), std::move(points)}}, dimsOf(shape));
}

LinearLayout inOrderOfThreads(const LinearLayout &distributed, const VectorAccess &vector) {
  Columns registers = distributed.columnsOf(kRegister), columns;
  for (int bit : vector.registerBits) {
    columns.push_back(registers[bit]);
  }
  for (std::string_view in : {kLane, kWarp}) {
    Columns part = distributed.columnsOf(in);
    columns.insert(columns.end(), part.begin(), part.end());
  }
  std::vector<uint64_t> replicas = freeBits(distributed);
  assert(replicas[1] == 0 && replicas[2] == 0 && "several threads hold an element");
  for (size_t bit = 0; bit < registers.size(); ++bit) {
    bool isInVector =
        std::find(vector.registerBits.begin(), vector.registerBits.end(), bit) != vector.registerBits.end();
    if (!isInVector && (replicas[0] >> bit & 1) == 0) {
      columns.push_back(registers[bit]);
    }
  }
  int bits = static_cast<int>(columns.size());
  return {{{std::string(kOffset), bits}}, distributed.outs(), std::move(columns)};
}

LinearLayout nvmmaShared(const Shape &shape, int elementBits, int swizzleBytes, bool transposed) {
  int rank = static_cast<int>(shape.size());
  Order order = rowMajorOrder(rank);
  if (transposed) {
    std::swap(order[0], order[1]);
  }
  int contiguous = order[0];
  int64_t width = int64_t(8) * swizzleBytes / elementBits, chunk = int64_t(8) * 16 / elementBits;
  assert(shape[contiguous] >= width && "a row is at least as long as the swizzle");
  int64_t perPhase = 128 / swizzleBytes, maxPhase = swizzleBytes / 16;

  std::vector<LinearLayout::Point> points;
  auto add = [&](int dim, int64_t value, int64_t xorMask) {
    LinearLayout::Point point(shape.size());
    point[dim] = value;
    point[contiguous] ^= xorMask;
    points.push_back(std::move(point));
  };
  for (int64_t value = 1; value < width; value *= 2) {
    add(contiguous, value, 0);
  }
  int64_t row = 1;
  for (int i = 1; i < rank; ++i) {
    for (int64_t value = 1; value < shape[order[i]]; value *= 2, row *= 2) {
      add(order[i], value, row / perPhase % maxPhase * chunk);
    }
  }
  for (int64_t value = width; value < shape[contiguous]; value *= 2) {
    add(contiguous, value, 0);
  }
  return LinearLayout::fromBases({{std::string(kOffset), std::move(points)}}, dimsOf(shape));
}

LinearLayout offsetsOf(const LinearLayout &distributed, const LinearLayout &shared) {
  std::vector<std::string_view> outs;
  for (const Dim &dim : distributed.outs()) {
    outs.push_back(dim.name);
  }
  LinearLayout ofBlock = sublayout(distributed, {kRegister, kLane, kWarp}, outs);
  return compose(pseudoInverse(shared), ofBlock);
}

int64_t offsetOf(const LinearLayout::Point &element, const LinearLayout &shared) {
  LinearLayout inverse = pseudoInverse(shared);
  return static_cast<int64_t>(inverse.apply(inverse.packIn(element)));
}

} // namespace tilewright::layout
