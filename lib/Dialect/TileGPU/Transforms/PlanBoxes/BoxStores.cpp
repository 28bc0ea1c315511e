#include "BoxStores.h"

#include "../Buffers.h"
#include "../ExpandPipeline/LoopParts.h"
#include "EraseUnused.h"
#include "MemoryOrder.h"
#include "StoredBytes.h"

#include "tilewright/Layout/Shared.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tilewright::tilegpu {

/// A buffer for the same tile, in columns of `swizzle` bytes; null if a row is shorter.
static BufferType withColumns(BufferType type, int contiguous, int64_t swizzle) {
  ArrayRef<int64_t> sizes = type.getShape();
  int64_t bytes = type.getElementBytes();
  if (sizes[contiguous] * bytes < swizzle) {
    return BufferType();
  }
  layout::LinearLayout map = layout::nvmmaShared(layout::Shape(sizes.begin(), sizes.end()), static_cast<int>(8 * bytes),
                                                 static_cast<int>(swizzle), contiguous == 0);
  return BufferType::get(type.getContext(), type.getSlots(), sizes, type.getElementType(),
                         LayoutAttr::get(type.getContext(), map));
}

/// The rows of the tile that each group of warps holds, if they follow each other, as many for each group, in the order
/// of groups. Each is at least as long as a swizzle's period.
static std::optional<int64_t> rowsOfGroups(RankedTensorType tile, int rowDim) {
  constexpr int kWarpBits = 2; // of a group
  constexpr int64_t kSwizzledRows = 8;
  static_assert(hardware::GroupMmaInstruction::kWarps == 1 << kWarpBits);
  const layout::LinearLayout &map = mapOf(tile);
  int groupBits = map.inBits(layout::kWarp) - kWarpBits;
  int64_t rows = groupBits < 0 ? 0 : tile.getDimSize(rowDim) >> groupBits;
  for (const layout::Dim &in : map.ins()) {
    for (int bit = 0; bit < map.inBits(in.name); ++bit) {
      int64_t row = map.basis(in.name, bit, layout::dimName(rowDim));
      int64_t column = map.basis(in.name, bit, layout::dimName(1 - rowDim));
      bool isOfGroup = in.name == layout::kWarp && bit >= kWarpBits;
      if (isOfGroup ? row != rows << (bit - kWarpBits) || column != 0 : row >= rows) {
        return std::nullopt;
      }
    }
  }
  return rows >= kSwizzledRows ? std::optional(rows) : std::nullopt;
}

/// Where the rows of the array end, as far as the tile or the mask tells; none if they do not.
static std::optional<IndexSum> endOfRow(const BoxDimension &columns) {
  if (columns.extent) {
    return columns.extent;
  }
  bool isConstant = llvm::all_of(columns.start.products(), [](const IndexProduct &product) {
    return product.scalars.empty() && product.dim < 0 && product.factor >= 0;
  });
  return isConstant ? std::optional(columns.start.plus(IndexSum::constant(columns.span))) : std::nullopt;
}

/// Whether the tiles that the box moves begin at multiples of their height: then a group of warps, whose rows have the
/// same place in all tiles, shares none with another group.
static bool beginsAtMultiples(const Box &box, int64_t height) {
  return box.dimensions.size() == 2 &&
         llvm::all_of(box.dimensions[1].start.products(),
                      [&](const IndexProduct &product) { return product.factor % height == 0; });
}

static std::optional<BoxStore> describe(tile::StoreOp store, LocalStoreOp staged, MapBuilder &maps) {
  BufferType type = staged.getBuffer().getType();
  for (int contiguous : {1, 0}) {
    for (int64_t swizzle : {128, 64, 32}) {
      BufferType buffer = withColumns(type, contiguous, swizzle);
      std::optional<Box> box = buffer ? Box::of(store.getPtr(), store.getMask(), buffer) : std::nullopt;
      if (!box) {
        continue;
      }
      std::optional<int64_t> rows = rowsOfGroups(cast<RankedTensorType>(staged.getSrc().getType()), 1 - contiguous);
      bool isOneGroup = rows == box->dimensions[1].size;
      if (rows && !isOneGroup && beginsAtMultiples(*box, box->dimensions[1].size)) {
        box->endOfRow = endOfRow(box->dimensions[0]);
      }
      bool isApart = isOneGroup || box->endOfRow;
      box->dimensions[1].size = rows.value_or(box->dimensions[1].size);
      std::optional<int64_t> map = maps.addStored(*box, buffer);
      return map ? std::optional(BoxStore{store, staged, buffer, std::move(*box), *map, rows.has_value(), isApart})
                 : std::nullopt;
    }
  }
  return std::nullopt;
}

static std::optional<BoxStore> find(tile::StoreOp store, MapBuilder &maps) {
  auto load = store.getValue().getDefiningOp<LocalLoadOp>();
  bool isPlain = store.getCache() == tile::CacheModifier::None && store.getEvict() == tile::EvictionPolicy::Normal;
  bool canMove = load && load->hasOneUse() && isPlain && !findPosition(store) && load->getBlock() == store->getBlock();
  LocalStoreOp staged = canMove ? storeFor(load) : LocalStoreOp();
  if (!staged || staged.getBuffer().getType().getShape().size() != 2 || needsOrder(store)) {
    return std::nullopt;
  }
  int64_t before = maps.size();
  std::optional<BoxStore> found = describe(store, staged, maps);
  if (!found || !maps.fits()) {
    maps.truncate(before);
    return std::nullopt;
  }
  return found;
}

std::vector<BoxStore> findBoxStores(func::FuncOp function, MapBuilder &maps) {
  std::vector<BoxStore> stores;
  function.walk([&](tile::StoreOp store) {
    if (std::optional<BoxStore> found = find(store, maps)) {
      stores.push_back(std::move(*found));
    }
  });
  return stores;
}

static void storeByBoxes(const BoxStore &found) {
  tile::StoreOp store = found.store;
  LocalStoreOp staged = found.staged;
  LocalAllocOp old = allocationOf(staged.getBuffer());
  // What is larger than the cache is not in it any more when something reads it: it makes room for operands.
  Value evictFirst = emitStoresMoreThan(store, targetOf(store).cacheBytes);
  Operation *load = store.getValue().getDefiningOp();
  Location loc = store.getLoc();
  OpBuilder builder(staged);
  auto buffer = LocalAllocOp::create(builder, loc, found.buffer, IntegerAttr());
  staged.getBufferMutable().assign(buffer);
  builder.setInsertionPoint(store);
  UnitAttr byGroups = found.isByGroups ? builder.getUnitAttr() : UnitAttr();
  BoxStoreOp::create(builder, loc, builder.getI64IntegerAttr(found.map), found.box.emitStart(builder, loc),
                     found.box.base, buffer, evictFirst, byGroups, found.isApart ? builder.getUnitAttr() : UnitAttr());
  BoxStoreWaitOp::create(builder, loc, buffer, found.isByGroups,
                         /*read=*/!store->getParentOfType<LoopLikeOpInterface>());
  Operation *mask = store.getMask() ? store.getMask().getDefiningOp() : nullptr;
  Block *block = store->getBlock();
  store.erase();
  load->erase();
  old.erase();
  if (mask) {
    eraseUnused({mask}, block);
  }
}

void storeByBoxes(ArrayRef<BoxStore> stores) {
  for (const BoxStore &found : stores) {
    storeByBoxes(found);
  }
}

} // namespace tilewright::tilegpu
