// mark-small-offsets: marks accesses whose addresses are less than 2 GiB behind an argument. See Passes.td.

#include "tilewright/Analysis/PointerOffsets.h"
#include "tilewright/Dialect/Tile/IR/VolatileLoads.h"
#include "tilewright/Transforms/Passes.h"

namespace tilewright {
#define GEN_PASS_DEF_MARKSMALLOFFSETS
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

using runtime::LaunchConditions;
using runtime::RangeOp;
using Check = IndexRanges::Check;

/// The pointers of an access that may be marked; null for any other operation.
Value pointersOf(Operation *op) {
  Value pointers;
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    pointers = tile::readsEachTime(load) ? Value() : load.getPtr();
  } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
    pointers = store.getPtr();
  }
  bool isOfNumbers = pointers && isa<RankedTensorType>(pointers.getType()) &&
                     tile::getElementType(tile::getPointeeType(pointers.getType())).isIntOrFloat();
  return isOfNumbers ? pointers : Value();
}

/// That offsets are not negative, and those of the last bytes not above kMostOffset: adding one does not wrap.
SmallVector<Check, 2> checksOf(const PointerOffsets::Offset &offset, Type element, IndexRanges &ranges) {
  constexpr unsigned kBits = 64, kOffsetBits = 32;
  static_assert(kMostOffset == (int64_t(1) << (kOffsetBits - 1)) - 2);
  int64_t bytes = (element.getIntOrFloatBitWidth() + 7) / 8;
  int end = ranges.sumStep(kBits, offset.step, ranges.constantStep(kBits, bytes));
  return {{RangeOp::CheckNonNegative, offset.step}, {RangeOp::CheckNoWrap, ranges.truncatedStep(end, kOffsetBits)}};
}

/// Whether launches that mean what the kernel is written for are expected to meet the conditions.
bool holdUsually(const LaunchConditions &conditions) {
  constexpr int64_t kSmall = 1, kUsual = 1024;
  return conditions.holdForAll(kSmall) && conditions.holdForAll(kUsual);
}

/// The operation with the pointers that a loop advances by the same distance for all elements; null if there is none.
Operation *startOf(Value pointers) {
  auto add = pointers.getDefiningOp<tile::AddPtrOp>();
  bool isAdvance = add && add.getOffset().getDefiningOp<tile::SplatOp>();
  auto start = isAdvance ? add.getPtr().getDefiningOp<tile::AddPtrOp>() : nullptr;
  bool isInLoop = start && isa<scf::ForOp, scf::WhileOp>(add->getParentOp()) && start->getBlock() != add->getBlock();
  return isInLoop ? start : nullptr;
}

class MarkSmallOffsets : public impl::MarkSmallOffsetsBase<MarkSmallOffsets> {
  using MarkSmallOffsetsBase::MarkSmallOffsetsBase;

  void runOnOperation() override {
    getOperation()->walk([&](FunctionOpInterface function) {
      if (function->hasAttr(tile::TileDialect::kKernelAttr)) {
        markIn(function);
      }
    });
  }

  void markIn(FunctionOpInterface function) {
    IndexRanges ranges(function);
    PointerOffsets offsets(ranges);
    SmallVector<Check> assumed;
    auto mark = [&](Operation *op, Value pointers) {
      std::optional<SmallVector<Check, 2>> checks = checksFor(pointers, ranges, offsets);
      if (checks) {
        op->setDiscardableAttr(kSmallOffsetsAttr, UnitAttr::get(op->getContext()));
        llvm::append_range(assumed, *checks);
      }
      return checks.has_value();
    };
    function->walk([&](Operation *op) {
      Value pointers = pointersOf(op);
      bool isMarked = pointers && mark(op, pointers);
      if (Operation *start = isMarked ? startOf(pointers) : nullptr) {
        mark(start, start->getResult(0));
      }
    });
    if (!assumed.empty()) {
      addConditions(ranges.conditionsFor(assumed));
    }
  }

  /// What is to be checked at launch for the offsets to be small; nothing if they are not known to be, or not expected.
  std::optional<SmallVector<Check, 2>> checksFor(Value pointers, IndexRanges &ranges, PointerOffsets &offsets) {
    auto offset = offsets.get(pointers);
    if (!offset) {
      return std::nullopt;
    }
    Type element = tile::getElementType(tile::getPointeeType(pointers.getType()));
    SmallVector<Check, 2> checks = checksOf(*offset, element, ranges);
    if (!ranges.isEvaluable(checks.front())) {
      return std::nullopt;
    }
    LaunchConditions conditions = ranges.conditionsFor(checks);
    if (conditions.holdAlways()) {
      return SmallVector<Check, 2>();
    }
    return atLaunch && holdUsually(conditions) ? std::optional(checks) : std::nullopt;
  }

  void addConditions(const LaunchConditions &added) {
    constexpr llvm::StringLiteral kName = tile::TileDialect::kLaunchConditionsAttr;
    LaunchConditions all;
    if (auto words = getOperation()->getAttrOfType<DenseI64ArrayAttr>(kName)) {
      all = LaunchConditions::decode(words.asArrayRef().data(), words.size()).value_or(LaunchConditions());
    }
    all.append(added);
    getOperation()->setAttr(kName, DenseI64ArrayAttr::get(&getContext(), all.encode()));
  }
};

} // namespace
} // namespace tilewright
