#include "tilewright/Layout/Shape.h"

#include "tilewright/Layout/Algebra.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace tilewright::layout {

LinearLayout unitTile(int rank) {
  std::vector<Dim> ins, outs;
  for (std::string_view name : {kRegister, kLane, kWarp, kBlock}) {
    ins.push_back({std::string(name), 0});
  }
  for (int i = 0; i < rank; ++i) {
    outs.push_back({dimName(i), 0});
  }
  return {std::move(ins), std::move(outs), {}};
}

Shape shapeOf(const LinearLayout &layout) {
  Shape shape;
  for (const Dim &dim : layout.outs()) {
    shape.push_back(dim.size());
  }
  return shape;
}

Order rowMajorOrder(int rank) {
  Order order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

/// Reduces outputs to the size of the shape; larger coordinates wrap around.
static LinearLayout cutToShape(const LinearLayout &layout, const Shape &shape) {
  std::vector<Dim> outs = layout.outs();
  for (size_t i = 0; i < outs.size(); ++i) {
    outs[i].bits = std::min(outs[i].bits, log2Exact(shape[i]));
  }
  Columns columns;
  for (uint64_t column : layout.columns()) {
    LinearLayout::Point point = layout.unpackOut(column);
    uint64_t packed = 0;
    int start = 0;
    for (size_t i = 0; i < outs.size(); ++i) {
      packed |= static_cast<uint64_t>(point[i] & (outs[i].size() - 1)) << start;
      start += outs[i].bits;
    }
    columns.push_back(packed);
  }
  return {layout.ins(), std::move(outs), std::move(columns)};
}

LinearLayout fitToShape(const LinearLayout &layout, const Shape &shape, const Order &order) {
  assert(shape.size() == layout.outs().size() && order.size() == shape.size() && "one size per dimension");
  LinearLayout fitted = dropRepeatedRegisters(cutToShape(layout, shape));
  for (int dim : order) {
    std::string name = dimName(dim);
    fitted = fitted * LinearLayout::identity(kRegister, name, shape[dim] / fitted.outSize(name));
  }
  return fitted;
}

LinearLayout splitOverBlocks(const LinearLayout &layout, const Shape &counts, const Order &order) {
  LinearLayout split = layout;
  for (int dim : order) {
    split = split * LinearLayout::identity(kBlock, dimName(dim), counts[dim]);
  }
  return split;
}

LinearLayout dropRepeatedRegisters(const LinearLayout &layout) {
  assert(layout.ins().front().name == kRegister && "registers come first in a distributed layout");
  return dropInBits(layout, kRegister, freeBits(layout).front());
}

/// Renames the outputs to dim0, dim1, ... in their order.
static LinearLayout numbered(const LinearLayout &layout) {
  std::vector<std::string> names(layout.outs().size());
  for (size_t i = 0; i < names.size(); ++i) {
    names[i] = dimName(static_cast<int>(i));
  }
  return renameOuts(layout, names);
}

static std::vector<std::string_view> namesOf(const std::vector<Dim> &dims) {
  std::vector<std::string_view> names;
  names.reserve(dims.size());
  for (const Dim &dim : dims) {
    names.push_back(dim.name);
  }
  return names;
}

LinearLayout dropDim(const LinearLayout &layout, int dim) {
  std::vector<std::string_view> outs = namesOf(layout.outs());
  outs.erase(outs.begin() + dim);
  return dropRepeatedRegisters(numbered(sublayout(layout, namesOf(layout.ins()), outs)));
}

LinearLayout insertDim(const LinearLayout &layout, int dim) {
  std::vector<Dim> outs = layout.outs();
  outs.insert(outs.begin() + dim, {"", 0});
  return numbered({layout.ins(), std::move(outs), layout.columns()});
}

LinearLayout transposed(const LinearLayout &layout, const std::vector<int> &permutation) {
  std::vector<std::string> names;
  names.reserve(permutation.size());
  for (int dim : permutation) {
    names.push_back(dimName(dim));
  }
  return numbered(sublayout(layout, namesOf(layout.ins()), {names.begin(), names.end()}));
}

/// Moves the last dimension to the lowest bits, so that a packed point is the row-major index of the element.
static LinearLayout lastDimFirst(const LinearLayout &layout) {
  std::vector<std::string_view> outs = namesOf(layout.outs());
  std::reverse(outs.begin(), outs.end());
  return sublayout(layout, namesOf(layout.ins()), outs);
}

LinearLayout reshaped(const LinearLayout &layout, const Shape &shape) {
  LinearLayout flat = lastDimFirst(layout);
  std::vector<Dim> outs;
  for (size_t i = shape.size(); i-- > 0;) {
    outs.push_back({dimName(static_cast<int>(i)), log2Exact(shape[i])});
  }
  return lastDimFirst({layout.ins(), std::move(outs), flat.columns()});
}

} // namespace tilewright::layout
