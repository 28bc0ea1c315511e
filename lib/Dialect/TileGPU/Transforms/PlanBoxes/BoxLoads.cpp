#include "BoxLoads.h"

#include "../Buffers.h"
#include "../GroupOperands.h"
#include "../IndexSums.h"
#include "../OperandPath.h"
#include "MemoryOrder.h"

using namespace mlir;

namespace tilewright::tilegpu {

/// Whether all that becomes of the values is A of dots of warp groups, in registers.
static bool isReadForGroups(LocalLoadOp load) {
  Operation *user = load;
  while (user->hasOneUse()) {
    OpOperand &use = *user->use_begin();
    user = use.getOwner();
    if (auto dot = dyn_cast<GroupMmaOp>(user)) {
      return dot.getRegisterA() && &use == &dot.getAMutable();
    }
    if (!isCheapUnary(user)) {
      return false;
    }
  }
  return false;
}

/// The buffer in which the boxes of a load arrive: that of dots of warp groups, or another layout of one from which
/// threads load A. None if something else reads the buffer: it is not known when that has read it.
static BufferType bufferFor(tile::LoadOp load, LocalStoreOp store) {
  BufferType buffer = store.getBuffer().getType();
  LocalAllocOp alloc = allocationOf(store.getBuffer());
  bool isReadByThreads = false;
  for (const BufferAccess &access : alloc ? accessesOf(alloc) : SmallVector<BufferAccess>()) {
    auto read = dyn_cast<LocalLoadOp>(access.op);
    isReadByThreads |= read != nullptr;
    if (!access.isWrite && !isa<GroupMmaOp>(access.op) && !(read && isReadForGroups(read))) {
      return {};
    }
  }
  std::optional<int> rows = isReadByThreads ? contiguousDimOf(load.getPtr()) : std::nullopt;
  BufferType forBoxes = rows ? groupBuffer(cast<RankedTensorType>(load.getType()), *rows) : BufferType();
  return !alloc ? BufferType() : forBoxes ? forBoxes : buffer; // of which Box::of says why it is not one of boxes
}

static std::optional<BoxLoad> describe(tile::LoadOp load, scf::ForOp loop, const ReadOnlyMemory &readOnly,
                                       MapBuilder &maps, std::string &why) {
  auto store = load->hasOneUse() ? dyn_cast<LocalStoreOp>(*load->user_begin()) : LocalStoreOp();
  BufferType buffer = store ? bufferFor(load, store) : BufferType();
  if (!buffer) {
    why = "not only dots by wgmma read its values, from shared memory or as their A";
    return std::nullopt;
  }
  if (mayReadEarlierWrites(load, loop, readOnly)) {
    why = "it may read what the program has written, or another one for which it has waited";
    return std::nullopt;
  }
  std::optional<Box> box = Box::of(load, buffer, why);
  std::optional<int64_t> map = box ? maps.add(*box, buffer, why) : std::nullopt;
  return map ? std::optional(BoxLoad{load, std::move(*box), *map, buffer}) : std::nullopt;
}

std::optional<std::vector<BoxLoad>> findBoxLoads(scf::ForOp loop, ArrayRef<tile::LoadOp> loads,
                                                 const ReadOnlyMemory &readOnly, MapBuilder &maps,
                                                 BoxObstacle &obstacle) {
  int64_t before = maps.size();
  std::vector<BoxLoad> found;
  for (tile::LoadOp load : loads) {
    std::string why;
    std::optional<BoxLoad> box = describe(load, loop, readOnly, maps, why);
    if (!box) {
      obstacle = {load, std::move(why)};
      maps.truncate(before);
      return std::nullopt;
    }
    found.push_back(std::move(*box));
  }
  if (!maps.fits()) {
    obstacle = {loads.back(), "launches would have to compute too much for its kernel's maps"};
    maps.truncate(before);
    return std::nullopt;
  }
  return found;
}

} // namespace tilewright::tilegpu
