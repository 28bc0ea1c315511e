// Axis properties, and the data-flow analysis that propagates them through control flow.

#include "tilewright/Analysis/AxisInfo.h"

#include "tilewright/Analysis/AxisTransfer.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tilewright;
using tile::TileDialect;

int64_t axis::powerOfTwoIn(int64_t value) {
  constexpr int kMost = llvm::countr_zero_constexpr(static_cast<uint64_t>(AxisInfo::kMaxDivisibility));
  return int64_t(1) << std::min(llvm::countr_zero(static_cast<uint64_t>(value)), kMost); // 64 zeros for 0
}

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

int64_t AxisProperties::divisibilityAt(int64_t group) const {
  return group < contiguity ? std::min(divisibility, group * unit) : divisibility;
}

bool AxisProperties::operator==(const AxisProperties &other) const {
  return contiguity == other.contiguity && divisibility == other.divisibility && constancy == other.constancy;
}

/// 1 for integers, the power of two in the pointee's size in bytes for pointers.
static int64_t getUnit(Type type) {
  auto ptr = dyn_cast<tile::PtrType>(tile::getElementType(type));
  if (!ptr) {
    return 1;
  }
  Type pointee = ptr.getPointee();
  unsigned bits = pointee.isIntOrFloat() ? pointee.getIntOrFloatBitWidth() : 64;
  return axis::powerOfTwoIn(llvm::divideCeil(bits, 8));
}

/// A scalar has one dimension of size 1.
static SmallVector<int64_t> getAxisSizes(Type type) {
  ArrayRef<int64_t> shape = tile::getShape(type);
  return shape.empty() ? SmallVector<int64_t>{1} : SmallVector<int64_t>(shape);
}

/// The longest run of consecutive values of a type that starts at a multiple of its length, both as signed and as
/// unsigned integers.
static int64_t longestRunOf(Type type) {
  auto integer = dyn_cast<IntegerType>(tile::getElementType(type));
  unsigned bits = integer ? integer.getWidth() : 64;
  return int64_t(1) << std::min(bits - 1, 30u);
}

AxisProperties AxisInfo::cutToAligned(AxisProperties fact) {
  int64_t group = std::min(fact.contiguity, fact.divisibility);
  fact.divisibility = fact.divisibilityAt(group);
  fact.contiguity = group;
  return fact;
}

AxisInfo::AxisInfo(Type type, ArrayRef<AxisProperties> newProperties, bool mayWrap) : properties(newProperties) {
  SmallVector<int64_t> sizes = getAxisSizes(type);
  assert(properties.size() == sizes.size() && "one entry per dimension");
  for (auto [fact, size] : llvm::zip_equal(properties, sizes)) {
    int64_t longest = axis::powerOfTwoIn(size), run = std::min(longest, longestRunOf(type));
    fact.unit = getUnit(type);
    fact.divisibility = std::min(fact.divisibilityAt(run), kMaxDivisibility);
    fact.contiguity = std::min(fact.contiguity, run);
    fact.constancy = std::min(fact.constancy, longest);
    wraps |= mayWrap && fact.contiguity > fact.divisibility;
  }
}

AxisInfo AxisInfo::unknown(Type type) { return AxisInfo(type, SmallVector<AxisProperties>(getAxisSizes(type).size())); }

AxisInfo AxisInfo::constant(Type type, int64_t value) {
  AxisProperties fact;
  fact.divisibility = axis::powerOfTwoIn(value);
  fact.constancy = kMaxDivisibility;
  AxisInfo info(type, SmallVector<AxisProperties>(getAxisSizes(type).size(), fact));
  info.knownValue = value;
  return info;
}

AxisInfo AxisInfo::join(const AxisInfo &lhs, const AxisInfo &rhs) {
  if (!lhs.isInitialized() || !rhs.isInitialized()) {
    return lhs.isInitialized() ? lhs : rhs;
  }
  AxisInfo result = lhs;
  for (auto [fact, l, r] : llvm::zip_equal(result.properties, lhs.properties, rhs.properties)) {
    fact.contiguity = std::min(l.contiguity, r.contiguity);
    fact.divisibility = std::min(l.divisibilityAt(fact.contiguity), r.divisibilityAt(fact.contiguity));
    fact.constancy = std::min(l.constancy, r.constancy);
  }
  result.wraps = lhs.wraps || rhs.wraps;
  if (lhs.knownValue != rhs.knownValue) {
    result.knownValue.reset();
  }
  return result;
}

int64_t AxisInfo::getDivisibilityOfAll() const {
  int64_t best = 1;
  for (const AxisProperties &fact : properties) {
    best = std::max(best, fact.divisibilityAt(1));
  }
  return best;
}

void AxisInfo::assume(Type type, ArrayRef<int64_t> contiguity, ArrayRef<int64_t> divisibility,
                      ArrayRef<int64_t> constancy) {
  auto raise = [](int64_t &fact, ArrayRef<int64_t> hints, unsigned dim) {
    if (dim < hints.size() && hints[dim] > 0) {
      fact = std::max(fact, axis::powerOfTwoIn(hints[dim]));
    }
  };
  if (wraps && !contiguity.empty()) { // The user's hint asserts that runs do not wrap.
    llvm::transform(properties, properties.begin(), cutToAligned);
    wraps = false;
  }
  for (auto [dim, fact] : llvm::enumerate(properties)) {
    raise(fact.contiguity, contiguity, dim);
    raise(fact.divisibility, divisibility, dim);
    raise(fact.constancy, constancy, dim);
  }
  std::optional<int64_t> value = knownValue;
  *this = AxisInfo(type, properties, wraps);
  knownValue = value;
}

bool AxisInfo::operator==(const AxisInfo &other) const {
  return properties == other.properties && knownValue == other.knownValue && wraps == other.wraps;
}

void AxisInfo::print(raw_ostream &os) const {
  auto printField = [&](StringRef name, int64_t AxisProperties::*field) {
    os << name << " = [";
    llvm::interleaveComma(properties, os, [&](const AxisProperties &fact) { os << fact.*field; });
    os << "]";
  };
  printField("contiguity", &AxisProperties::contiguity);
  printField(", divisibility", &AxisProperties::divisibility);
  printField(", constancy", &AxisProperties::constancy);
  if (knownValue) {
    os << ", value = " << *knownValue;
  }
  if (wraps) {
    os << ", wraps";
  }
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

/// A hint on an argument is one integer for a scalar and an array for a tile.
static SmallVector<int64_t> readHint(Attribute attr) {
  if (auto scalar = dyn_cast_or_null<IntegerAttr>(attr)) {
    return {scalar.getInt()};
  }
  if (auto array = dyn_cast_or_null<DenseI32ArrayAttr>(attr)) {
    return llvm::to_vector_of<int64_t>(array.asArrayRef());
  }
  return {};
}

/// The properties given by argument attributes of the function; unknown for other values.
static AxisInfo atEntry(Value value) {
  AxisInfo info = AxisInfo::unknown(value.getType());
  auto arg = dyn_cast<BlockArgument>(value);
  auto function = arg ? dyn_cast<FunctionOpInterface>(arg.getOwner()->getParentOp()) : nullptr;
  if (function && arg.getOwner()->isEntryBlock()) {
    auto hint = [&](StringRef name) { return readHint(function.getArgAttr(arg.getArgNumber(), name)); };
    info.assume(value.getType(), hint(TileDialect::kContiguityAttr), hint(TileDialect::kDivisibilityAttr),
                hint(TileDialect::kConstancyAttr));
  }
  return info;
}

//===----------------------------------------------------------------------===//
// Data flow
//===----------------------------------------------------------------------===//

namespace {
using AxisLattice = dataflow::Lattice<AxisInfo>;
using ConstantLattice = dataflow::Lattice<dataflow::ConstantValue>;

class AxisDataFlow : public dataflow::SparseForwardDataFlowAnalysis<AxisLattice> {
public:
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  LogicalResult visitOperation(Operation *op, ArrayRef<const AxisLattice *> operands,
                               ArrayRef<AxisLattice *> results) override;
  void visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor, ArrayRef<AxisLattice *> args,
                                    unsigned firstIndex) override;
  void setToEntryState(AxisLattice *lattice) override {
    propagateIfChanged(lattice, lattice->join(atEntry(lattice->getAnchor())));
  }

private:
  std::optional<int64_t> foldedValue(Operation *op, Value result);
};
} // namespace

/// The value found by constant propagation for an integer or for all elements of a tile.
std::optional<int64_t> AxisDataFlow::foldedValue(Operation *op, Value result) {
  const auto *lattice = getOrCreateFor<ConstantLattice>(getProgramPointAfter(op), result);
  if (lattice->getValue().isUninitialized()) {
    return std::nullopt;
  }
  Attribute attr = lattice->getValue().getConstantValue();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(attr); splat && splat.getElementType().isIntOrIndex()) {
    attr = splat.getSplatValue<Attribute>();
  }
  auto integer = dyn_cast_or_null<IntegerAttr>(attr);
  if (!integer || integer.getValue().getSignificantBits() > 64) {
    return std::nullopt;
  }
  bool isBool = integer.getType().isInteger(1);
  return isBool ? int64_t(integer.getValue().getZExtValue()) : integer.getValue().getSExtValue();
}

LogicalResult AxisDataFlow::visitOperation(Operation *op, ArrayRef<const AxisLattice *> operands,
                                           ArrayRef<AxisLattice *> results) {
  SmallVector<const AxisInfo *> infos;
  for (const AxisLattice *operand : operands) {
    if (!operand->getValue().isInitialized()) {
      return success(); // Visited again when the operand is known.
    }
    infos.push_back(&operand->getValue());
  }
  for (auto [lattice, result] : llvm::zip_equal(results, op->getResults())) {
    Type type = result.getType();
    std::optional<int64_t> value = foldedValue(op, result);
    AxisInfo info = value ? AxisInfo::constant(type, *value) : axis::transfer(op, infos, type);
    if (auto hint = dyn_cast<tile::HintOp>(op)) {
      info.assume(type, readHint(hint.getContiguityAttr()), readHint(hint.getDivisibilityAttr()),
                  readHint(hint.getConstancyAttr()));
    }
    propagateIfChanged(lattice, lattice->join(info));
  }
  return success();
}

/// The induction variable of a loop is its lower bound plus a multiple of its step.
void AxisDataFlow::visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor,
                                                ArrayRef<AxisLattice *> args, unsigned firstIndex) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop || args.empty()) {
    return SparseForwardDataFlowAnalysis::visitNonControlFlowArguments(op, successor, args, firstIndex);
  }
  ProgramPoint *point = getProgramPointBefore(loop.getBody());
  const AxisInfo &lower = getLatticeElementFor(point, loop.getLowerBound())->getValue();
  const AxisInfo &step = getLatticeElementFor(point, loop.getStep())->getValue();
  if (!lower.isInitialized() || !step.isInitialized()) {
    return;
  }
  AxisProperties fact;
  fact.divisibility = std::min(lower.getDivisibility(0), step.getDivisibility(0));
  AxisInfo info(loop.getInductionVar().getType(), fact);
  propagateIfChanged(args.front(), args.front()->join(info));
}

AxisInfoAnalysis::AxisInfoAnalysis(Operation *root) {
  DataFlowSolver solver;
  dataflow::loadBaselineAnalyses(solver);
  solver.load<AxisDataFlow>();
  if (failed(solver.initializeAndRun(root))) {
    return;
  }
  auto keep = [&](Value value) {
    const auto *state = solver.lookupState<AxisLattice>(value);
    if (state && state->getValue().isInitialized()) {
      infos.try_emplace(value, std::make_unique<AxisInfo>(state->getValue()));
    }
  };
  root->walk([&](Operation *op) {
    llvm::for_each(op->getResults(), keep);
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        llvm::for_each(block.getArguments(), keep);
      }
    }
  });
}

const AxisInfo &AxisInfoAnalysis::get(Value value) {
  auto [entry, isNew] = infos.try_emplace(value);
  if (isNew) {
    entry->second = std::make_unique<AxisInfo>(AxisInfo::unknown(value.getType()));
  }
  return *entry->second;
}
