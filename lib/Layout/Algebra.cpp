#include "tilewright/Layout/Algebra.h"

#include <algorithm>
#include <cassert>

namespace tilewright::layout {

static bool has(const std::vector<Dim> &dims, std::string_view name) {
  return std::any_of(dims.begin(), dims.end(), [&](const Dim &dim) { return dim.name == name; });
}

/// The union of both lists; a dimension in both has the bits of both.
static std::vector<Dim> stack(const std::vector<Dim> &low, const std::vector<Dim> &high) {
  std::vector<Dim> dims = low;
  for (const Dim &dim : high) {
    auto same = std::find_if(dims.begin(), dims.end(), [&](const Dim &other) { return other.name == dim.name; });
    if (same == dims.end()) {
      dims.push_back(dim);
    } else {
      same->bits += dim.bits;
    }
  }
  return dims;
}

/// Moves the packed coordinates of `high` above those of `low` in a product.
static uint64_t lift(uint64_t packed, const LinearLayout &low, const LinearLayout &high, const std::vector<Dim> &outs) {
  LinearLayout::Point point = high.unpackOut(packed);
  uint64_t lifted = 0;
  int start = 0;
  for (const Dim &dim : outs) {
    for (size_t i = 0; i < point.size(); ++i) {
      if (high.outs()[i].name == dim.name) {
        lifted |= static_cast<uint64_t>(point[i]) << (start + low.outBits(dim.name));
      }
    }
    start += dim.bits;
  }
  return lifted;
}

LinearLayout operator*(const LinearLayout &low, const LinearLayout &high) {
  std::vector<Dim> ins = stack(low.ins(), high.ins()), outs = stack(low.outs(), high.outs());
  Columns columns;
  for (const Dim &in : ins) {
    for (uint64_t column : low.columnsOf(in.name)) {
      columns.push_back(repack(column, low.outs(), outs));
    }
    for (uint64_t column : high.columnsOf(in.name)) {
      columns.push_back(lift(column, low, high, outs));
    }
  }
  return {std::move(ins), std::move(outs), std::move(columns)};
}

/// The same map with its dimensions in the order of `model`.
static LinearLayout inOrderOf(const LinearLayout &model, const LinearLayout &layout) {
  Columns columns;
  for (const Dim &in : model.ins()) {
    for (uint64_t column : layout.columnsOf(in.name)) {
      columns.push_back(repack(column, layout.outs(), model.outs()));
    }
  }
  return {model.ins(), model.outs(), std::move(columns)};
}

static bool fits(const std::vector<Dim> &part, const std::vector<Dim> &whole) {
  return std::all_of(part.begin(), part.end(), [&](const Dim &dim) {
    return std::any_of(whole.begin(), whole.end(),
                       [&](const Dim &other) { return other.name == dim.name && other.bits >= dim.bits; });
  });
}

/// `dims` without the bits of `part`.
static std::vector<Dim> without(std::vector<Dim> dims, const std::vector<Dim> &part) {
  for (Dim &dim : dims) {
    for (const Dim &other : part) {
      dim.bits -= other.name == dim.name ? other.bits : 0;
    }
  }
  return dims;
}

/// Removes `part` from the low or high bits of every dimension. The caller must check the product.
static LinearLayout remainder(const LinearLayout &whole, const LinearLayout &part, bool partIsLow) {
  std::vector<Dim> ins = without(whole.ins(), part.ins()), outs = without(whole.outs(), part.outs());
  Columns columns;
  for (const Dim &in : ins) {
    Columns all = whole.columnsOf(in.name);
    auto first = all.begin() + (partIsLow ? part.inBits(in.name) : 0);
    for (auto column = first; column != first + in.bits; ++column) {
      LinearLayout::Point point = whole.unpackOut(*column);
      uint64_t packed = 0;
      int start = 0;
      for (size_t i = 0; i < outs.size(); ++i) {
        uint64_t value = point[i] >> (partIsLow ? part.outBits(outs[i].name) : 0);
        packed |= (value & (outs[i].size() - 1)) << start;
        start += outs[i].bits;
      }
      columns.push_back(packed);
    }
  }
  return {std::move(ins), std::move(outs), std::move(columns)};
}

std::optional<LinearLayout> divideLeft(const LinearLayout &whole, const LinearLayout &low) {
  if (!fits(low.ins(), whole.ins()) || !fits(low.outs(), whole.outs())) {
    return std::nullopt;
  }
  LinearLayout high = remainder(whole, low, true);
  return inOrderOf(whole, low * high) == whole ? std::optional(high) : std::nullopt;
}

std::optional<LinearLayout> divideRight(const LinearLayout &whole, const LinearLayout &high) {
  if (!fits(high.ins(), whole.ins()) || !fits(high.outs(), whole.outs())) {
    return std::nullopt;
  }
  LinearLayout low = remainder(whole, high, false);
  return inOrderOf(whole, low * high) == whole ? std::optional(low) : std::nullopt;
}

LinearLayout compose(const LinearLayout &outer, const LinearLayout &inner) {
  Columns columns;
  for (uint64_t column : inner.columns()) {
    columns.push_back(outer.apply(repack(column, inner.outs(), outer.ins())));
  }
  return {inner.ins(), outer.outs(), std::move(columns)};
}

LinearLayout pseudoInverse(const LinearLayout &layout) {
  return {layout.outs(), layout.ins(), pseudoInverse(layout.columns(), layout.totalOutBits())};
}

std::optional<LinearLayout> relate(const LinearLayout &from, const LinearLayout &to) {
  LinearLayout relation = compose(pseudoInverse(to), from);
  for (int bit = 0; bit < from.totalInBits(); ++bit) {
    if (to.apply(relation.columns()[bit]) != repack(from.columns()[bit], from.outs(), to.outs())) {
      return std::nullopt;
    }
  }
  return relation;
}

LinearLayout sublayout(const LinearLayout &layout, const std::vector<std::string_view> &ins,
                       const std::vector<std::string_view> &outs) {
  std::vector<Dim> inDims, outDims;
  for (std::string_view out : outs) {
    outDims.push_back({std::string(out), layout.outBits(out)});
  }
  Columns columns;
  for (std::string_view in : ins) {
    inDims.push_back({std::string(in), layout.inBits(in)});
    for (uint64_t column : layout.columnsOf(in)) {
      columns.push_back(repack(column, layout.outs(), outDims));
    }
  }
  return {std::move(inDims), std::move(outDims), std::move(columns)};
}

LinearLayout concatIns(const LinearLayout &left, const LinearLayout &right) {
  std::vector<Dim> outs = left.outs();
  for (const Dim &dim : right.outs()) {
    auto same = std::find_if(outs.begin(), outs.end(), [&](const Dim &other) { return other.name == dim.name; });
    if (same == outs.end()) {
      outs.push_back(dim);
    } else {
      same->bits = std::max(same->bits, dim.bits);
    }
  }
  std::vector<Dim> ins = left.ins();
  Columns columns;
  for (uint64_t column : left.columns()) {
    columns.push_back(repack(column, left.outs(), outs));
  }
  for (const Dim &in : right.ins()) {
    assert(!has(ins, in.name) && "the inputs of the two are different");
    ins.push_back(in);
  }
  for (uint64_t column : right.columns()) {
    columns.push_back(repack(column, right.outs(), outs));
  }
  return {std::move(ins), std::move(outs), std::move(columns)};
}

LinearLayout concatOuts(const LinearLayout &left, const LinearLayout &right) {
  assert(left.ins() == right.ins() && "both map the same inputs");
  std::vector<Dim> outs = left.outs();
  outs.insert(outs.end(), right.outs().begin(), right.outs().end());
  Columns columns = left.columns();
  for (size_t i = 0; i < columns.size(); ++i) {
    columns[i] |= right.columns()[i] << left.totalOutBits();
  }
  return {left.ins(), std::move(outs), std::move(columns)};
}

std::vector<uint64_t> freeBits(const LinearLayout &layout) {
  std::vector<uint64_t> result;
  Span span;
  for (const Dim &in : layout.ins()) {
    uint64_t bits = 0, bit = 1;
    for (uint64_t column : layout.columnsOf(in.name)) {
      bits |= span.add(column) ? 0 : bit;
      bit <<= 1;
    }
    result.push_back(bits);
  }
  return result;
}

LinearLayout dropInBits(const LinearLayout &layout, std::string_view in, uint64_t bits) {
  std::vector<Dim> ins = layout.ins();
  Columns columns;
  for (Dim &dim : ins) {
    Columns all = layout.columnsOf(dim.name);
    for (size_t bit = 0; bit < all.size(); ++bit) {
      if (dim.name == in && (bits >> bit & 1)) {
        --dim.bits;
      } else {
        columns.push_back(all[bit]);
      }
    }
  }
  return {std::move(ins), layout.outs(), std::move(columns)};
}

std::optional<LinearLayout> firstPart(const LinearLayout &layout, std::string_view out, int64_t size) {
  uint64_t outside = static_cast<uint64_t>(layout.outSize(out) - size) << layout.outStart(out);
  uint64_t dropped = 0;
  for (const Dim &in : layout.ins()) {
    Columns columns = layout.columnsOf(in.name);
    for (size_t bit = 0; bit < columns.size(); ++bit) {
      if ((columns[bit] & outside) == 0) {
        continue;
      }
      bool isPlain = (columns[bit] & (columns[bit] - 1)) == 0; // else it moves elements within the part, too
      if (in.name != kRegister || !isPlain) {
        return std::nullopt;
      }
      dropped |= uint64_t(1) << bit;
    }
  }
  LinearLayout kept = dropInBits(layout, kRegister, dropped);
  std::vector<Dim> outs = layout.outs();
  for (Dim &dim : outs) {
    dim.bits = dim.name == out ? log2Exact(size) : dim.bits;
  }
  Columns columns = kept.columns();
  for (uint64_t &column : columns) {
    column = repack(column, kept.outs(), outs);
  }
  return LinearLayout(kept.ins(), std::move(outs), std::move(columns));
}

LinearLayout renameOuts(const LinearLayout &layout, const std::vector<std::string> &names) {
  assert(names.size() == layout.outs().size() && "one name per output");
  std::vector<Dim> outs = layout.outs();
  for (size_t i = 0; i < outs.size(); ++i) {
    outs[i].name = names[i];
  }
  return {layout.ins(), std::move(outs), layout.columns()};
}

} // namespace tilewright::layout
