#include "Box.h"

#include "tilewright/Layout/Shared.h"
#include "tilewright/Runtime/TensorMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tilewright::tilegpu {

/// The most elements of a box along a dimension.
static constexpr int64_t kMaxBoxSize = 256;

bool isKnownAtLaunch(Value scalar) {
  auto argument = dyn_cast<BlockArgument>(scalar);
  return argument && isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
}

static bool isKnownAtLaunch(const IndexProduct &product) {
  return llvm::all_of(product.scalars, [](Value scalar) { return isKnownAtLaunch(scalar); });
}

//===----------------------------------------------------------------------===//
// The buffer
//===----------------------------------------------------------------------===//

namespace {
/// The layout of a buffer to which boxes are copied, one for each of its columns.
struct Columns {
  int contiguous; ///< the dimension along which elements are adjacent
  int64_t swizzle, width, height;
  int64_t length; ///< of all columns together
};
} // namespace

static std::optional<Columns> columnsOf(BufferType buffer) {
  ArrayRef<int64_t> sizes = buffer.getShape();
  if (sizes.size() != 2) {
    return std::nullopt;
  }
  layout::Shape shape(sizes.begin(), sizes.end());
  int64_t bytes = buffer.getElementBytes();
  for (int contiguous : {1, 0}) {
    for (int64_t swizzle : {128, 64, 32}) {
      int64_t width = swizzle / bytes, height = sizes[1 - contiguous];
      bool isPossible = sizes[contiguous] >= width && height <= kMaxBoxSize;
      if (isPossible &&
          buffer.getLayout().getMap() ==
              layout::nvmmaShared(shape, static_cast<int>(8 * bytes), static_cast<int>(swizzle), contiguous == 0)) {
        return Columns{contiguous, swizzle, width, height, sizes[contiguous]};
      }
    }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The addresses
//===----------------------------------------------------------------------===//

/// `product` without the scalars and the factor of `divisor`; none if it is no multiple.
static std::optional<IndexProduct> divide(const IndexProduct &product, const IndexProduct &divisor) {
  if (product.factor % divisor.factor != 0) {
    return std::nullopt;
  }
  IndexProduct quotient = {product.factor / divisor.factor, product.scalars, product.dim};
  for (Value scalar : divisor.scalars) {
    auto *found = llvm::find(quotient.scalars, scalar);
    if (found == quotient.scalars.end()) {
      return std::nullopt;
    }
    quotient.scalars.erase(found);
  }
  return quotient;
}

/// The stride of the tile's dimension, if it is one product, known at launch.
static std::optional<IndexProduct> strideOf(const IndexSum &offset, int dim) {
  std::optional<IndexProduct> stride;
  for (const IndexProduct &product : offset.products()) {
    if (product.dim == dim) {
      if (stride) {
        return std::nullopt;
      }
      stride = {product.factor, product.scalars, -1};
    }
  }
  bool isStride = stride && stride->factor > 0 && isKnownAtLaunch(*stride);
  return isStride ? stride : std::nullopt;
}

static bool isUnit(const IndexProduct &stride) { return stride.factor == 1 && stride.scalars.empty(); }

/// The two dimensions of the tile, with starts but without extents.
static bool addDimensions(Box &box, const IndexSum &offset, const Columns &columns) {
  for (int dim : {columns.contiguous, 1 - columns.contiguous}) {
    std::optional<IndexProduct> stride = strideOf(offset, dim);
    bool isContiguous = dim == columns.contiguous;
    if (!stride || (isContiguous && !isUnit(*stride))) {
      return false;
    }
    box.dimensions.push_back({*stride,
                              {},
                              std::nullopt,
                              isContiguous ? columns.width : columns.height,
                              isContiguous ? columns.length : columns.height});
  }
  for (const IndexProduct &product : offset.products()) {
    if (product.dim >= 0) {
      continue;
    }
    std::optional<IndexProduct> rows = divide(product, box.dimensions[1].stride);
    box.dimensions[rows ? 1 : 0].start.add(rows ? *rows : product);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The mask
//===----------------------------------------------------------------------===//

/// Moves a product from the start of dimension `from` to a further dimension, whose start is what the launch does not
/// know of it.
static bool moveToFurther(Box &box, size_t from, const IndexProduct &product) {
  const IndexProduct &unit = box.dimensions[from].stride;
  std::optional<int64_t> factor = multiplyFactors(product.factor, unit.factor);
  if (factor.value_or(0) <= 0 || box.dimensions.size() == runtime::TensorMap::kMaxRank) {
    return false;
  }
  IndexProduct stride = {*factor, unit.scalars, -1}, start;
  for (Value scalar : product.scalars) {
    (isKnownAtLaunch(scalar) ? stride.scalars : start.scalars).push_back(scalar);
  }
  box.dimensions[from].start.add({-product.factor, product.scalars, -1});
  box.dimensions.push_back({stride, IndexSum(start), std::nullopt, 1});
  return true;
}

namespace {
/// `index + rest < 0`, or `rest - index < 0`, of a dimension of the tile.
struct Condition {
  size_t dimension; ///< of the box
  bool isUpper;     ///< whether it bounds the index from above
  IndexSum rest;
};
} // namespace

/// The condition that the sum is negative, if it is about one dimension.
static std::optional<Condition> conditionOf(const IndexSum &sum, const Columns &columns) {
  std::optional<Condition> found;
  IndexSum rest;
  for (const IndexProduct &product : sum.products()) {
    if (product.dim < 0) {
      rest.add(product);
      continue;
    }
    if (found || std::abs(product.factor) != 1 || !product.scalars.empty()) {
      return std::nullopt;
    }
    found = Condition{product.dim == columns.contiguous ? size_t(0) : size_t(1), product.factor > 0, {}};
  }
  if (found) {
    found->rest = std::move(rest);
  }
  return found;
}

/// Makes `index + rest < 0` the end of the dimension: start + index < start - rest.
static bool addEnd(Box &box, const Condition &condition) {
  if (box.dimensions[condition.dimension].extent) {
    return false;
  }
  IndexSum last = condition.rest.times(-1), end = box.dimensions[condition.dimension].start.plus(last);
  for (const IndexProduct &product : end.products()) {
    if (!isKnownAtLaunch(product) && !moveToFurther(box, condition.dimension, product)) {
      return false;
    }
  }
  end = box.dimensions[condition.dimension].start.plus(last);
  box.dimensions[condition.dimension].extent = end;
  return llvm::all_of(end.products(), [](const IndexProduct &product) { return isKnownAtLaunch(product); });
}

/// Takes `rest - index < 0` for what copies do by themselves, which read zeros at negative coordinates: true if the
/// condition says that start + index is not negative.
static bool addBeginning(Box &box, const Condition &condition) {
  BoxDimension &dimension = box.dimensions[condition.dimension];
  dimension.isMaskedBelow = true;
  return condition.rest.plus(dimension.start).plus(IndexSum::constant(1)).products().empty();
}

/// The further dimension whose coordinate is the scalar; null if addresses have no dimension like that.
static BoxDimension *furtherDimension(Box &box, Value scalar) {
  auto isScalar = [&](const BoxDimension &dimension) {
    return dimension.start.plus(IndexSum({-1, {scalar}, -1})).products().empty();
  };
  auto further = [&] { return MutableArrayRef<BoxDimension>(box.dimensions).drop_front(2); };
  if (auto *found = llvm::find_if(further(), isScalar); found != further().end()) {
    return found;
  }
  std::optional<std::pair<size_t, IndexProduct>> only;
  for (size_t dimension : {0, 1}) {
    for (const IndexProduct &product : box.dimensions[dimension].start.products()) {
      if (llvm::is_contained(product.scalars, scalar)) {
        if (only) {
          return nullptr;
        }
        only = {dimension, product};
      }
    }
  }
  bool isMoved = only && moveToFurther(box, only->first, only->second) && isScalar(box.dimensions.back());
  return isMoved ? &box.dimensions.back() : nullptr;
}

/// Makes `sum < 0`, in which no index of the tile is, the extent of a further dimension. Masks of tensor descriptors
/// have such conditions for dimensions of one element.
static bool addUniform(Box &box, const IndexSum &sum) {
  IndexSum rest;
  std::optional<IndexProduct> index;
  for (const IndexProduct &product : sum.products()) {
    if (isKnownAtLaunch(product)) {
      rest.add(product);
    } else if (index || product.scalars.size() != 1 || std::abs(product.factor) != 1) {
      return false;
    } else {
      index = product;
    }
  }
  IndexSum extent = rest.times(-1);
  if (!index) {
    // The coordinate is zero. A launch that can't make the map, since the extent is zero, does without it.
    if (box.dimensions.size() == runtime::TensorMap::kMaxRank) {
      return false;
    }
    box.dimensions.push_back({box.dimensions[1].stride, {}, extent, 1});
    return true;
  }
  BoxDimension *dimension = furtherDimension(box, index->scalars.front());
  if (!dimension) {
    return false;
  }
  if (index->factor < 0) {
    dimension->isMaskedBelow = true;
    return rest.plus(IndexSum::constant(1)).products().empty();
  }
  if (dimension->extent) {
    return dimension->extent->plus(rest).products().empty();
  }
  dimension->extent = extent;
  return true;
}

static bool hasIndex(const IndexSum &sum) {
  return llvm::any_of(sum.products(), [](const IndexProduct &product) { return product.dim >= 0; });
}

/// Whether the sum is a number below zero.
static bool isBelowZero(const IndexSum &sum) {
  return sum.products().size() == 1 && sum.products().front().scalars.empty() && !hasIndex(sum) &&
         sum.products().front().factor < 0;
}

/// Ends come first because they may change where dimensions begin.
static bool addMask(Box &box, ArrayRef<IndexSum> sums, const Columns &columns) {
  SmallVector<Condition> beginnings, ends;
  SmallVector<IndexSum> uniform;
  for (const IndexSum &sum : sums) {
    if (!hasIndex(sum)) {
      uniform.push_back(sum);
      continue;
    }
    std::optional<Condition> condition = conditionOf(sum, columns);
    if (!condition) {
      return false;
    }
    if (!condition->isUpper) {
      beginnings.push_back(std::move(*condition));
      continue;
    }
    // A mask and a remainder may end at the same index. Ends can't be compared, since they may change the start.
    bool isKnown = llvm::any_of(ends, [&](const Condition &other) {
      return other.dimension == condition->dimension && other.rest.plus(condition->rest.times(-1)).products().empty();
    });
    if (!isKnown && !addEnd(box, *condition)) {
      return false;
    }
    ends.push_back(std::move(*condition));
  }
  return llvm::all_of(uniform, [&](const IndexSum &sum) { return isBelowZero(sum) || addUniform(box, sum); }) &&
         llvm::all_of(beginnings, [&](const Condition &condition) { return addBeginning(box, condition); });
}

//===----------------------------------------------------------------------===//
// The box
//===----------------------------------------------------------------------===//

/// Sorts the remainders by whether something sees what wraps. If nothing does, where it begins is an end, like that of
/// a mask.
static void sortRemainders(Box &box, ArrayRef<IndexRemainder> all, tile::LoadOp load, SmallVector<IndexSum> &ends) {
  for (const IndexRemainder &remainder : all) {
    std::optional<SmallVector<UnseenWrap>> wraps = load ? findUnseenWraps(remainder, load) : std::nullopt;
    (wraps ? box.unseen : box.remainders).push_back(remainder);
    for (const UnseenWrap &wrap : wraps ? *wraps : SmallVector<UnseenWrap>()) {
      ends.push_back(wrap.excess);
      box.arithmetic.insert_range(wrap.arithmetic);
    }
  }
}

std::optional<Box> Box::of(tile::MemoryAccessOpInterface access, BufferType buffer, std::string &why) {
  IndexSums sums;
  std::optional<Columns> columns = columnsOf(buffer);
  if (!columns) {
    why = "its buffer in shared memory is too narrow, too high, or not two-dimensional";
    return std::nullopt;
  }
  std::optional<AddressSum> address = sums.ofPointers(access.getPtr());
  if (!address || !isKnownAtLaunch(address->base)) {
    why = "its addresses are not those of one argument plus products of indices and 32-bit integers";
    return std::nullopt;
  }
  Box box;
  box.base = address->base;
  box.swizzle = columns->swizzle;
  if (!addDimensions(box, address->offset, *columns)) {
    why = kNotAlongRows;
    return std::nullopt;
  }
  Value mask = access.getMask();
  std::optional<SmallVector<IndexSum>> conditions = mask ? sums.ofMask(mask) : SmallVector<IndexSum>();
  if (!conditions) {
    why = "its mask is no conjunction of comparisons of indices";
    return std::nullopt;
  }
  box.arithmetic = sums.arithmetic();
  sortRemainders(box, sums.remainders(), dyn_cast<tile::LoadOp>(*access), *conditions);
  if (!addMask(box, *conditions, *columns)) {
    why = "its mask does not end where the array does, for all programs and iterations";
    return std::nullopt;
  }
  return box;
}

/// The value of a sum without indices.
static Value emit(OpBuilder &builder, Location loc, const IndexSum &sum) {
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIntOp::create(builder, loc, value, 32); };
  Value total;
  for (const IndexProduct &product : sum.products()) {
    Value term = product.scalars.empty() || product.factor != 1 ? constant(product.factor) : Value();
    for (Value scalar : product.scalars) {
      term = term ? arith::MulIOp::create(builder, loc, term, scalar).getResult() : scalar;
    }
    total = total ? arith::AddIOp::create(builder, loc, total, term).getResult() : term;
  }
  return total ? total : constant(0);
}

SmallVector<Value> Box::emitStart(OpBuilder &builder, Location loc) const {
  return llvm::map_to_vector(dimensions,
                             [&](const BoxDimension &dimension) { return emit(builder, loc, dimension.start); });
}

} // namespace tilewright::tilegpu
