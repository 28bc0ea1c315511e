#include "BoxLoads.h"

#include "../Buffers.h"
#include "MemoryOrder.h"

using namespace mlir;

namespace tilewright::tilegpu {

/// Whether only dots of warp groups read the buffer: they take the path on which boxes arrive, and it is known when
/// they have read it.
static bool isReadByGroups(LocalStoreOp store) {
  LocalAllocOp alloc = allocationOf(store.getBuffer());
  return alloc && llvm::all_of(accessesOf(alloc),
                               [](const BufferAccess &access) { return access.isWrite || isa<GroupMmaOp>(access.op); });
}

static std::optional<BoxLoad> describe(tile::LoadOp load, scf::ForOp loop, const ReadOnlyMemory &readOnly,
                                       MapBuilder &maps, std::string &why) {
  auto store = load->hasOneUse() ? dyn_cast<LocalStoreOp>(*load->user_begin()) : LocalStoreOp();
  if (!store || !isReadByGroups(store)) {
    why = "not only dots by wgmma read its values, from shared memory";
    return std::nullopt;
  }
  if (mayReadEarlierWrites(load, loop, readOnly)) {
    why = "it may read what the program has written, or another one for which it has waited";
    return std::nullopt;
  }
  BufferType buffer = store.getBuffer().getType();
  std::optional<Box> box = Box::of(load, buffer, why);
  std::optional<int64_t> map = box ? maps.add(*box, buffer, why) : std::nullopt;
  return map ? std::optional(BoxLoad{load, std::move(*box), *map}) : std::nullopt;
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
