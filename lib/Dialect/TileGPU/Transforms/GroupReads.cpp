#include "GroupReads.h"

#include "Buffers.h"
#include "GroupMmaChains.h"
#include "OperandPath.h"

using namespace mlir;

namespace tilewright::tilegpu {

/// Whether the path begins with what one of the operations `copies` has stored.
static bool beginsWithCopy(ArrayRef<Operation *> path, const llvm::SetVector<Operation *> &copies) {
  LocalAllocOp alloc = path.empty() ? LocalAllocOp() : allocationOf(cast<LocalLoadOp>(path.front()).getBuffer());
  return alloc && llvm::any_of(accessesOf(alloc), [&](const BufferAccess &access) {
           return access.isWrite && copies.contains(access.op);
         });
}

SmallVector<Operation *> groupReadsAhead(scf::ForOp loop, const llvm::SetVector<Operation *> &copies) {
  constexpr int64_t kMostRegisters = 192; // of 255; the others hold addresses
  SmallVector<Operation *> reads;
  int64_t registers = 0;
  for (const GroupMmaChain &chain : chainsOf(loop, /*inRegisters=*/true)) {
    registers += registersOf(loop.getRegionIterArg(chain.argument));
    for (GroupMmaOp op : chain.ops) {
      SmallVector<Operation *> path = pathFromShared(op.getA(), loop.getBody());
      if (beginsWithCopy(path, copies)) {
        llvm::append_range(reads, path);
        registers += 2 * registersOf(op.getA());
      }
    }
  }
  return registers <= kMostRegisters ? reads : SmallVector<Operation *>();
}

} // namespace tilewright::tilegpu
