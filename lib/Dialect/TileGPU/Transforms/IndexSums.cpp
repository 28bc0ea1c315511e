#include "IndexSums.h"

#include "Buffers.h"
#include "tilewright/Analysis/IndexRanges.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace tilewright::tilegpu {

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void IndexSum::add(IndexProduct product) {
  auto *same = llvm::find_if(terms, [&](const IndexProduct &other) { return other.isLike(product); });
  if (same == terms.end()) {
    terms.push_back(std::move(product));
  } else {
    same->factor += product.factor;
  }
  llvm::erase_if(terms, [](const IndexProduct &term) { return term.factor == 0; });
}

IndexSum IndexSum::plus(const IndexSum &other) const {
  IndexSum sum = *this;
  for (const IndexProduct &product : other.terms) {
    sum.add(product);
  }
  return sum;
}

IndexSum IndexSum::times(int64_t factor) const {
  IndexSum scaled;
  for (IndexProduct product : terms) {
    product.factor *= factor;
    scaled.add(std::move(product));
  }
  return scaled;
}

static bool isSmall(int64_t factor) {
  constexpr int64_t kLimit = int64_t(1) << 48;
  return factor < kLimit && factor > -kLimit;
}

/// Whether a sum stays small enough to compute with, as those of addresses and masks do.
static bool isSmall(const IndexSum &sum) {
  constexpr size_t kMaxProducts = 16, kMaxScalars = 8;
  return sum.products().size() <= kMaxProducts && llvm::all_of(sum.products(), [](const IndexProduct &product) {
           return product.scalars.size() <= kMaxScalars && isSmall(product.factor);
         });
}

std::optional<int64_t> multiplyFactors(int64_t left, int64_t right) {
  std::optional<int64_t> product = llvm::checkedMul(left, right);
  return product && isSmall(*product) ? product : std::nullopt;
}

static std::optional<IndexProduct> multiply(const IndexProduct &left, const IndexProduct &right) {
  std::optional<int64_t> factor = multiplyFactors(left.factor, right.factor);
  if (!factor || (left.dim >= 0 && right.dim >= 0)) {
    return std::nullopt;
  }
  IndexProduct product = {*factor, left.scalars, std::max(left.dim, right.dim)};
  llvm::append_range(product.scalars, right.scalars);
  llvm::sort(product.scalars, [](Value a, Value b) { return a.getAsOpaquePointer() < b.getAsOpaquePointer(); });
  return product;
}

std::optional<IndexSum> IndexSum::times(const IndexSum &other) const {
  IndexSum sum;
  for (const IndexProduct &left : terms) {
    for (const IndexProduct &right : other.terms) {
      std::optional<IndexProduct> product = multiply(left, right);
      if (!product) {
        return std::nullopt;
      }
      sum.add(std::move(*product));
    }
  }
  return sum;
}

std::optional<IndexSum> IndexSum::dividedBy(int64_t divisor) const {
  IndexSum quotient;
  for (IndexProduct product : terms) {
    if (product.factor % divisor != 0) {
      return std::nullopt;
    }
    product.factor /= divisor;
    quotient.add(std::move(product));
  }
  return quotient;
}

/// The sum of a tile to which expand_dims has added a dimension.
static IndexSum expand(IndexSum sum, int axis) {
  for (IndexProduct &product : sum.products()) {
    product.dim += product.dim >= axis ? 1 : 0;
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Of unsigned arithmetic, nothing is known of the signed integers.
std::optional<IndexSum> IndexSums::ofArithmetic(Operation *op) {
  if (op->hasAttr(kUnsignedAttr)) {
    return std::nullopt;
  }
  std::optional<IndexSum> left = of(op->getOperand(0)), right = of(op->getOperand(1));
  if (!left || !right) {
    return std::nullopt;
  }
  results.insert(op->getResult(0));
  if (isa<arith::AddIOp>(op)) {
    return left->plus(*right);
  }
  return isa<arith::SubIOp>(op) ? left->plus(right->times(-1)) : left->times(*right);
}

/// The amount that each iteration adds to a loop-carried value; null if it does anything else.
static Value amountOf(scf::ForOp loop, BlockArgument carried) {
  auto add = tile::withoutHints(loop.getTiedLoopYieldedValue(carried)->get()).getDefiningOp<arith::AddIOp>();
  if (!add || (add.getLhs() != carried && add.getRhs() != carried)) {
    return {};
  }
  Value amount = add.getLhs() == carried ? add.getRhs() : add.getLhs();
  return loop.isDefinedOutsideOfLoop(amount) ? amount : Value();
}

/// Of a value to which each iteration of a loop from 0 adds an amount: that is added index / step times.
std::optional<IndexSum> IndexSums::ofCarried(BlockArgument carried) {
  auto loop = dyn_cast<scf::ForOp>(carried.getOwner()->getParentOp());
  if (!loop || carried == loop.getInductionVar() || loop.getUnsignedCmp() ||
      !loop.getInductionVar().getType().isInteger(32)) {
    return std::nullopt;
  }
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound()), step = getConstantIntValue(loop.getStep());
  Value amount = amountOf(loop, carried);
  if (first != 0 || !step || *step <= 0 || !amount) {
    return std::nullopt;
  }
  std::optional<IndexSum> init = of(loop.getTiedLoopInit(carried)->get()), each = of(amount);
  std::optional<IndexSum> once = each ? each->dividedBy(*step) : std::nullopt;
  std::optional<IndexSum> all = once ? once->times(IndexSum({1, {loop.getInductionVar()}, -1})) : std::nullopt;
  if (!init || !all) {
    return std::nullopt;
  }
  results.insert(loop.getTiedLoopYieldedValue(carried)->get());
  return init->plus(*all);
}

std::optional<IndexSum> IndexSums::of(Value integers) {
  integers = tile::withoutHints(integers);
  if (auto found = known.find(integers); found != known.end()) {
    return found->second;
  }
  std::optional<IndexSum> sum = compute(integers);
  return known[integers] = sum && isSmall(*sum) ? std::move(sum) : std::nullopt;
}

std::optional<IndexSum> IndexSums::compute(Value integers) {
  Operation *op = integers.getDefiningOp();
  APInt constant;
  if (matchPattern(integers, m_ConstantInt(&constant)) && constant.isSignedIntN(32)) {
    return IndexSum::constant(constant.getSExtValue());
  }
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op)) {
    return ofArithmetic(op);
  }
  if (isa_and_nonnull<arith::RemSIOp, arith::RemUIOp>(op) && isa<RankedTensorType>(integers.getType())) {
    reduced.push_back({integers, op->getOperand(0), op->getOperand(1)});
    return of(op->getOperand(0));
  }
  if (isa_and_nonnull<arith::ExtSIOp, tile::SplatOp, tile::BroadcastOp, ConvertLayoutOp>(op)) {
    return of(op->getOperand(0));
  }
  if (auto load = dyn_cast_or_null<LocalLoadOp>(op)) {
    LocalStoreOp store = storeFor(load); // a conversion to another layout
    return store ? of(store.getSrc()) : std::nullopt;
  }
  if (auto expanded = dyn_cast_or_null<tile::ExpandDimsOp>(op)) {
    std::optional<IndexSum> sum = of(expanded.getSrc());
    return sum ? std::optional(expand(std::move(*sum), static_cast<int>(expanded.getAxis()))) : std::nullopt;
  }
  if (auto range = dyn_cast_or_null<tile::MakeRangeOp>(op)) {
    auto first = static_cast<int32_t>(range.getStart()), end = static_cast<int32_t>(range.getEnd());
    IndexSum sum = IndexSum::constant(first);
    sum.add({end == first + 1 ? 0 : 1, {}, 0});
    return sum;
  }
  if (auto argument = dyn_cast<BlockArgument>(integers)) {
    if (std::optional<IndexSum> sum = ofCarried(argument)) {
      return sum;
    }
  }
  return integers.getType().isInteger(32) ? std::optional(IndexSum({1, {integers}, -1})) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

std::optional<AddressSum> IndexSums::ofPointers(Value pointers) {
  pointers = tile::withoutHints(pointers);
  if (auto argument = dyn_cast<BlockArgument>(pointers)) {
    return AddressSum{argument, {}};
  }
  Operation *op = pointers.getDefiningOp();
  if (isa<tile::SplatOp, tile::BroadcastOp, ConvertLayoutOp>(op)) {
    return ofPointers(op->getOperand(0));
  }
  if (auto expanded = dyn_cast<tile::ExpandDimsOp>(op)) {
    std::optional<AddressSum> sum = ofPointers(expanded.getSrc());
    if (sum) {
      sum->offset = expand(std::move(sum->offset), static_cast<int>(expanded.getAxis()));
    }
    return sum;
  }
  auto moved = dyn_cast<tile::AddPtrOp>(op);
  std::optional<AddressSum> sum = moved ? ofPointers(moved.getPtr()) : std::nullopt;
  std::optional<IndexSum> offset = sum ? of(moved.getOffset()) : std::nullopt;
  if (!offset) {
    return std::nullopt;
  }
  sum->offset = sum->offset.plus(*offset);
  return isSmall(sum->offset) ? sum : std::nullopt;
}

std::optional<int> contiguousDimOf(Value pointers) {
  std::optional<AddressSum> address = IndexSums().ofPointers(pointers);
  for (const IndexProduct &product : address ? address->offset.products() : ArrayRef<IndexProduct>()) {
    bool isAlone = llvm::none_of(address->offset.products(), [&](const IndexProduct &other) {
      return &other != &product && other.dim == product.dim;
    });
    if (product.dim >= 0 && product.factor == 1 && product.scalars.empty() && isAlone) {
      return product.dim;
    }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// The value without operations that only repeat or rearrange it.
static Value withoutMoves(Value value) {
  while (Operation *op = tile::withoutHints(value).getDefiningOp()) {
    if (!isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, ConvertLayoutOp>(op)) {
      break;
    }
    value = op->getOperand(0);
  }
  return tile::withoutHints(value);
}

/// `bound`, or the x of a bound min(max(x, 0), n) where the index is from 0 to n, exclusive: such an index is below
/// both or below none. Masks of tensor descriptors have such bounds.
static Value withoutClamp(Value bound, Value index) {
  auto range = withoutMoves(index).getDefiningOp<tile::MakeRangeOp>();
  Value clamped = withoutMoves(bound);
  if (auto narrowed = clamped.getDefiningOp<arith::TruncIOp>()) {
    clamped = narrowed.getIn();
  }
  auto upper = clamped.getDefiningOp<arith::MinSIOp>();
  auto lower = upper ? upper.getLhs().getDefiningOp<arith::MaxSIOp>() : arith::MaxSIOp();
  std::optional<int64_t> end = upper ? getConstantIntValue(upper.getRhs()) : std::nullopt;
  if (!range || !lower || getConstantIntValue(lower.getRhs()) != 0) {
    return bound;
  }
  auto first = static_cast<int32_t>(range.getStart()), last = static_cast<int32_t>(range.getEnd());
  return end && llvm::isInt<32>(*end) && first >= 0 && last <= *end ? lower.getLhs() : bound;
}

/// The sum that is negative where `left < right`, or where `left <= right`.
std::optional<IndexSum> IndexSums::ofOrder(Value left, Value right, bool orEqual) {
  std::optional<IndexSum> low = of(orEqual ? withoutClamp(left, right) : left),
                          high = of(orEqual ? right : withoutClamp(right, left));
  return low && high ? std::optional(low->plus(high->times(-1)).plus(IndexSum::constant(orEqual ? -1 : 0)))
                     : std::nullopt;
}

std::optional<SmallVector<IndexSum>> IndexSums::ofMask(Value mask) {
  using Sums = SmallVector<IndexSum>;
  Operation *op = mask.getDefiningOp();
  if (auto load = dyn_cast_or_null<LocalLoadOp>(op)) {
    LocalStoreOp store = storeFor(load); // a conversion to another layout
    return store ? ofMask(store.getSrc()) : std::nullopt;
  }
  if (isa_and_nonnull<tile::BroadcastOp, ConvertLayoutOp>(op)) {
    return ofMask(op->getOperand(0));
  }
  if (auto expanded = dyn_cast_or_null<tile::ExpandDimsOp>(op)) {
    std::optional<Sums> sums = ofMask(expanded.getSrc());
    for (IndexSum &sum : sums ? *sums : MutableArrayRef<IndexSum>()) {
      sum = expand(std::move(sum), static_cast<int>(expanded.getAxis()));
    }
    return sums;
  }
  if (auto both = dyn_cast_or_null<arith::AndIOp>(op)) {
    constexpr size_t kMaxSums = 8;
    std::optional<Sums> left = ofMask(both.getLhs()), right = left ? ofMask(both.getRhs()) : std::nullopt;
    if (!right || left->size() + right->size() > kMaxSums) {
      return std::nullopt;
    }
    llvm::append_range(*left, *right);
    return left;
  }
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare) {
    return std::nullopt;
  }
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  bool isBelow = predicate == Predicate::slt || predicate == Predicate::sle;
  bool isAbove = predicate == Predicate::sgt || predicate == Predicate::sge;
  if (!isBelow && !isAbove) {
    return std::nullopt;
  }
  Value left = isBelow ? compare.getLhs() : compare.getRhs(), right = isBelow ? compare.getRhs() : compare.getLhs();
  std::optional<IndexSum> sum = ofOrder(left, right, predicate == Predicate::sle || predicate == Predicate::sge);
  return sum ? std::optional(Sums{std::move(*sum)}) : std::nullopt;
}

} // namespace tilewright::tilegpu
