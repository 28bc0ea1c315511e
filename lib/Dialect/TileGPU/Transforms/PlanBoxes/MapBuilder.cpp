#include "MapBuilder.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Runtime/TensorMapParameters.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tilewright::tilegpu {

using runtime::RangeOp;
using Check = IndexRanges::Check;

/// Base addresses, strides, and where boxes begin along the innermost dimension must be multiples of so many bytes. An
/// H200 takes a copy of 8-bit floats that begins at a multiple of 8 for an illegal instruction.
static constexpr int64_t kAlignment = 16;
/// Coordinates are 32-bit integers, so a dimension without an end has as many elements.
static constexpr int64_t kAllCoordinates = int64_t(1) << 31;
static constexpr unsigned kCoordinateBits = 32;
/// Enough for what launches compute of 32-bit integers: extents, strides, and differences.
static constexpr unsigned kExactBits = 64;

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

/// Whether the product is known to be a multiple of the alignment, as a number of elements.
bool MapBuilder::isMultiple(const IndexProduct &product, int64_t elementBytes) {
  int64_t divisor = llvm::MinAlign(product.factor * elementBytes, kAlignment);
  for (Value scalar : product.scalars) {
    divisor *= llvm::MinAlign(axis.get(scalar).getDivisibilityOfAll(), kAlignment);
  }
  return divisor % kAlignment == 0;
}

/// Whether launches seldom fail to make the map, and the hardware takes all coordinates.
bool MapBuilder::isAligned(const Box &box, int64_t elementBytes) {
  return axis.get(box.base).getDivisibilityOfAll() % kAlignment == 0 &&
         llvm::all_of(box.dimensions.front().start.products(),
                      [&](const IndexProduct &product) { return isMultiple(product, elementBytes); }) &&
         llvm::all_of(llvm::drop_begin(box.dimensions),
                      [&](const BoxDimension &dimension) { return isMultiple(dimension.stride, elementBytes); });
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// The step of a product; with `checked`, no multiplication may wrap.
int MapBuilder::stepOf(const IndexProduct &product, unsigned bits, Map *checked) {
  int step = ranges.constantStep(bits, product.factor);
  for (Value scalar : product.scalars) {
    step = ranges.productStep(bits, step, ranges.extendedStep(scalar, bits));
    if (checked) {
      checked->checks.push_back({RangeOp::CheckNoWrap, step});
    }
  }
  return step;
}

int MapBuilder::stepOf(const IndexSum &sum, unsigned bits, Map *checked) {
  int step = ranges.constantStep(bits, 0);
  for (const IndexProduct &product : sum.products()) {
    step = ranges.sumStep(bits, step, stepOf(product, bits, checked));
    if (checked) {
      checked->checks.push_back({RangeOp::CheckNoWrap, step});
    }
  }
  return step;
}

/// That neither the dividend nor what the divisor exceeds it by, less one, is negative.
void MapBuilder::addRemainder(const IndexRemainder &remainder, Map &map) {
  int dividend = ranges.extendedStep(remainder.dividend, kExactBits);
  int divisor = ranges.extendedStep(remainder.divisor, kExactBits);
  int last = ranges.sumStep(kExactBits, divisor, ranges.constantStep(kExactBits, -1));
  int negated = ranges.productStep(kExactBits, dividend, ranges.constantStep(kExactBits, -1));
  map.checks.push_back({RangeOp::CheckNonNegative, dividend});
  map.checks.push_back({RangeOp::CheckNonNegative, ranges.sumStep(kExactBits, last, negated)});
}

/// The hardware reads elements at negative coordinates as zeros, where a load without a mask would read memory before
/// the array. So none may be negative, nor may any be beyond the largest integer.
void MapBuilder::addCoordinate(const BoxDimension &dimension, Map &map) {
  int start = stepOf(dimension.start, kCoordinateBits, &map);
  int last = ranges.sumStep(kCoordinateBits, start, ranges.constantStep(kCoordinateBits, dimension.span - 1));
  if (!dimension.isMaskedBelow) {
    map.checks.push_back({RangeOp::CheckNonNegative, start});
  }
  map.checks.push_back({RangeOp::CheckNoWrap, last});
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

std::optional<int64_t> MapBuilder::add(const Box &box, BufferType buffer) {
  auto slot =
      function.getArgAttrOfType<IntegerAttr>(BlockArgument(box.base).getArgNumber(), tile::TileDialect::kSlotAttr);
  int64_t elementBytes = buffer.getElementBytes();
  if (!slot || !isAligned(box, elementBytes)) {
    return std::nullopt;
  }
  Map map = {buffer.getElementType(), slot.getInt(), box.swizzle, {}, {}, {}, {}};
  for (auto [number, dimension] : llvm::enumerate(box.dimensions)) {
    map.box.push_back(dimension.size);
    map.extents.push_back(dimension.extent ? stepOf(*dimension.extent, kExactBits, nullptr)
                                           : ranges.constantStep(kExactBits, kAllCoordinates));
    if (number > 0) {
      int stride = stepOf(dimension.stride, kExactBits, nullptr);
      map.strides.push_back(ranges.productStep(kExactBits, stride, ranges.constantStep(kExactBits, elementBytes)));
    }
    addCoordinate(dimension, map);
  }
  for (Value result : box.arithmetic) {
    map.checks.push_back(ranges.checkOf(RangeOp::CheckNoWrap, result));
  }
  for (const IndexRemainder &remainder : box.remainders) {
    addRemainder(remainder, map);
  }
  if (box.endOfRow) {
    IndexSum gap = IndexSum(box.dimensions[1].stride).plus(box.endOfRow->times(-1));
    map.checks.push_back({RangeOp::CheckNonNegative, stepOf(gap, kExactBits, nullptr)});
  }
  if (!llvm::all_of(map.checks, [&](const Check &check) { return ranges.isEvaluable(check); })) {
    return std::nullopt;
  }
  llvm::erase_if(map.checks, [&](const Check &check) { return ranges.holdsAlways(check); });
  maps.push_back(std::move(map));
  return size() - 1;
}

std::optional<int64_t> MapBuilder::addStored(Box &box, BufferType buffer) {
  const std::optional<IndexSum> &extent = box.dimensions.front().extent;
  bool endsWithUnit = !extent || llvm::all_of(extent->products(), [&](const IndexProduct &product) {
    return isMultiple(product, buffer.getElementBytes());
  });
  for (BoxDimension &dimension : box.dimensions) {
    dimension.isMaskedBelow = false; // the launch checks that no coordinate is negative
  }
  return endsWithUnit ? add(box, buffer) : std::nullopt;
}

SmallVector<Check> MapBuilder::checks() const {
  SmallVector<Check> all;
  for (const Map &map : maps) {
    llvm::append_range(all, map.checks);
  }
  return all;
}

SmallVector<int> MapBuilder::steps() const {
  SmallVector<int> all;
  for (const Map &map : maps) {
    llvm::append_range(all, map.extents);
    llvm::append_range(all, map.strides);
  }
  return all;
}

bool MapBuilder::fits() const {
  SmallVector<int> kept = steps();
  return maps.size() <= runtime::TensorMapParameters::kMaxMaps &&
         ranges.conditionsFor(checks(), kept).size() <= runtime::TensorMapParameters::kMaxSteps;
}

void MapBuilder::finish() {
  if (maps.empty()) {
    return;
  }
  Builder builder(function.getContext());
  SmallVector<int> numbers = steps();
  runtime::LaunchConditions conditions = ranges.conditionsFor(checks(), numbers);
  ArrayRef<int> rest = numbers;
  auto take = [&](size_t count) {
    SmallVector<int64_t> taken(rest.take_front(count));
    rest = rest.drop_front(count);
    return taken;
  };
  SmallVector<Attribute> attributes;
  for (const Map &map : maps) {
    SmallVector<int64_t> extents = take(map.extents.size()), strides = take(map.strides.size());
    attributes.push_back(TensorMapAttr::get(builder.getContext(), map.type, map.slot, extents, strides, map.box,
                                            map.swizzle, /*offset=*/-1, /*nanFill=*/false));
    Type bytes = tile::BytesType::get(builder.getContext(), sizeof(runtime::EncodedTensorMap),
                                      alignof(runtime::EncodedTensorMap));
    (void)function.insertArgument(function.getNumArguments(), bytes, DictionaryAttr(), function.getLoc());
  }
  function->setAttr(TileGPUDialect::kTensorMapsAttr, builder.getArrayAttr(attributes));
  function->setAttr(TileGPUDialect::kTensorMapStepsAttr, builder.getDenseI64ArrayAttr(conditions.encode()));
}

} // namespace tilewright::tilegpu
