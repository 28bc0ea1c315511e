// A reshape keeps the row-major order of elements. In a padded tile there is padding between them:
//
//     3 x 16 -> 48      a padded 4 x 16 -> 64 has the elements at the same places, 0 to 47
//     16 x 3 -> 48      a padded 16 x 4 -> 64 has padding at 3, 7, ... and needs a gather:
//                       element i is at (i / 3) * 4 + i % 3

#include "Compact.h"

#include "Inside.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::tile {

static SmallVector<int64_t> withoutOnes(ArrayRef<int64_t> shape) {
  return llvm::filter_to_vector(shape, [](int64_t size) { return size != 1; });
}

/// Whether padding rounds up the product of the sizes only once, at the first of them.
static bool isPaddedAtFront(ArrayRef<int64_t> sizes) {
  return llvm::all_of(sizes.drop_front(), [](int64_t size) { return llvm::isPowerOf2_64(size); });
}

/// Whether padding keeps the row-major order of the elements. The dimensions form the smallest groups that have as many
/// elements on both sides, and each group has to be padded at its front.
static bool keepsOrder(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  while (!from.empty() && !to.empty()) {
    size_t i = 1, k = 1;
    int64_t left = from[0], right = to[0];
    while (left != right) {
      left < right ? left *= from[i++] : right *= to[k++];
    }
    if (!isPaddedAtFront(from.take_front(i)) || !isPaddedAtFront(to.take_front(k))) {
      return false;
    }
    from = from.drop_front(i);
    to = to.drop_front(k);
  }
  return true;
}

static Value divide(OpBuilder &builder, Location loc, Value value, int64_t divisor) {
  Value by = splatInteger(builder, loc, getShape(value.getType()), divisor);
  return arith::DivUIOp::create(builder, loc, value, by);
}

static Value multiplyAdd(OpBuilder &builder, Location loc, Value value, int64_t factor, Value sum) {
  Value by = splatInteger(builder, loc, getShape(value.getType()), factor);
  Value product = arith::MulIOp::create(builder, loc, value, by);
  return sum ? arith::AddIOp::create(builder, loc, sum, product).getResult() : product;
}

/// Converts row-major numbers of positions in a shape `from` to those of the same coordinates in a shape `to`.
static Value renumber(OpBuilder &builder, Location loc, Value number, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  Value sum;
  int64_t stride = 1;
  for (int64_t dim = from.size() - 1; dim >= 0; --dim) {
    Value rest = divide(builder, loc, number, from[dim]);
    Value coordinate = multiplyAdd(builder, loc, rest, -from[dim], number);
    sum = multiplyAdd(builder, loc, coordinate, stride, sum);
    stride *= to[dim];
    number = rest;
  }
  return sum;
}

/// Zero in the padding, where an index may be anything.
static Value boundIndices(OpBuilder &builder, Location loc, Value inside, Value indices) {
  return selectInside(builder, loc, inside, indices, builder.getI32IntegerAttr(0));
}

void keepElements(ReshapeOp reshape, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  if (keepsOrder(withoutOnes(from), withoutOnes(to))) {
    return;
  }
  OpBuilder builder(reshape);
  Location loc = reshape.getLoc();
  SmallVector<int64_t> paddedFrom = padded(from), paddedTo = padded(to);
  auto srcType = cast<RankedTensorType>(reshape.getSrc().getType());
  Value flat = reshape.getSrc();
  if (srcType.getRank() != 1) {
    flat = ReshapeOp::create(builder, loc, srcType.clone({srcType.getNumElements()}), flat, false);
  }
  int64_t count = cast<RankedTensorType>(reshape.getType()).getNumElements();
  Value position = MakeRangeOp::create(builder, loc, 0, count);
  Value element = renumber(builder, loc, position, paddedTo, to);
  Value source = renumber(builder, loc, element, from, paddedFrom);
  Value inside = isInside(builder, loc, to);
  auto flatMask = RankedTensorType::get({count}, builder.getI1Type());
  if (to.size() != 1) {
    inside = ReshapeOp::create(builder, loc, flatMask, inside, false);
  }
  Value gathered = GatherOp::create(builder, loc, flat, boundIndices(builder, loc, inside, source), 0);
  reshape.getSrcMutable().assign(gathered);
}

void closeGap(CatOp cat, int64_t size) {
  OpBuilder builder(cat->getContext());
  builder.setInsertionPointAfter(cat);
  Location loc = cat.getLoc();
  ArrayRef<int64_t> shape = getShape(cat.getType());
  int64_t gap = shape[0] / 2 - size;
  Value position = positionsAlong(builder, loc, shape, 0);
  Value isLeft =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, position, splatInteger(builder, loc, shape, size));
  Value shifted = arith::AddIOp::create(builder, loc, position, splatInteger(builder, loc, shape, gap));
  Value source = arith::SelectOp::create(builder, loc, isLeft, position, shifted);
  // Beyond the last element the sum is at most the padded size and the gap.
  Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, source,
                                       splatInteger(builder, loc, shape, shape[0]));
  Value gathered = GatherOp::create(builder, loc, cat, boundIndices(builder, loc, exists, source), 0);
  cat.getResult().replaceAllUsesExcept(gathered, gathered.getDefiningOp());
}

} // namespace tilewright::tile
