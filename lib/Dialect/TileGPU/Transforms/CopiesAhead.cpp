#include "CopiesAhead.h"

#include "ExpandPipeline/Speculation.h"
#include "tilewright/Dialect/TileGPU/IR/AccessWidth.h"
#include "tilewright/Hardware/NvidiaInstructions.h"
#include "tilewright/Layout/Shared.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::tilegpu {

bool fillsWithZeros(tile::LoadOp load) {
  Value other = load.getOther();
  auto splat = other ? other.getDefiningOp<tile::SplatOp>() : tile::SplatOp();
  other = splat ? splat.getSrc() : other;
  return !other || matchPattern(other, m_Zero()) || matchPattern(other, m_PosZeroFloat());
}

bool canCopy(const hardware::GpuInfo &target, int64_t bytes) {
  return llvm::any_of(target.asyncCopies, [&](const hardware::AsyncCopy *copy) { return copy->bytes == bytes; });
}

int64_t copiedBytes(tile::LoadOp load, BufferType buffer) {
  layout::LinearLayout offsets = layout::offsetsOf(mapOf(load.getPtr()), buffer.getLayout().getMap());
  return copyAccessOf(load, offsets).elements() * buffer.getElementBytes();
}

bool canCopyByThreads(tile::LoadOp load) {
  return llvm::all_of(load->getUsers(), [&](Operation *user) {
    auto store = dyn_cast<LocalStoreOp>(user);
    return !store || canCopy(targetOf(load), copiedBytes(load, store.getBuffer().getType()));
  });
}

std::string whyNotAhead(tile::LoadOp load, scf::ForOp loop, const ReadOnlyMemory &readOnly,
                        llvm::SetVector<Operation *> &slice) {
  if (hasHoistingHazard(load.getPtr(), loop, readOnly)) {
    return "the loop may write this memory, or an atomic or a barrier in it orders the load";
  }
  llvm::SetVector<Operation *> found;
  auto add = [&](Value value) { return !value || addAheadSlice(value, loop, found, nullptr, &readOnly); };
  bool hasOther = targetOf(load).copiesThroughRegisters();
  if (!add(load.getPtr()) || !add(load.getMask()) || (hasOther && !add(load.getOther()))) {
    return "its address or mask depends on an operation that can't be executed ahead, such as a load of what the loop "
           "writes";
  }
  slice.insert_range(found);
  return "";
}

bool hasPlainYields(scf::ForOp loop) {
  return !loop.getUnsignedCmp() &&
         llvm::all_of(loop.getYieldedValues(), [](Value value) { return value.getDefiningOp(); });
}

} // namespace tilewright::tilegpu
