// choose-mma: gives dots a matrix instruction, or layouts for multiply-adds. See Passes.td.

#include "../GroupOperands.h"
#include "DotLayouts.h"
#include "GroupMma.h"
#include "Precision.h"
#include "tilewright/Dialect/Tile/Transforms/Decisions.h"
#include "tilewright/Dialect/TileGPU/IR/PartialSums.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using hardware::ElementType;
using hardware::MmaInstruction;
using layout::LinearLayout;
using tile::DotOp;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_CHOOSEMMA
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

//===----------------------------------------------------------------------===//
// The instruction
//===----------------------------------------------------------------------===//

static DotShape shapeOf(DotOp dot) {
  ArrayRef<int64_t> a = tile::getShape(dot.getA().getType()), c = tile::getShape(dot.getType());
  int rank = static_cast<int>(c.size());
  return {rank == 3 ? c[0] : 1, c[rank - 2], c[rank - 1], a[rank - 1], rank};
}

static std::optional<ElementType> elementTypeOf(Type type, bool roundsToTf32) {
  if (type.isF32()) {
    return roundsToTf32 ? ElementType::TF32 : ElementType::F32;
  }
  return llvm::TypeSwitch<Type, std::optional<ElementType>>(type)
      .Case([](Float16Type) { return ElementType::F16; })
      .Case([](BFloat16Type) { return ElementType::BF16; })
      .Case([](Float64Type) { return ElementType::F64; })
      .Case([](Float8E4M3FNType) { return ElementType::E4M3; })
      .Case([](Float8E5M2Type) { return ElementType::E5M2; })
      .Case([](Float8E4M3FNUZType) { return ElementType::E4M3FNUZ; })
      .Case([](Float8E5M2FNUZType) { return ElementType::E5M2FNUZ; })
      .Case([](IntegerType type) -> std::optional<ElementType> {
        return type.getWidth() == 8    ? std::optional(ElementType::S8)
               : type.getWidth() == 32 ? std::optional(ElementType::S32)
                                       : std::nullopt;
      })
      .Default([](Type) { return std::nullopt; });
}

/// Whether a tile of rows x columns, which may be smaller than the operand's fragment, has all elements of a value.
static bool hasWholeValues(const hardware::MmaOperand &operand, int64_t rows, int64_t columns) {
  int bits = layout::log2Exact(operand.elementsPerValue());
  for (int bit = 0; bit < bits; ++bit) {
    if (operand.fragment.basis(layout::kRegister, bit, layout::dimName(0)) >= rows ||
        operand.fragment.basis(layout::kRegister, bit, layout::dimName(1)) >= columns) {
      return false;
    }
  }
  return true;
}

/// Whether the instruction can compute the tile, which may have fewer rows and columns than it has, but not fewer than
/// a value with elements. Fewer elements along K would be added several times.
static bool fits(const MmaInstruction &row, const DotShape &shape) {
  return row.shape.k <= shape.k && hasWholeValues(row.a(), shape.m, shape.k) &&
         hasWholeValues(row.b(), shape.k, shape.n) && hasWholeValues(row.c(), shape.m, shape.n);
}

/// Whether the target has instructions that round float32 operands to tf32. Others multiply float32 as such.
static bool hasTf32(DotOp dot) {
  return llvm::any_of(targetOf(dot).mma,
                      [](const MmaInstruction *row) { return row->a().element == ElementType::TF32; });
}

/// None if no instruction has one of the types.
static std::optional<DotTypes> typesOf(DotOp dot) {
  bool roundsToTf32 = dot.getPrecision() != tile::InputPrecision::IEEE && hasTf32(dot);
  auto a = elementTypeOf(tile::getElementType(dot.getA().getType()), roundsToTf32);
  auto b = elementTypeOf(tile::getElementType(dot.getB().getType()), roundsToTf32);
  auto accumulator = elementTypeOf(tile::getElementType(dot.getType()), false);
  return a && b && accumulator ? std::optional(DotTypes{*a, *b, *accumulator}) : std::nullopt;
}

/// Whether each lane holds elements of the same rows in the result and in A.
static bool keepsRowsInLanes(const MmaInstruction &row) {
  const LinearLayout &a = row.a().fragment, &c = row.c().fragment;
  return llvm::all_of(llvm::seq(layout::log2Exact(c.inSize(layout::kLane))), [&](int bit) {
    return a.basis(layout::kLane, bit, layout::dimName(0)) == c.basis(layout::kLane, bit, layout::dimName(0));
  });
}

/// How many bits of the lane select the same columns in the result and in A, whose columns are along K.
static int64_t columnsKeptInLanes(const MmaInstruction &row) {
  const LinearLayout &a = row.a().fragment, &c = row.c().fragment;
  return llvm::count_if(llvm::seq(layout::log2Exact(c.inSize(layout::kLane))), [&](int bit) {
    return a.basis(layout::kLane, bit, layout::dimName(1)) == c.basis(layout::kLane, bit, layout::dimName(1));
  });
}

/// How little data moves between lanes where results of the row become A in a chain of dots. Other dots prefer rows
/// that do not have this property, where the target has such.
static std::pair<bool, int64_t> suitsChain(const MmaInstruction &row, const DotChain &chain) {
  bool keepsRows = keepsRowsInLanes(row);
  return {keepsRows == chain.isIn, chain.isComputed && keepsRows ? columnsKeptInLanes(row) : 0};
}

/// The instruction of the target that accepts the element types and computes most of the tile at once; null if there is
/// none. Prefers instructions with `side` rows and `side` columns, if it is not 0, and among equals those whose
/// results suit chains.
static const MmaInstruction *chooseRow(DotOp dot, int64_t side, const DotChain &chain = {}) {
  std::optional<DotTypes> types = typesOf(dot);
  if (!types) {
    return nullptr;
  }
  DotShape shape = shapeOf(dot);
  // The products of elements of the tile that an instruction computes, and all of its products.
  auto products = [&](const MmaInstruction &row) {
    auto [m, n, k] = row.shape;
    bool isWanted = m == side && n == side;
    return std::tuple(isWanted, std::min(m, shape.m) * std::min(n, shape.n) * k, suitsChain(row, chain), -(m * n * k));
  };
  const MmaInstruction *best = nullptr;
  for (const MmaInstruction *row : targetOf(dot).mma) {
    bool takes = row->a().element == types->a && row->b().element == types->b && row->c().element == types->accumulator;
    if (takes && fits(*row, shape) && (!best || products(*row) > products(*best))) {
      best = row;
    }
  }
  return best;
}

/// States why a dot is computed without matrix instructions, by multiply-adds of single elements.
static void stateMultiplyAdds(DotOp dot) {
  constexpr llvm::StringLiteral kChoice = "matrix instruction";
  std::optional<DotTypes> types = typesOf(dot);
  if (types && types->a == ElementType::F32 && types->b == ElementType::F32 && hasTf32(dot)) {
    return stateRejected(dot, kChoice, "input_precision=\"ieee\" does not let float32 operands be rounded to tf32");
  }
  bool hasTypes =
      types && llvm::any_of(targetOf(dot).mma, [&](const MmaInstruction *row) {
        return row->a().element == types->a && row->b().element == types->b && row->c().element == types->accumulator;
      });
  DotShape shape = shapeOf(dot);
  stateRejected(dot, kChoice,
                hasTypes ? "K = " + Twine(shape.k) + " or N = " + Twine(shape.n) + " is less than one computes"
                         : "the GPU has none for these element types");
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

/// Collects the dots from whose results `value` is computed by elementwise operations.
static void collectSources(Value value, DenseSet<Operation *> &seen, SmallVectorImpl<DotOp> &sources) {
  Operation *op = value.getDefiningOp();
  if (!op || !seen.insert(op).second) {
    return;
  }
  if (auto dot = dyn_cast<DotOp>(op)) {
    sources.push_back(dot);
  } else if (op->hasTrait<OpTrait::Elementwise>() || isa<ConvertLayoutOp>(op)) {
    for (Value operand : op->getOperands()) {
      collectSources(operand, seen, sources);
    }
  }
}

namespace {
/// Dots of which one's A is computed from another's result: `(q @ k) @ v`. If each warp holds the same rows of the
/// first result and of the second A, no data cross warps.
struct Chains {
  DenseSet<Operation *> dots;     ///< both
  DenseSet<Operation *> computed; ///< those whose A is computed

  explicit Chains(ArrayRef<DotOp> all) {
    for (DotOp dot : all) {
      DenseSet<Operation *> seen;
      SmallVector<DotOp> sources;
      collectSources(dot.getA(), seen, sources);
      dots.insert_range(sources);
      if (!sources.empty()) {
        dots.insert(dot);
        computed.insert(dot);
      }
    }
  }

  DotChain of(DotOp dot) const { return {computed.contains(dot), dots.contains(dot)}; }
};
} // namespace

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

namespace {

class ChooseMma : public tilegpu::impl::ChooseMmaBase<ChooseMma> {
public:
  using ChooseMmaBase::ChooseMmaBase;

  void runOnOperation() override {
    bool hasCalls = getOperation()->walk([](tile::CallOp) { return WalkResult::interrupt(); }).wasInterrupted();
    SmallVector<DotOp> found, dots;
    getOperation()->walk([&](DotOp dot) { found.push_back(dot); });
    for (DotOp dot : found) {
      llvm::append_range(dots, prepare(dot));
    }
    // All decisions come first: they look at the operations around the dots.
    Chains chains(dots);
    SmallVector<std::optional<GroupDot>> planned;
    for (DotOp dot : dots) {
      std::optional<DotTypes> types = groups ? typesOf(dot) : std::nullopt;
      if (types && hasCalls && !targetOf(dot).groupMma.empty()) {
        stateRejected(dot, kGroupMmaChoice, "the kernel calls functions, across which no registers can be in flight");
        types.reset();
      }
      planned.push_back(types ? planGroupDot(dot, shapeOf(dot), *types, chains.of(dot)) : std::nullopt);
    }
    for (auto [dot, group] : llvm::zip_equal(dots, planned)) {
      if (group) {
        rewrite(dot, *group);
      } else {
        rewrite(dot, chains.of(dot));
      }
    }
  }

private:
  /// Rewrites the dot to element types that an instruction supports, if possible.
  SmallVector<DotOp> prepare(DotOp dot) {
    const MmaInstruction *row = chooseRow(dot, side);
    if (!row && canWidenToHalf(dot)) {
      widenToHalf(dot);
    }
    if (row && row->a().element == ElementType::TF32 && dot.getPrecision() == tile::InputPrecision::TF32x3) {
      return splitIntoThree(dot);
    }
    return {dot};
  }

  static Value converted(OpBuilder &builder, Location loc, Value value, const LinearLayout &map) {
    auto type = withLayout(cast<RankedTensorType>(value.getType()), map);
    return ConvertLayoutOp::create(builder, loc, type, value);
  }

  static void rewrite(DotOp dot, const GroupDot &group) {
    OpBuilder builder(dot);
    Location loc = dot.getLoc();
    Value a = group.isSwapped ? dot.getB() : dot.getA(), b = group.isSwapped ? dot.getA() : dot.getB();
    a = group.registerA ? converted(builder, loc, a, group.a) : a;
    b = group.isSwapped ? tile::TransOp::create(builder, loc, b, ArrayRef<int32_t>{1, 0}).getResult() : b;
    Value acc = converted(builder, loc, dot.getAcc(), group.accumulator);
    auto product = GroupMmaOp::create(builder, loc, acc.getType(), a, b, acc, /*continues=*/Value(), group.row->name(),
                                      group.registerA,
                                      /*transposedA=*/group.isSwapped, /*transposedB=*/false,
                                      /*transposedC=*/group.isSwapped, /*async=*/false);
    if (group.movesToRegisters) {
      product->setAttr(kMovesToRegistersAttr, builder.getUnitAttr());
    }
    if (group.partialK) {
      product->setAttr(kPartialKAttr, builder.getI64IntegerAttr(*group.partialK));
    }
    dot.replaceAllUsesWith(converted(builder, loc, product, mapOf(dot.getResult())));
    dot.erase();
  }

  void rewrite(DotOp dot, const DotChain &chain) {
    DotShape shape = shapeOf(dot);
    const MmaInstruction *row = chooseRow(dot, side, chain);
    if (!row && collectsDecisions(dot)) {
      stateMultiplyAdds(dot);
    }
    if (!groups && !targetOf(dot).groupMma.empty()) {
      stateRejected(dot, kGroupMmaChoice, "the accumulators of the kernel's dots would not fit the registers");
    }
    DotLayouts layouts = row ? mmaLayouts(shape, *row, chooseWarpGrid(shape, row->shape, numWarps(dot), chain.isIn))
                             : multiplyAddLayouts(shape, threadsOf(dot));
    OpBuilder builder(dot);
    Location loc = dot.getLoc();
    Value a = converted(builder, loc, dot.getA(), layouts.a), b = converted(builder, loc, dot.getB(), layouts.b);
    Value acc = converted(builder, loc, dot.getAcc(), layouts.accumulator);
    Value product = row ? MmaOp::create(builder, loc, acc.getType(), a, b, acc, row->name).getResult()
                        : DotOp::create(builder, loc, acc.getType(), a, b, acc, dot.getPrecision()).getResult();
    dot.replaceAllUsesWith(converted(builder, loc, product, mapOf(dot.getResult())));
    dot.erase();
  }
};

} // namespace
