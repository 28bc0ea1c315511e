#include "WidenOffsets.h"

#include "AddressArithmetic.h"
#include "CarryWide.h"
#include "ConstantTerms.h"
#include "tilewright/Analysis/IndexRanges.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tilewright {
namespace {

using runtime::RangeOp;

//===----------------------------------------------------------------------===//
// Which values
//===----------------------------------------------------------------------===//

/// The 32-bit operations of addresses whose exact result may have more bits.
SmallVector<Value> findWrapping(FunctionOpInterface function, const AddressArithmetic &addresses, Widened which) {
  ConstantTerms constants;
  std::optional<IndexRanges> ranges;
  if (which == Widened::MayWrap) {
    ranges.emplace(function);
  }
  return llvm::to_vector(llvm::make_filter_range(addresses.values(), [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !addresses.needsExactResult(op)) {
      return false;
    }
    return ranges ? !ranges->holdsAlways(ranges->checkOf(RangeOp::CheckNoWrap, value)) : constants.exceed32Bits(op);
  }));
}

/// The address values whose exact result may not be the extension of 32 bits.
DenseSet<Value> findWideValues(FunctionOpInterface function, const AddressArithmetic &addresses, Widened which) {
  SmallVector<Value> wrapping = findWrapping(function, addresses, which);
  DenseSet<Value> wide(wrapping.begin(), wrapping.end());
  // Loops make the values depend on one another in cycles.
  for (bool changes = true; changes;) {
    changes = false;
    for (Value value : addresses.values()) {
      auto isWide = [&](Value source) { return wide.contains(source); };
      changes |= llvm::any_of(exactSources(value), isWide) && wide.insert(value).second;
    }
  }
  return wide;
}

//===----------------------------------------------------------------------===//
// Their 64-bit versions
//===----------------------------------------------------------------------===//

class Widening {
public:
  Widening(FunctionOpInterface function, Widened which, CarriedValues carried)
      : addresses(function), wide(findWideValues(function, addresses, which)), carried(std::move(carried)),
        builder(function.getContext()) {
    for (auto [narrow, made] : this->carried.versions) {
      exactOf[narrow] = made;
    }
  }

  void run(FunctionOpInterface function) {
    for (const CarriedValues::Operands &operands : carried.operands) {
      operands.op->setOperand(operands.wide, exact(operands.op->getOperand(operands.narrow)));
    }
    function->walk([&](tile::AddPtrOp op) {
      if (wide.contains(op.getOffset())) {
        op.getOffsetMutable().assign(exact(op.getOffset()));
      }
    });
    llvm::for_each(addresses.comparisons(), [&](arith::CmpIOp compare) { rewrite(compare); });
  }

private:
  Value extend(Value value) {
    if (integerBits(value.getType()) == 64) {
      return value;
    }
    builder.setInsertionPointAfterValue(value);
    return arith::ExtSIOp::create(builder, value.getLoc(), tile::withElementType(value.getType(), builder.getI64Type()),
                                  value);
  }

  /// The mathematical result as a 64-bit integer.
  Value exact(Value value) {
    if (Value known = exactOf.lookup(value)) {
      return known;
    }
    if (!wide.contains(value) || isa<BlockArgument>(value) || value.getDefiningOp()->getNumRegions() != 0) {
      return exactOf[value] = extend(value);
    }
    Operation *op = value.getDefiningOp();
    if (isa<arith::ExtSIOp>(op)) {
      return exactOf[value] = exact(op->getOperand(0));
    }
    SmallVector<Value> sources = exactSources(value), operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(llvm::is_contained(sources, operand) ? exact(operand) : operand);
    }
    Operation *made = cloneOn(op, operands, builder.getI64Type());
    for (auto [narrow, result] : llvm::zip_equal(op->getResults(), made->getResults())) {
      exactOf[narrow] = result;
    }
    return exactOf[value];
  }

  Operation *cloneOn(Operation *op, ValueRange operands, Type element) {
    builder.setInsertionPointAfter(op);
    SmallVector<Type> types;
    for (Type type : op->getResultTypes()) {
      types.push_back(element ? tile::withElementType(type, element) : type);
    }
    OperationState state(op->getLoc(), op->getName(), operands, types, op->getAttrs());
    return builder.create(state);
  }

  /// The same value, computed from the mathematical results of 32-bit integers that are extended to 64 bits.
  Value withExactSources(Value value) {
    if (addresses.values().contains(value)) {
      return wide.contains(value) && integerBits(value.getType()) == 64 ? exact(value) : value;
    }
    Operation *op = value.getDefiningOp();
    if (!isWideArithmetic(op)) {
      return value;
    }
    if (isa<arith::ExtUIOp>(op) && wide.contains(op->getOperand(0))) {
      return exactUnsigned(op->getOperand(0));
    }
    SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), [&](Value v) { return withExactSources(v); });
    return llvm::equal(operands, op->getOperands()) ? value : cloneOn(op, operands, {})->getResult(0);
  }

  Value constant(Value like, int64_t number) {
    TypedAttr attr = builder.getI64IntegerAttr(number);
    if (auto type = dyn_cast<RankedTensorType>(like.getType())) {
      attr = SplatElementsAttr::get(type, attr);
    }
    return arith::ConstantOp::create(builder, like.getLoc(), attr);
  }

  /// A 32-bit integer as an unsigned one of 64 bits: that of its bits, or if it has more than 32, its exact value.
  Value exactUnsigned(Value value) {
    Location loc = value.getLoc();
    if (!wide.contains(value)) {
      return arith::ExtUIOp::create(builder, loc, tile::withElementType(value.getType(), builder.getI64Type()), value);
    }
    Value full = exact(value);
    auto is = [&](arith::CmpIPredicate predicate, int64_t limit) -> Value {
      return arith::CmpIOp::create(builder, loc, predicate, full, constant(full, limit));
    };
    builder.setInsertionPointAfterValue(full);
    Value hasSign = arith::AndIOp::create(builder, loc, is(arith::CmpIPredicate::slt, 0),
                                          is(arith::CmpIPredicate::sge, std::numeric_limits<int32_t>::min()));
    Value bits = arith::AddIOp::create(builder, loc, full, constant(full, int64_t(1) << 32));
    return arith::SelectOp::create(builder, loc, hasSign, bits, full);
  }

  void rewrite(arith::CmpIOp compare) {
    Value lhs = withExactSources(compare.getLhs()), rhs = withExactSources(compare.getRhs());
    bool isNarrow = integerBits(lhs.getType()) == 32;
    if (isNarrow && (wide.contains(lhs) || wide.contains(rhs))) {
      bool isUnsigned = compare.getPredicate() >= arith::CmpIPredicate::ult;
      builder.setInsertionPoint(compare);
      lhs = isUnsigned ? exactUnsigned(lhs) : exact(lhs);
      builder.setInsertionPoint(compare);
      rhs = isUnsigned ? exactUnsigned(rhs) : exact(rhs);
    }
    compare->setOperands({lhs, rhs});
  }

  AddressArithmetic addresses;
  DenseSet<Value> wide;
  CarriedValues carried;
  OpBuilder builder;
  DenseMap<Value, Value> exactOf;
};

} // namespace

void widenOffsets(FunctionOpInterface function, Widened which) {
  DenseSet<Value> wide = findWideValues(function, AddressArithmetic(function), which);
  if (wide.empty()) {
    return;
  }
  CarriedValues carried = carryWide(function, wide);
  Widening(function, which, std::move(carried)).run(function);
  IRRewriter rewriter(function.getContext());
  (void)runRegionDCE(rewriter, function->getRegions()); // fails if there is nothing to remove
}

} // namespace tilewright
