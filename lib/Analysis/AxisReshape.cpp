// Axis properties of reshapes. The elements stay in row-major order, so a run along the innermost dimension is a run in
// that order:
//
//     tensor<8x16>  ->  tensor<8x4x4>       dimensions with equal products are matched:
//      |   '---.         |  '----.          8 with 8, and 16 with 4x4; properties of a matched
//      8       16        8       4x4        pair carry over, runs of 16 are cut into 4 by 4

#include "tilewright/Analysis/AxisTransfer.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilewright;

namespace {
/// Dimensions [begin, end) on each side with the same number of elements.
struct Match {
  unsigned srcBegin, srcEnd, begin, end;
};
} // namespace

static SmallVector<Match> matchDimensions(ArrayRef<int64_t> src, ArrayRef<int64_t> dst) {
  SmallVector<Match> matches;
  unsigned s = 0, d = 0;
  while (s < src.size() || d < dst.size()) {
    Match match{s, s, d, d};
    int64_t srcSize = 1, size = 1;
    do {
      if (match.end == dst.size() || (srcSize < size && match.srcEnd < src.size())) {
        srcSize *= src[match.srcEnd++];
      } else if (match.srcEnd == src.size() || size < srcSize) {
        size *= dst[match.end++];
      } else {
        srcSize *= src[match.srcEnd++];
        size *= dst[match.end++];
      }
    } while (srcSize != size);
    matches.push_back(match);
    s = match.srcEnd;
    d = match.end;
  }
  return matches;
}

/// The properties of matched dimensions as one dimension in row-major order: the runs of the innermost one. If equal
/// values fill a dimension, the constancy continues in the next one.
static AxisProperties linearProperties(const AxisInfo &src, ArrayRef<int64_t> shape, Match match) {
  AxisProperties fact;
  fact.divisibility = src.getDivisibilityOfAll();
  bool isInnermost = true;
  int64_t inner = 1;
  for (unsigned dim = match.srcEnd; dim-- > match.srcBegin;) {
    if (shape[dim] == 1) {
      continue;
    }
    if (isInnermost) {
      fact = src[dim];
      isInnermost = false;
    } else if (fact.constancy == inner) {
      fact.constancy = inner * src[dim].constancy;
    }
    inner *= shape[dim];
  }
  return fact;
}

AxisInfo axis::reshape(const AxisInfo &src, Type srcType, Type type) {
  if (src.getConstant()) {
    return AxisInfo::constant(type, *src.getConstant());
  }
  ArrayRef<int64_t> from = tile::getShape(srcType), to = tile::getShape(type);
  AxisProperties single;
  single.divisibility = src.getDivisibilityOfAll();
  SmallVector<AxisProperties> properties(std::max<size_t>(to.size(), 1), single);
  for (Match match : matchDimensions(from, to)) {
    AxisProperties linear = linearProperties(src, from, match);
    int64_t stride = 1;
    for (unsigned dim = match.end; dim-- > match.begin;) {
      // Positions along an outer dimension are `stride` apart in a run.
      properties[dim].constancy = powerOfTwoIn(stride) == stride ? std::max<int64_t>(linear.constancy / stride, 1) : 1;
      if (stride == 1) {
        properties[dim].contiguity = linear.contiguity;
        properties[dim].divisibility = std::max(linear.divisibility, single.divisibility);
      }
      stride *= to[dim];
    }
  }
  return AxisInfo(type, properties, src.mayWrap());
}
