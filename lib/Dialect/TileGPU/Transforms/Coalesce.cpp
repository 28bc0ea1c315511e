// coalesce: chooses coalesced layouts for accesses to global memory. See Passes.td.
//
// Accesses connected by elementwise operations get one layout, so that no data move between threads:
//
//     %x = load fp16 (vectors of 8)  ->  %y = extf, mulf, ...  ->  store fp32 (vectors of 4)
//
// The pass tries every vector width from the widest down to one element on the whole group and takes the one with the
// lowest total cost, the widest among equals.
//
// A dot's operands are read from shared memory along K. Where no instruction transposes there, a thread loads adjacent
// rows of an operand that is contiguous along the other dimension, so that it holds, and can store, elements along K.

#include "BlockedLayout.h"
#include "CostModel.h"
#include "tilewright/Analysis/AxisInfo.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::LinearLayout;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_COALESCE
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

namespace {

/// Groups tiles that are connected by elementwise operations, scans and control flow. Addresses and masks are not
/// considered: they are cheap to compute twice.
class DataFlow {
public:
  explicit DataFlow(Operation *root) {
    root->walk([&](Operation *op) { visit(op); });
  }

  /// An identifier of the group that the value belongs to.
  void *classOf(Value value) { return classes.getOrInsertLeaderValue(value.getAsOpaquePointer()); }

private:
  static bool isData(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && !isa<tile::PtrType>(type.getElementType()) && !type.getElementType().isInteger(1);
  }

  void connect(Value left, Value right) {
    if (isData(left) && isData(right)) {
      classes.unionSets(left.getAsOpaquePointer(), right.getAsOpaquePointer());
    }
  }

  void visit(Operation *op) {
    if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
      connectRegions(branch);
    } else if (op->hasTrait<OpTrait::Elementwise>() || isa<ConvertLayoutOp, tile::ScanOp>(op)) {
      for (Value operand : op->getOperands()) {
        connect(operand, op->getResult(0));
      }
    }
  }

  /// Connects operands of the operation and its terminators with the block arguments and results they become.
  void connectRegions(RegionBranchOpInterface branch) {
    RegionBranchSuccessorMapping mapping;
    branch.getSuccessorOperandInputMapping(mapping);
    for (auto &[operand, inputs] : mapping) {
      for (Value input : inputs) {
        connect(operand->get(), input);
      }
    }
  }

  llvm::EquivalenceClasses<void *> classes;
};

/// How many elements along a dimension one access may cover: consecutive, aligned, and under a uniform mask.
int64_t widthAlong(const AxisProperties &address, int64_t uniformMask, int64_t elementBytes, int64_t vectorBytes) {
  int64_t width = std::min({vectorBytes / elementBytes, address.contiguity, uniformMask});
  while (width > 1 && address.divisibilityAt(width) < width * elementBytes) {
    width /= 2;
  }
  return std::max<int64_t>(1, width);
}

/// Records on an access what axis analysis knows about its addresses. Later passes do not repeat the analysis.
void describe(tile::MemoryAccessOpInterface access, AxisInfoAnalysis &axis) {
  auto type = dyn_cast<RankedTensorType>(access.getPtr().getType());
  if (!type) {
    return;
  }
  const AxisInfo &address = axis.get(access.getPtr());
  Value mask = access.getMask();
  int64_t elementBytes = bytesOf(cast<tile::PtrType>(type.getElementType()).getPointee());
  SmallVector<int64_t> contiguity, width;
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    int64_t uniformMask = mask ? axis.get(mask).getConstancy(dim) : type.getDimSize(dim);
    contiguity.push_back(address.getContiguity(dim));
    width.push_back(widthAlong(address[dim], uniformMask, elementBytes, targetOf(access).vectorBytes));
  }
  Builder builder(access.getContext());
  access.setContiguityAttr(builder.getDenseI64ArrayAttr(contiguity));
  access.setVectorWidthAttr(builder.getDenseI64ArrayAttr(width));
}

/// Accesses that share one layout.
struct Group {
  SmallVector<Operation *> ops;
  SmallVector<AccessProperties> properties;
  bool isReduced = false; ///< whether some reduction is along the fastest dimension
  std::optional<int> k;   ///< the dimension along which a dot reads the tiles, if it is not the fastest one
};

/// The tile that an access reads or writes.
Value dataOf(Operation *op) { return op->getNumResults() ? op->getResult(0) : op->getOperand(1); }

class Coalesce : public tilegpu::impl::CoalesceBase<Coalesce> {
public:
  void runOnOperation() override {
    AxisInfoAnalysis axis(getOperation());
    getOperation()->walk([&](tile::MemoryAccessOpInterface access) { describe(access, axis); });
    getOperation()->walk([](tile::HintOp hint) { // axis analysis has used it
      hint.replaceAllUsesWith(hint.getSrc());
      hint.erase();
    });
    for (auto &[key, group] : collect()) {
      LinearLayout map = decide(group);
      for (Operation *op : group.ops) {
        convert(op, LayoutAttr::get(&getContext(), map));
      }
    }
  }

private:
  using Key = std::pair<void *, layout::Order>;
  using Groups = llvm::MapVector<Key, Group, std::map<Key, unsigned>>;

  Groups collect() {
    DataFlow flow(getOperation());
    Groups groups;
    getOperation()->walk([&](tile::MemoryAccessOpInterface access) {
      if (auto properties = propertiesOf(access)) {
        Group &group = groups[{flow.classOf(dataOf(access)), properties->order}];
        group.ops.push_back(access);
        group.properties.push_back(*properties);
      }
    });
    auto classOf = [&](Value value) { return flow.classOf(value); };
    getOperation()->walk([&](tile::ReduceOp reduce) {
      for (auto &entry : groups) {
        auto [data, order] = entry.first;
        entry.second.isReduced |= order.front() == static_cast<int>(reduce.getAxis()) &&
                                  llvm::is_contained(llvm::map_range(reduce.getOperands(), classOf), data);
      }
    });
    if (targetOf(getOperation()).matrixMoves.empty()) {
      noteDots(groups, flow);
    }
    return groups;
  }

  void noteDots(Groups &groups, DataFlow &flow) {
    getOperation()->walk([&](tile::DotOp dot) {
      int rank = static_cast<int>(dot.getType().getRank());
      for (auto [operand, k] : {std::pair(Value(dot.getA()), rank - 1), {dot.getB(), rank - 2}}) {
        for (auto &[key, group] : groups) {
          if (key.first == flow.classOf(operand) && key.second.front() != k) {
            group.k = k;
          }
        }
      }
    });
  }

  /// How many adjacent elements along K a thread holds, beside vectors of `vectorWidth`. Short rows are loaded in the
  /// order of addresses. A thread needs the registers of its elements twice, to transpose them before it stores them.
  static int64_t elementsAlongK(const AccessProperties &properties, int64_t vectorWidth, int64_t perThread,
                                int64_t vectorBytes) {
    constexpr int64_t kMostBytes = 128;
    int64_t rowBytes = properties.shape[properties.order.front()] * properties.elementBytes;
    if (rowBytes < 4 * vectorBytes || perThread * properties.elementBytes > kMostBytes) {
      return 1;
    }
    int64_t most = std::max<int64_t>(1, vectorBytes / properties.elementBytes);
    return std::clamp<int64_t>(perThread / vectorWidth, 1, most);
  }

  /// The cheapest layout among those whose vectors leave no thread without elements.
  LinearLayout decide(const Group &group) {
    const layout::Shape &shape = group.properties.front().shape;
    const layout::Order &order = group.properties.front().order;
    // Give each warp separate rows: a reduction of rows then stays inside a warp, and each warp's accesses cost the
    // same.
    layout::Order warpOrder = order;
    if (group.isReduced) {
      std::rotate(warpOrder.begin(), warpOrder.begin() + 1, warpOrder.end());
    }
    Threads threads = threadsOf(getOperation());
    int64_t elements = llvm::product_of(shape);
    int64_t widest = llvm::max_element(group.properties, [](auto &l, auto &r) { return l.vector < r.vector; })->vector;
    widest = std::max<int64_t>(1, std::min(widest, elements / threads.count()));
    std::optional<std::pair<Cost, LinearLayout>> best;
    for (int64_t vectorWidth = widest; vectorWidth >= 1; vectorWidth /= 2) {
      layout::Shape perThread(shape.size(), 1);
      perThread[order.front()] = vectorWidth;
      if (group.k) {
        perThread[*group.k] = elementsAlongK(group.properties.front(), vectorWidth, elements / threads.count(),
                                             targetOf(getOperation()).vectorBytes);
      }
      LinearLayout map = blockedLayout(shape, order, perThread, threads, warpOrder);
      Cost cost = 0;
      for (const AccessProperties &properties : group.properties) {
        cost += accessCost(properties, map, targetOf(getOperation()));
      }
      if (!best || cost < best->first) {
        best = {cost, map};
      }
    }
    return best->second; // NOLINT(bugprone-unchecked-optional-access): `widest` is at least 1
  }

  void convert(Operation *op, LayoutAttr layout) {
    OpBuilder builder(op);
    auto converted = [&](Value value, Type type) -> Value {
      return value.getType() == type ? value : ConvertLayoutOp::create(builder, op->getLoc(), type, value);
    };
    for (OpOperand &operand : op->getOpOperands()) {
      operand.set(converted(operand.get(), withLayout(operand.get().getType(), layout)));
    }
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults()) {
      Type old = result.getType();
      result.setType(withLayout(old, layout));
      if (result.getType() != old) {
        Value back = converted(result, old);
        result.replaceAllUsesExcept(back, back.getDefiningOp());
      }
    }
  }
};

} // namespace
