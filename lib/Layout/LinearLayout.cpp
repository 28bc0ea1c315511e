#include "tilewright/Layout/LinearLayout.h"

#include <algorithm>
#include <cassert>

namespace tilewright::layout {

std::string dimName(int index) { return "dim" + std::to_string(index); }

int log2Exact(int64_t size) {
  assert(size > 0 && (size & (size - 1)) == 0 && "sizes are powers of two");
  return __builtin_ctzll(size);
}

static int bitsOf(const std::vector<Dim> &dims, std::string_view name) {
  for (const Dim &dim : dims) {
    if (dim.name == name) {
      return dim.bits;
    }
  }
  return 0;
}

static int startOf(const std::vector<Dim> &dims, std::string_view name) {
  int start = 0;
  for (const Dim &dim : dims) {
    if (dim.name == name) {
      return start;
    }
    start += dim.bits;
  }
  return start;
}

static int totalBits(const std::vector<Dim> &dims) {
  int bits = 0;
  for (const Dim &dim : dims) {
    bits += dim.bits;
  }
  return bits;
}

static uint64_t pack(const LinearLayout::Point &point, const std::vector<Dim> &dims) {
  assert(point.size() == dims.size() && "one coordinate per dimension");
  uint64_t packed = 0;
  int start = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    assert(point[i] >= 0 && point[i] < dims[i].size() && "a coordinate lies inside its dimension");
    packed |= static_cast<uint64_t>(point[i]) << start;
    start += dims[i].bits;
  }
  return packed;
}

static LinearLayout::Point unpack(uint64_t packed, const std::vector<Dim> &dims) {
  LinearLayout::Point point;
  for (const Dim &dim : dims) {
    point.push_back(static_cast<int64_t>(packed & (dim.size() - 1)));
    packed >>= dim.bits;
  }
  return point;
}

LinearLayout::LinearLayout(std::vector<Dim> ins, std::vector<Dim> outs, Columns columns)
    : inDims(std::move(ins)), outDims(std::move(outs)), matrix(std::move(columns)) {
  assert(totalBits(inDims) == totalInBits() && "one column per bit of the inputs");
  assert(totalOutBits() < 64 && totalInBits() < 64 && "a packed point is a word of 64 bits");
  assert(std::all_of(matrix.begin(), matrix.end(), [&](uint64_t c) { return c >> totalOutBits() == 0; }));
}

LinearLayout LinearLayout::fromBases(const Bases &bases, std::vector<Dim> outs) {
  std::vector<Dim> ins;
  Columns columns;
  for (const auto &[name, points] : bases) {
    ins.push_back({name, static_cast<int>(points.size())});
    for (const Point &point : points) {
      columns.push_back(pack(point, outs));
    }
  }
  return {std::move(ins), std::move(outs), std::move(columns)};
}

LinearLayout LinearLayout::identity(std::string_view in, std::string_view out, int64_t size) {
  int bits = log2Exact(size);
  Columns columns;
  for (int bit = 0; bit < bits; ++bit) {
    columns.push_back(uint64_t(1) << bit);
  }
  return {{{std::string(in), bits}}, {{std::string(out), bits}}, std::move(columns)};
}

LinearLayout LinearLayout::zeros(std::string_view in, int64_t size, std::string_view out) {
  int bits = log2Exact(size);
  return {{{std::string(in), bits}}, {{std::string(out), 0}}, Columns(bits, 0)};
}

int LinearLayout::inBits(std::string_view name) const { return bitsOf(inDims, name); }
int LinearLayout::outBits(std::string_view name) const { return bitsOf(outDims, name); }
int LinearLayout::inStart(std::string_view name) const { return startOf(inDims, name); }
int LinearLayout::outStart(std::string_view name) const { return startOf(outDims, name); }
int LinearLayout::totalOutBits() const { return totalBits(outDims); }

Columns LinearLayout::columnsOf(std::string_view in) const {
  auto first = matrix.begin() + inStart(in);
  return {first, first + inBits(in)};
}

int64_t LinearLayout::basis(std::string_view in, int bit, std::string_view out) const {
  assert(bit < inBits(in) && "a bit of the dimension");
  return static_cast<int64_t>(matrix[inStart(in) + bit] >> outStart(out) & ((uint64_t(1) << outBits(out)) - 1));
}

LinearLayout::Point LinearLayout::operator()(const Point &in) const { return unpackOut(apply(packIn(in))); }
uint64_t LinearLayout::packIn(const Point &in) const { return pack(in, inDims); }
LinearLayout::Point LinearLayout::unpackOut(uint64_t out) const { return unpack(out, outDims); }

bool LinearLayout::operator==(const LinearLayout &other) const {
  return inDims == other.inDims && outDims == other.outDims && matrix == other.matrix;
}

static std::string listOf(const std::vector<Dim> &dims) {
  std::string text;
  for (const Dim &dim : dims) {
    text += (text.empty() ? "" : ", ") + dim.name + ":" + std::to_string(dim.size());
  }
  return "(" + text + ")";
}

static std::string textOf(const LinearLayout::Point &point) {
  std::string text;
  for (int64_t coordinate : point) {
    text += (text.empty() ? "" : ", ") + std::to_string(coordinate);
  }
  return "(" + text + ")";
}

std::string LinearLayout::toString() const {
  std::string text = listOf(inDims) + " -> " + listOf(outDims) + "\n";
  size_t width = 0;
  for (const Dim &dim : inDims) {
    width = std::max(width, dim.name.size());
  }
  for (const Dim &dim : inDims) {
    if (dim.bits == 0) {
      continue;
    }
    text += "  " + dim.name + std::string(width - dim.name.size(), ' ');
    for (int bit = 0; bit < dim.bits; ++bit) {
      text += "  " + std::to_string(int64_t(1) << bit) + " -> " + textOf(unpackOut(matrix[inStart(dim.name) + bit]));
    }
    text += "\n";
  }
  return text;
}

uint64_t repack(uint64_t packed, const std::vector<Dim> &from, const std::vector<Dim> &to) {
  uint64_t result = 0;
  int start = 0;
  for (const Dim &dim : from) {
    uint64_t value = packed >> start & ((uint64_t(1) << dim.bits) - 1);
    bool wanted = std::any_of(to.begin(), to.end(), [&](const Dim &other) { return other.name == dim.name; });
    assert((!wanted || value >> bitsOf(to, dim.name) == 0) && "a coordinate fits into its new dimension");
    result |= wanted ? value << startOf(to, dim.name) : 0;
    start += dim.bits;
  }
  return result;
}

} // namespace tilewright::layout
