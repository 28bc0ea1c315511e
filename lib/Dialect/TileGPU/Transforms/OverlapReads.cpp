#include "OverlapReads.h"

#include "Buffers.h"
#include "GroupMmaChains.h"
#include "RingPositions.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tilewright::tilegpu {

/// Whether no write in the loop, between the group_mma and the end of the iteration, is to what it reads.
static bool operandsLast(GroupMmaOp op, scf::ForOp loop) {
  return llvm::all_of(buffersOf(op), [&](Value buffer) {
    LocalAllocOp alloc = allocationOf(buffer);
    return alloc && llvm::all_of(accessesOf(alloc), [&](const BufferAccess &access) {
             Operation *around = loop.getBody()->findAncestorOpInBlock(*access.op);
             return !access.isWrite || !around || around->isBeforeInBlock(op) ||
                    (around == access.op && copiesIntoAnotherSlot(access.op, buffer));
           });
  });
}

void overlapReads(scf::ForOp loop, RewriterBase &rewriter) {
  SmallVector<GroupMmaChain> chains = chainsOf(loop, /*inRegisters=*/true);
  for (const GroupMmaChain &chain : chains) {
    if (!llvm::all_of(chain.ops, [&](GroupMmaOp op) { return operandsLast(op, loop); })) {
      return;
    }
  }
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  for (const GroupMmaChain &chain : chains) {
    for (GroupMmaOp op : chain.ops) {
      op.setAsync(true);
    }
    GroupMmaOp end = chain.ops.back();
    auto wait = GroupMmaWaitOp::create(rewriter, end.getLoc(), end.getType(), end.getResult(), chain.buffers(),
                                       /*pending=*/0);
    rewriter.replaceAllUsesExcept(end.getResult(), wait.getResult(), wait);
  }
}

} // namespace tilewright::tilegpu
