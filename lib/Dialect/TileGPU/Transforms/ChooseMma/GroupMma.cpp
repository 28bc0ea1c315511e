#include "GroupMma.h"

#include "../GroupOperands.h"
#include "tilewright/Dialect/Tile/IR/ImpreciseSums.h"
#include "tilewright/Dialect/Tile/Transforms/Decisions.h"
#include "tilewright/Hardware/NvidiaInstructions.h"
#include "tilewright/Layout/Algebra.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <tuple>

using namespace mlir;

namespace tilewright::tilegpu {

using hardware::ElementType;
using hardware::GroupMmaInstruction;
using layout::Operand;

namespace {
/// The warp groups along M and N, and the columns that one instruction computes.
struct GroupGrid {
  int64_t m, n, columns;
};
} // namespace

/// The instructions read the fewest elements from shared memory: each reads its rows of A and its columns of B.
static std::optional<GroupGrid> chooseGrid(const GroupMmaInstruction &row, const DotShape &shape, int64_t groups,
                                           bool rowsOnly) {
  constexpr int64_t kMostColumns = 256;
  std::optional<std::tuple<int64_t, int64_t>> least;
  std::optional<GroupGrid> best;
  for (int64_t m = groups; m >= 1; m /= 2) {
    int64_t n = groups / m, columns = std::min(shape.n / n, kMostColumns);
    if (shape.m < m * GroupMmaInstruction::kRows || !row.takes(columns)) {
      continue;
    }
    int64_t count = shape.m / GroupMmaInstruction::kRows * (shape.n / columns);
    std::tuple cost(rowsOnly ? n : 0, count * (GroupMmaInstruction::kRows + columns));
    if (!least || cost < *least) {
      least = cost;
      best = {m, n, columns};
    }
  }
  return best;
}

/// Whether the operand can be put into shared memory such that the instruction reads it. `k` is its dimension of the
/// products' sums.
static bool canBeRead(Value operand, int k, const GroupMmaInstruction &row) {
  OperandSource source(operand);
  auto type = cast<RankedTensorType>(source.tile.getType());
  auto isLong = [&](int dim) { return swizzleOf(type.getDimSize(dim) * bytesOf(type.getElementType())).has_value(); };
  int along = source.fastest.value_or(source.dimOf(k));
  return (row.takesTransposed || along == source.dimOf(k)) && isLong(along);
}

/// Not for 8-bit floats that are added in float16: 13 bits below the largest summand would be kept of these.
static bool isOfRow(const GroupMmaInstruction &row, const DotTypes &types) {
  bool isPrecise = types.accumulator != ElementType::F16 || types.a == ElementType::F16;
  return isPrecise && row.a == types.a && row.b == types.b && row.accumulator == types.accumulator;
}

namespace {
/// The dot, or its transpose: (A B)^T = B^T A^T.
struct Orientation {
  bool isSwapped;
  DotShape shape;
};
} // namespace

/// How the row can compute the dot, the best way first, if its operands can be put into shared memory. Those for tf32
/// cut off what they read from there, so that `stage-group-operands` lets one operand go through registers, which round
/// it. The other one must be stored along K. Dots of dots keep mma.sync: their B is rarely stored along K, and
/// transposed sums would not fit the others. An operand that is converted from fewer bits goes through registers, too,
/// as A.
static SmallVector<Orientation> orientationsOf(tile::DotOp dot, const GroupMmaInstruction &row, const DotShape &shape,
                                               DotChain chain) {
  Orientation plain = {false, shape}, swapped = {true, {shape.batch, shape.n, shape.m, shape.k, shape.rank}};
  bool readsA = canBeRead(dot.getA(), 1, row), readsB = canBeRead(dot.getB(), 0, row);
  if (row.a == ElementType::TF32) {
    bool canBe = !chain.isIn && (readsA || readsB);
    return canBe ? SmallVector<Orientation>{readsB ? plain : swapped} : SmallVector<Orientation>();
  }
  if (!readsB || (!chain.isComputed && !readsA)) {
    return {};
  }
  bool onlyBIsWidened = !chain.isIn && isWidened(dot.getB()) && !isWidened(dot.getA());
  return onlyBIsWidened ? SmallVector<Orientation>{swapped, plain} : SmallVector<Orientation>{plain};
}

/// The layouts of A and of the accumulators.
static GroupDot layOut(const GroupMmaInstruction &row, const Orientation &orientation, const GroupGrid &grid,
                       bool registerA) {
  const DotShape &shape = orientation.shape;
  auto tiled = [&](Operand which, const layout::Shape &matrix) {
    layout::LinearLayout map = hardware::wgmmaOperand(which, row.operand(which, grid.columns), matrix,
                                                      {grid.m * GroupMmaInstruction::kWarps, grid.n});
    return orientation.isSwapped ? layout::transposed(map, {1, 0}) : map;
  };
  return {&row,
          registerA,
          /*movesToRegisters=*/false,
          orientation.isSwapped,
          tiled(Operand::A, {shape.m, shape.k}),
          tiled(Operand::C, {shape.m, shape.n}),
          std::nullopt};
}

/// The instructions add products of 8-bit floats with fewer bits than the accumulator has. A limit of the number of
/// such products is rounded up to whole instructions.
static std::optional<int64_t> choosePartialK(tile::DotOp dot, const GroupMmaInstruction &row, int64_t k) {
  int64_t limit = tile::maxNumImpreciseAcc(dot);
  bool isImprecise = row.accumulator == ElementType::F32 && hardware::bitsOf(row.a) == 8;
  return isImprecise && limit <= k ? std::optional<int64_t>(llvm::alignTo(std::max<int64_t>(limit, 1), row.k))
                                   : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Reasons
//===----------------------------------------------------------------------===//

/// Why no dot like this one is computed by warp groups; empty if some are.
static std::string whyNever(tile::DotOp dot, const DotShape &shape) {
  if (shape.rank != 2) {
    return "it multiplies a batch of matrices";
  }
  bool isWhole = numWarps(dot) % GroupMmaInstruction::kWarps == 0;
  return isWhole ? "" : "it takes groups of four warps, and num_warps is " + std::to_string(numWarps(dot));
}

/// Why `canBeRead` does not hold.
static std::string whyNotRead(Value operand, StringRef name, int k, const GroupMmaInstruction &row) {
  OperandSource source(operand);
  auto type = cast<RankedTensorType>(source.tile.getType());
  int along = source.fastest.value_or(source.dimOf(k));
  if (!row.takesTransposed && along != source.dimOf(k)) {
    return ("operand " + name + " is not contiguous along K in memory, and only 16-bit elements are read in that order")
        .str();
  }
  int64_t bytes = type.getDimSize(along) * bytesOf(type.getElementType());
  return ("a row of operand " + name + " has " + Twine(bytes) + " bytes, and the least swizzle has 32").str();
}

static std::string whyNoTypes(const DotTypes &types) {
  std::string_view a = hardware::nameOf(types.a), b = hardware::nameOf(types.b),
                   c = hardware::nameOf(types.accumulator);
  return ("no such instruction multiplies " + Twine(a) + " by " + Twine(b) + " with sums in " + Twine(c)).str();
}

/// Why the row has no orientation for the dot.
static std::string whyNoOrientation(tile::DotOp dot, const GroupMmaInstruction &row, DotChain chain) {
  if (row.a != ElementType::TF32) {
    bool readsB = canBeRead(dot.getB(), 0, row);
    return readsB ? whyNotRead(dot.getA(), "A", 1, row) : whyNotRead(dot.getB(), "B", 0, row);
  }
  return chain.isIn ? "one of two dots in a row has float32 operands, which have to be rounded to tf32"
                    : "neither float32 operand is contiguous along K in memory in rows of 32 bytes or more";
}

/// Why no row of the table computes the dot.
static std::string whyNoRow(tile::DotOp dot, const DotShape &shape, const DotTypes &types, DotChain chain) {
  const auto &rows = targetOf(dot).groupMma;
  auto found = llvm::find_if(rows, [&](const GroupMmaInstruction *row) { return isOfRow(*row, types); });
  if (found == rows.end()) {
    return whyNoTypes(types);
  }
  const GroupMmaInstruction &row = **found;
  if (shape.k < row.k) {
    return ("it sums up " + Twine(row.k) + " products at once, and K is " + Twine(shape.k)).str();
  }
  SmallVector<Orientation> orientations = orientationsOf(dot, row, shape, chain);
  if (orientations.empty()) {
    return whyNoOrientation(dot, row, chain);
  }
  int64_t m = orientations.back().shape.m, n = orientations.back().shape.n;
  if (m < GroupMmaInstruction::kRows) {
    return ("it computes 64 rows, and the tile has " + Twine(m)).str();
  }
  int groups = numWarps(dot) / GroupMmaInstruction::kWarps;
  return ("a tile of " + Twine(m) + "x" + Twine(n) + " can't be divided among " + Twine(groups) +
          " groups of four warps into 64 rows and columns that the instruction has")
      .str();
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

std::optional<GroupDot> planGroupDot(tile::DotOp dot, const DotShape &shape, const DotTypes &types, DotChain chain) {
  int warps = numWarps(dot);
  if (targetOf(dot).groupMma.empty()) {
    return std::nullopt;
  }
  if (std::string why = whyNever(dot, shape); !why.empty()) {
    stateRejected(dot, kGroupMmaChoice, why);
    return std::nullopt;
  }
  for (const GroupMmaInstruction *row : targetOf(dot).groupMma) {
    if (!isOfRow(*row, types) || shape.k < row->k) {
      continue;
    }
    for (const Orientation &orientation : orientationsOf(dot, *row, shape, chain)) {
      if (auto grid = chooseGrid(*row, orientation.shape, warps / GroupMmaInstruction::kWarps, chain.isIn)) {
        GroupDot planned = layOut(*row, orientation, *grid, chain.isComputed);
        planned.partialK = choosePartialK(dot, *row, shape.k);
        planned.movesToRegisters = !chain.isIn && isWidened(orientation.isSwapped ? dot.getB() : dot.getA());
        return planned;
      }
    }
  }
  if (collectsDecisions(dot)) {
    stateRejected(dot, kGroupMmaChoice, whyNoRow(dot, shape, types, chain));
  }
  return std::nullopt;
}

} // namespace tilewright::tilegpu
