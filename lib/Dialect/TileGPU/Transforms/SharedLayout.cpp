#include "SharedLayout.h"

#include "tilewright/Layout/ChooseSwizzle.h"
#include "tilewright/Layout/Shape.h"
#include "tilewright/Layout/Shared.h"

#include <algorithm>
#include <tuple>

namespace tilewright::tilegpu {

using hardware::GpuInfo;
using layout::LinearLayout;

namespace {
/// How one side may access the buffer: threads by vectors of their registers, or lanes that provide the row addresses
/// of ldmatrix and stmatrix.
struct Side {
  LinearLayout map;
  layout::VectorAccess together; ///< registers that have to be contiguous in the buffer, in this order
};
} // namespace

/// The layout with only the registers of the vector. The other registers become warps, between which bank conflicts do
/// not matter.
static LinearLayout withRegistersOf(const LinearLayout &map, const layout::VectorAccess &vector) {
  layout::Columns columns, others, registers = map.columnsOf(layout::kRegister);
  for (int bit : vector.registerBits) {
    columns.push_back(registers[bit]);
  }
  for (size_t bit = 0; bit < registers.size(); ++bit) {
    if (std::find(vector.registerBits.begin(), vector.registerBits.end(), bit) == vector.registerBits.end()) {
      others.push_back(registers[bit]);
    }
  }
  std::vector<layout::Dim> ins = map.ins();
  ins[0].bits = static_cast<int>(columns.size());
  ins[2].bits += static_cast<int>(others.size());
  for (const layout::Columns &part :
       {map.columnsOf(layout::kLane), map.columnsOf(layout::kWarp), others, map.columnsOf(layout::kBlock)}) {
    columns.insert(columns.end(), part.begin(), part.end());
  }
  return {ins, map.outs(), columns};
}

/// The side's own vectors first, then the rows of matrix moves, plain and transposed, of as many matrices as fit.
static std::vector<Side> sidesOf(const Side &plain, bool isStore, int bits, const GpuInfo &target) {
  std::vector<Side> sides = {plain};
  layout::VectorAccess row;
  for (int elements = 1; elements * bits < hardware::MatrixMove::kRowBits; elements *= 2) {
    row.registerBits.push_back(static_cast<int>(row.registerBits.size()));
  }
  for (bool isTransposed : {false, true}) {
    std::optional<LinearLayout> rows;
    for (const hardware::MatrixMove *move : target.matrixMoves) {
      bool fits = move->isStore == isStore && move->isTransposed == isTransposed;
      std::optional<LinearLayout> found = fits ? move->rowsOf(plain.map, bits) : std::nullopt;
      rows = found ? found : rows;
    }
    if (rows) {
      sides.push_back({*rows, row});
    }
  }
  return sides;
}

namespace {
/// Ordered from best to worst.
struct Rank {
  int64_t apart = 0;                    ///< elements of vectors that are not contiguous in the buffer
  int64_t wavefronts = 0, accesses = 0; ///< of a warp

  bool operator<(const Rank &other) const {
    return std::tie(apart, wavefronts, accesses) < std::tie(other.apart, other.wavefronts, other.accesses);
  }
};
} // namespace

/// How many registers of `together` are contiguous in the buffer, in their order.
static int64_t contiguousElements(const LinearLayout &offsets, const layout::VectorAccess &together) {
  layout::VectorAccess found = layout::widestAccess(offsets, layout::kOffset, together.elements());
  return layout::commonAccess(found, together).elements();
}

static Rank rankOf(const LinearLayout &shared, const std::vector<Side> &sides, int bits, const GpuInfo &target) {
  layout::SharedMemoryBanks memory = target.sharedMemory();
  Rank rank;
  for (const Side &side : sides) {
    LinearLayout offsets = layout::offsetsOf(side.map, shared);
    layout::VectorAccess access = layout::widestAccess(offsets, layout::kOffset, 8 * memory.widestBytes / bits);
    layout::AccessCost cost = layout::costOfAccess(offsets, access, bits, memory);
    rank.apart += side.together.elements() - contiguousElements(offsets, side.together);
    rank.wavefronts += cost.total();
    rank.accesses += cost.accesses;
  }
  return rank;
}

/// A layout that keeps each line of global memory in one line of the buffer, with the chunks of the line, each of at
/// least the width of an access, swizzled by its index. Only then do asynchronous copies request whole lines from the
/// L2 cache rather than 32-byte sectors; its request rate is what limits matmuls.
static LinearLayout linesTogether(const StagedTile &tile, int64_t chunkBytes, const GpuInfo &target) {
  int first = tile.write.inStart(layout::kRegister) + tile.loaded.registerBits.front();
  LinearLayout::Point nextElement = tile.write.unpackOut(tile.write.columns()[first]);
  int fastest = static_cast<int>(llvm::find_if(nextElement, [](int64_t at) { return at != 0; }) - nextElement.begin());
  layout::Shape shape = layout::shapeOf(tile.write);
  layout::Order order = layout::rowMajorOrder(static_cast<int>(shape.size()));
  auto place = llvm::find(order, fastest);
  std::rotate(order.begin(), place, std::next(place));
  int64_t rowBytes = shape[fastest] * tile.elementBytes;
  layout::Swizzle swizzle;
  swizzle.vec = chunkBytes / tile.elementBytes;
  swizzle.perPhase = std::max<int64_t>(1, target.lineBytes / rowBytes);
  swizzle.maxPhase = std::clamp<int64_t>(rowBytes / chunkBytes, 1, target.lineBytes / chunkBytes);
  return layout::swizzled(shape, order, swizzle);
}

/// Whether a thread that writes holds elements that are neighbors for those that read, but are not so in memory:
/// it can transpose them in registers.
static bool holdsOtherVectors(const StagedTile &tile) {
  layout::Columns written = tile.write.columnsOf(layout::kRegister), read = tile.read.columnsOf(layout::kRegister);
  auto held = read.empty() ? written.end() : llvm::find(written, read.front());
  return held != written.end() && !llvm::is_contained(tile.loaded.registerBits, held - written.begin());
}

LinearLayout chooseSharedLayout(const StagedTile &tile, const GpuInfo &target) {
  int bits = static_cast<int>(tile.elementBytes * 8);
  bool isTransposed = target.copiesThroughRegisters() && holdsOtherVectors(tile);
  layout::VectorAccess loaded = isTransposed ? layout::VectorAccess() : tile.loaded;
  Side written = {layout::dropRepeatedRegisters(tile.write), loaded};
  Side read = {layout::dropRepeatedRegisters(tile.read), {}};
  std::optional<std::pair<Rank, LinearLayout>> best;
  auto consider = [&](const LinearLayout &shared, const Side &from, const Side &to) {
    Rank rank = rankOf(shared, {from, to}, bits, target);
    if (!best || rank < best->first) {
      best.emplace(rank, shared);
    }
  };
  auto only = [](const Side &side) {
    return side.together.elements() > 1 ? withRegistersOf(side.map, side.together) : side.map;
  };
  bool isLoaded = loaded.elements() > 1;
  std::vector<Side> reads = sidesOf(read, /*isStore=*/false, bits, target);
  std::vector<Side> writes = isLoaded ? std::vector<Side>{written} : sidesOf(written, /*isStore=*/true, bits, target);
  for (const Side &to : reads) {
    if (isLoaded) { // considered first, so that it wins ties
      consider(linesTogether(tile, target.vectorBytes, target), written, to);
      // Without conflicts for warps that read eight words of each of four lines, as for tf32.
      consider(linesTogether(tile, 2 * target.vectorBytes, target), written, to);
    }
  }
  for (const Side &from : writes) {
    for (const Side &to : reads) {
      consider(layout::chooseSwizzle(only(from), only(to), bits, target.sharedMemory()).shared, from, to);
    }
  }
  return best->second;
}

} // namespace tilewright::tilegpu
