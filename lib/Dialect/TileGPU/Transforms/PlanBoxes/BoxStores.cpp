#include "BoxStores.h"

#include "../Buffers.h"
#include "../ExpandPipeline/LoopParts.h"
#include "../Occupancy.h"
#include "EraseUnused.h"
#include "MemoryOrder.h"
#include "StoredBytes.h"

#include "tilewright/Dialect/Tile/Transforms/Decisions.h"
#include "tilewright/Layout/Algebra.h"
#include "tilewright/Layout/Shared.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tilewright::tilegpu {

/// What a store writes, or a reduction adds.
static Value valueOf(Operation *access) {
  auto store = dyn_cast<tile::StoreOp>(access);
  return store ? store.getValue() : cast<tile::AtomicRMWOp>(access).getValue();
}

static bool isInLoop(Operation *op) { return static_cast<bool>(op->getParentOfType<LoopLikeOpInterface>()); }

/// A buffer with slots for such tiles, in columns of `swizzle` bytes; null if a row is shorter.
static BufferType withColumns(RankedTensorType tile, int contiguous, int64_t swizzle, int64_t slots = 1) {
  ArrayRef<int64_t> sizes = tile.getShape();
  int64_t bytes = bytesOf(tile.getElementType());
  if (sizes[contiguous] * bytes < swizzle) {
    return BufferType();
  }
  layout::LinearLayout map = layout::nvmmaShared(layout::Shape(sizes.begin(), sizes.end()), static_cast<int>(8 * bytes),
                                                 static_cast<int>(swizzle), contiguous == 0);
  return BufferType::get(tile.getContext(), slots, sizes, tile.getElementType(),
                         LayoutAttr::get(tile.getContext(), map));
}

/// The part of the tile that is stored at once: some of its columns, which are copied while threads store the next
/// ones. In a loop, copies of the whole tile run beside the next iteration instead (defer-store-waits).
static RankedTensorType partOf(RankedTensorType tile, int contiguous, int64_t swizzle) {
  constexpr int64_t kMostParts = 4;
  SmallVector<int64_t> sizes(tile.getShape());
  sizes[contiguous] = std::max(swizzle / bytesOf(tile.getElementType()), sizes[contiguous] / kMostParts);
  std::optional<layout::LinearLayout> map =
      layout::firstPart(mapOf(tile), layout::dimName(contiguous), sizes[contiguous]);
  return map ? RankedTensorType::get(sizes, tile.getElementType(), LayoutAttr::get(tile.getContext(), *map)) : tile;
}

/// The rows of the tile that each warp group holds, if they follow each other, as many for each group, in the order
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

/// Whether the tiles that the box moves begin at multiples of their height: then a warp group, whose rows have the
/// same place in all tiles, shares none with another group.
static bool beginsAtMultiples(const Box &box, int64_t height) {
  return box.dimensions.size() == 2 &&
         llvm::all_of(box.dimensions[1].start.products(),
                      [&](const IndexProduct &product) { return product.factor % height == 0; });
}

static std::optional<BoxStore> describe(tile::MemoryAccessOpInterface access, Value value, MapBuilder &maps,
                                        std::string &why) {
  auto tile = cast<RankedTensorType>(value.getType());
  for (int contiguous : {1, 0}) {
    for (int64_t swizzle : {128, 64, 32}) {
      BufferType whole = withColumns(tile, contiguous, swizzle);
      std::string reason;
      std::optional<Box> box = whole ? Box::of(access, whole, reason) : std::nullopt;
      if (!box) {
        bool isFirst = whole && why.empty(), isOfBetterRows = whole && why == Box::kNotAlongRows;
        why = isFirst || isOfBetterRows ? reason : why;
        continue;
      }
      std::optional<int64_t> rows = rowsOfGroups(tile, 1 - contiguous);
      bool isOneGroup = rows == box->dimensions[1].size;
      bool isReduction = isa<tile::AtomicRMWOp>(access);
      if (rows && !isOneGroup && !isReduction && beginsAtMultiples(*box, box->dimensions[1].size)) {
        box->endOfRow = endOfRow(box->dimensions[0]);
      }
      bool isApart = isOneGroup || box->endOfRow || isReduction;
      box->dimensions[1].size = rows.value_or(box->dimensions[1].size);
      std::optional<int64_t> map = maps.addStored(*box, whole, why);
      if (!map) {
        return std::nullopt;
      }
      RankedTensorType part = rows && !isInLoop(access) ? partOf(tile, contiguous, swizzle) : tile;
      int64_t parts = tile.getNumElements() / part.getNumElements();
      BufferType buffer = withColumns(part, contiguous, swizzle, parts);
      return BoxStore{access, value, part, buffer, contiguous, std::move(*box), *map, rows.has_value(), isApart};
    }
  }
  why = why.empty() ? "its rows have fewer than 32 bytes" : why;
  return std::nullopt;
}

/// The store to shared memory of the tile, if it is there to change its layout and for this store alone.
static LocalStoreOp findStaged(Operation *access) {
  auto load = valueOf(access).getDefiningOp<LocalLoadOp>();
  bool isAlone = load && load->hasOneUse() && load->getBlock() == access->getBlock();
  return isAlone ? storeFor(load) : LocalStoreOp();
}

/// Why a tile that threads could store themselves should not take the way through shared memory; empty if it should.
/// Warp groups hold words of four bytes such that an instruction writes 32 bytes in each of eight lines; boxes
/// write whole lines. As many programs as before must fit on a multiprocessor. A reduction of any elements is worth it.
static StringRef whyNotStaged(const BoxStore &found) {
  constexpr int64_t kWord = 4;
  bool isReduction = isa<tile::AtomicRMWOp>(found.access), isInside = isInLoop(found.access);
  if (!isReduction && (!found.isByGroups || found.buffer.getElementBytes() != kWord || isInside)) {
    return "threads store its elements from registers as fast";
  }
  auto function = found.access->getParentOfType<func::FuncOp>();
  int64_t others = sharedBytesOf(function);
  int64_t before = programsThatFit(function, others);
  int64_t bytes = found.buffer.getBytes(); // after a loop, the others hold no data any more
  bool fits = before > 0 && programsThatFit(function, isInside ? others + bytes : std::max(others, bytes)) >= before;
  return fits ? "" : "fewer programs would fit on a multiprocessor, for its buffer in shared memory";
}

/// Whether the copy that reads shared memory can also combine elements of the type with memory in this way.
static bool canReduce(tile::RMWKind kind, Type element) {
  switch (kind) {
  case tile::RMWKind::FAdd:
    return element.isF32() || element.isF16() || element.isBF16();
  case tile::RMWKind::Add:
  case tile::RMWKind::And:
  case tile::RMWKind::Or:
  case tile::RMWKind::Xor:
    return element.isInteger(32);
  default:
    return false;
  }
}

/// Why the access can't be a copy, by what it is itself; empty if it can.
static StringRef obstacleOf(Operation *access) {
  auto tile = dyn_cast<RankedTensorType>(valueOf(access).getType());
  if (!tile || tile.getRank() != 2) {
    return "its tile is not two-dimensional";
  }
  if (auto store = dyn_cast<tile::StoreOp>(access)) {
    bool isPlain = store.getCache() == tile::CacheModifier::None && store.getEvict() == tile::EvictionPolicy::Normal;
    return !isPlain              ? "it has a cache modifier or an eviction policy"
           : findPosition(store) ? "its loop is pipelined, and its iterations overlap"
                                 : "";
  }
  auto atomic = cast<tile::AtomicRMWOp>(access);
  bool isPlain = atomic->use_empty() && atomic.getSem() == tile::MemSemantic::Relaxed &&
                 atomic.getScope() != tile::SyncScope::System;
  if (!isPlain) {
    return "its results are used, or it is ordered with other accesses";
  }
  return canReduce(atomic.getKind(), tile.getElementType()) ? ""
                                                            : "the hardware does not combine such elements by copies";
}

/// The store as a copy of boxes; none, with the reason, if it is not one.
static std::optional<BoxStore> find(tile::MemoryAccessOpInterface access, MapBuilder &maps, std::string &why) {
  why = obstacleOf(access);
  if (why.empty() && needsOrder(access)) {
    why = "another access of the kernel may be to the same memory";
  }
  if (!why.empty()) {
    return std::nullopt;
  }
  int64_t before = maps.size();
  LocalStoreOp staged = findStaged(access);
  std::optional<BoxStore> found = describe(access, staged ? staged.getSrc() : valueOf(access), maps, why);
  if (found && !maps.fits()) {
    why = "there is no room for another tensor map among the kernel's parameters";
    found.reset();
  } else if (found && !staged) {
    why = whyNotStaged(*found);
    found = why.empty() ? std::move(found) : std::nullopt;
  }
  if (!found) {
    maps.truncate(before);
  }
  return found;
}

/// Whether a user may expect such a tile to be stored by copies.
static bool isLarge(Type type) {
  constexpr int64_t kLeastElements = int64_t(64) * 64;
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && tile.getNumElements() >= kLeastElements;
}

std::vector<BoxStore> findBoxStores(func::FuncOp function, MapBuilder &maps) {
  std::vector<BoxStore> stores;
  function.walk([&](tile::MemoryAccessOpInterface access) {
    if (!isa<tile::StoreOp, tile::AtomicRMWOp>(access)) {
      return;
    }
    std::string why;
    if (std::optional<BoxStore> found = find(access, maps, why)) {
      stores.push_back(std::move(*found));
    } else if (isLarge(valueOf(access).getType())) {
      stateRejected(access, "copies of boxes", why);
    }
  });
  return stores;
}

static void emit(const BoxStore &found) {
  tile::MemoryAccessOpInterface access = found.access;
  auto store = dyn_cast<tile::StoreOp>(*access);
  auto atomic = dyn_cast<tile::AtomicRMWOp>(*access);
  // What is larger than the cache is not in it any more when something reads it: it makes room for operands.
  Value evictFirst = store ? emitStoresMoreThan(store, targetOf(store).cacheBytes) : Value();
  Location loc = access.getLoc();
  OpBuilder builder(access);
  SmallVector<Value> begin = found.box.emitStart(builder, loc);
  auto buffer = LocalAllocOp::create(builder, loc, found.buffer, IntegerAttr());
  SmallVector<int64_t> start(2, 0);
  for (int64_t slot = 0; slot < static_cast<int64_t>(found.buffer.getSlots()); ++slot) {
    auto constant = [&](int64_t value) { return arith::ConstantIntOp::create(builder, loc, value, 32); };
    start[found.contiguous] = slot * found.part.getDimSize(found.contiguous);
    SmallVector<Value> coordinates = begin;
    Value value = found.value, place = buffer;
    if (found.buffer.getSlots() > 1) {
      value = ExtractSliceOp::create(builder, loc, found.part, value, start);
      place = LocalSlotOp::create(builder, loc, found.buffer.getSlot(), buffer, constant(slot), /*phase=*/Value());
      coordinates[0] = arith::AddIOp::create(builder, loc, begin[0], constant(start[found.contiguous]));
    }
    LocalStoreOp::create(builder, loc, value, place);
    BoxStoreOp::create(builder, loc, builder.getI64IntegerAttr(found.map), coordinates, found.box.base, place,
                       evictFirst, found.isByGroups ? builder.getUnitAttr() : UnitAttr(),
                       found.isApart ? builder.getUnitAttr() : UnitAttr(), atomic ? atomic.getKindAttr() : nullptr);
  }
  BoxStoreWaitOp::create(builder, loc, buffer, found.isByGroups,
                         /*read=*/atomic || !isInLoop(access));
}

/// The same, at the position of the access in the schedule of its loop.
static void emitAtPosition(const BoxStore &found) {
  Operation *access = found.access, *before = access->getPrevNode();
  Attribute schedule = access->getAttr(TileGPUDialect::kScheduleAttr);
  emit(found);
  for (Operation *op = before ? before->getNextNode() : &access->getBlock()->front(); schedule && op != access;
       op = op->getNextNode()) {
    op->setAttr(TileGPUDialect::kScheduleAttr, schedule);
  }
}

static void storeByBoxes(const BoxStore &found) {
  tile::MemoryAccessOpInterface access = found.access;
  emitAtPosition(found);
  LocalStoreOp staged = findStaged(access);
  Operation *mask = access.getMask() ? access.getMask().getDefiningOp() : nullptr,
            *load = valueOf(access).getDefiningOp();
  access->erase();
  if (staged) {
    LocalAllocOp old = allocationOf(staged.getBuffer());
    load->erase();
    staged.erase();
    old.erase();
  }
  if (mask) {
    eraseUnused({mask});
  }
}

void storeByBoxes(ArrayRef<BoxStore> stores) {
  for (const BoxStore &found : stores) {
    storeByBoxes(found);
  }
}

} // namespace tilewright::tilegpu
