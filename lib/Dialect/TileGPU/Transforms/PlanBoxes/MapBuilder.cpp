#include "MapBuilder.h"

#include "../Buffers.h"

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

/// The tile that a load from shared memory reads in another layout.
static Value storedTile(Operation *op) {
  auto load = dyn_cast<LocalLoadOp>(op);
  LocalStoreOp store = load ? storeFor(load) : LocalStoreOp();
  return store ? store.getSrc() : Value();
}

MapBuilder::MapBuilder(FunctionOpInterface function)
    : function(function), ranges(function, storedTile), axis(function) {}

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

/// Makes the launch check that the product, a number of elements, is a multiple of the alignment, if that is not known.
/// False if it is unlikely: launches tell apart which arguments are multiples of 16 themselves.
bool MapBuilder::addAlignment(const IndexProduct &product, int64_t elementBytes, Map &map) {
  int64_t own = llvm::MinAlign(product.factor * elementBytes, kAlignment), all = own;
  IndexProduct checked = {1, {}, -1};
  for (Value scalar : product.scalars) {
    int64_t known = llvm::MinAlign(axis.get(scalar).getDivisibilityOfAll(), kAlignment);
    all *= known;
    if (isKnownAtLaunch(scalar)) {
      checked.scalars.push_back(scalar);
    } else {
      own *= known;
    }
  }
  if (all % kAlignment == 0) {
    return true;
  }
  if (own == 1 || checked.scalars.empty()) {
    return false;
  }
  int missing = ranges.constantStep(kExactBits, kAlignment / own);
  int rest = ranges.remainderStep(kExactBits, stepOf(checked, kExactBits, nullptr), missing);
  map.checks.push_back({RangeOp::CheckNonNegative, rest});
  map.checks.push_back({RangeOp::CheckNonNegative, negatedStep(rest)});
  return true;
}

/// What the hardware asks of all coordinates and strides. False if launches would seldom find it so.
bool MapBuilder::addAlignment(const Box &box, int64_t elementBytes, Map &map) {
  return axis.get(box.base).getDivisibilityOfAll() % kAlignment == 0 &&
         llvm::all_of(box.dimensions.front().start.products(),
                      [&](const IndexProduct &product) { return addAlignment(product, elementBytes, map); }) &&
         llvm::all_of(llvm::drop_begin(box.dimensions),
                      [&](const BoxDimension &dimension) { return addAlignment(dimension.stride, elementBytes, map); });
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

int MapBuilder::negatedStep(int step) {
  return ranges.productStep(kExactBits, step, ranges.constantStep(kExactBits, -1));
}

/// That neither the dividend nor what the divisor exceeds it by, less one, is negative.
void MapBuilder::addRemainder(const IndexRemainder &remainder, Map &map) {
  int dividend = ranges.extendedStep(remainder.dividend, kExactBits);
  int divisor = ranges.extendedStep(remainder.divisor, kExactBits);
  int last = ranges.sumStep(kExactBits, divisor, ranges.constantStep(kExactBits, -1));
  map.checks.push_back({RangeOp::CheckNonNegative, dividend});
  map.checks.push_back({RangeOp::CheckNonNegative, ranges.sumStep(kExactBits, last, negatedStep(dividend))});
}

/// That all dividends up to the divisor are the remainders.
void MapBuilder::addUnseen(const IndexRemainder &remainder, Map &map) {
  int dividend = ranges.extendedStep(remainder.dividend, kExactBits);
  int divisor = ranges.extendedStep(remainder.divisor, kExactBits);
  map.checks.push_back({RangeOp::CheckNonNegative, dividend});
  map.checks.push_back(
      {RangeOp::CheckNonNegative, ranges.sumStep(kExactBits, divisor, ranges.constantStep(kExactBits, -1))});
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

void MapBuilder::addDimensions(const Box &box, int64_t elementBytes, Map &map) {
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
}

void MapBuilder::addChecks(const Box &box, Map &map) {
  for (Value result : box.arithmetic) {
    map.checks.push_back(ranges.checkOf(RangeOp::CheckNoWrap, result));
  }
  for (const IndexRemainder &remainder : box.remainders) {
    addRemainder(remainder, map);
  }
  for (const IndexRemainder &remainder : box.unseen) {
    addUnseen(remainder, map);
  }
  if (box.endOfRow) {
    IndexSum gap = IndexSum(box.dimensions[1].stride).plus(box.endOfRow->times(-1));
    map.checks.push_back({RangeOp::CheckNonNegative, stepOf(gap, kExactBits, nullptr)});
  }
}

std::optional<int64_t> MapBuilder::add(const Box &box, BufferType buffer, const std::optional<IndexSum> &lastUnit,
                                       std::string &why) {
  auto slot =
      function.getArgAttrOfType<IntegerAttr>(BlockArgument(box.base).getArgNumber(), tile::TileDialect::kSlotAttr);
  int64_t elementBytes = buffer.getElementBytes();
  if (!slot) {
    why = "the launch does not know the array";
    return std::nullopt;
  }
  Map map = {buffer.getElementType(), slot.getInt(), box.swizzle, {}, {}, {}, {}};
  IndexSum last = lastUnit.value_or(IndexSum());
  bool isAligned = addAlignment(box, elementBytes, map) &&
                   llvm::all_of(last.products(),
                                [&](const IndexProduct &product) { return addAlignment(product, elementBytes, map); });
  map.checksAlignment = !map.checks.empty();
  bool mayCheck = !lastUnit || llvm::any_of(maps, [](const Map &other) { return other.checksAlignment; });
  if (!isAligned || (map.checksAlignment && !mayCheck)) {
    why = "it may begin, or have rows that begin, off a multiple of 16 bytes";
    return std::nullopt;
  }
  addDimensions(box, elementBytes, map);
  addChecks(box, map);
  if (!llvm::all_of(map.checks, [&](const Check &check) { return ranges.isEvaluable(check); })) {
    why = "the launch does not know the integers in its addresses or its mask, such as those that are loaded";
    return std::nullopt;
  }
  llvm::erase_if(map.checks, [&](const Check &check) { return ranges.holdsAlways(check); });
  maps.push_back(std::move(map));
  return size() - 1;
}

std::optional<int64_t> MapBuilder::addStored(Box &box, BufferType buffer, std::string &why) {
  for (BoxDimension &dimension : box.dimensions) {
    dimension.isMaskedBelow = false; // the launch checks that no coordinate is negative
  }
  return add(box, buffer, box.dimensions.front().extent.value_or(IndexSum()), why);
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
