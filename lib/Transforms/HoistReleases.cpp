// hoist-releases: releases once before a loop that waits for a lock, instead of in each iteration. See Passes.td.
//
//                                                      scf.if %mask {
//                                                        thread.fence <gpu>
//     scf.while {                                      scf.while {
//       %old = thread.compare_exchange <acq_rel>  ->     %old = thread.compare_exchange <acquire>
//       scf.condition(%old == 1)                         scf.condition(%old == 1)

#include "tilewright/Dialect/Thread/IR/Thread.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright {
#define GEN_PASS_DEF_HOISTRELEASES
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using tilewright::tile::MemSemantic;

namespace tilewright {
namespace {

bool isAtomic(Operation *op) { return isa<thread::CompareExchangeOp, thread::AtomicRMWOp>(op); }

/// Whether the operation accesses nothing that other programs see: warps share an atomic's result by shared memory.
bool isLocal(Operation *op) {
  auto isShared = [](Value pointer) {
    return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == thread::kSharedSpace;
  };
  return TypeSwitch<Operation *, bool>(op)
      .Case<LLVM::LoadOp>([&](auto load) { return isShared(load.getAddr()); })
      .Case<LLVM::StoreOp>([&](auto store) { return isShared(store.getAddr()); })
      .Case<scf::IfOp>([](auto) { return true; })
      .Default([](Operation *inner) { return isMemoryEffectFree(inner); });
}

bool isBarrier(Operation *op) { return isa<thread::BarrierOp, thread::WarpBarrierOp>(op); }

/// The only operation in the loop with an effect that other programs see, if it is an atomic. No barrier precedes it in
/// the loop: the barrier that makes its thread release what other threads wrote must precede the fence, too.
Operation *findOnlyAtomic(scf::WhileOp loop) {
  Operation *atomic = nullptr;
  WalkResult result = loop->walk([&](Operation *op) -> WalkResult {
    if (op == loop) {
      return WalkResult::advance();
    }
    if (isAtomic(op) && !atomic) {
      atomic = op;
      return WalkResult::advance();
    }
    bool isAllowed = isBarrier(op) ? atomic != nullptr : isLocal(op);
    return isAllowed ? WalkResult::advance() : WalkResult::interrupt();
  });
  return result.wasInterrupted() ? nullptr : atomic;
}

/// The order that is left for the atomic if a fence before it releases; none if it does not release.
std::optional<MemSemantic> withoutRelease(MemSemantic sem) {
  switch (sem) {
  case MemSemantic::AcqRel:
    return MemSemantic::Acquire;
  case MemSemantic::Release:
    return MemSemantic::Relaxed;
  default:
    return std::nullopt;
  }
}

/// Whether the mask selects no thread but the first one.
bool selectsFirstThread(Value mask) {
  auto isFirstThread = [](Value value) {
    auto compare = value.getDefiningOp<arith::CmpIOp>();
    return compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
           compare.getLhs().getDefiningOp<thread::IdOp>() && matchPattern(compare.getRhs(), m_Zero());
  };
  auto withUsersMask = mask.getDefiningOp<arith::AndIOp>();
  return isFirstThread(mask) || (withUsersMask && llvm::any_of(withUsersMask->getOperands(), isFirstThread));
}

/// An iteration's atomic also releases what those before have written and acquired. A fence before the loop can replace
/// that because they are atomics of one thread at one address: who reads what the last one writes also synchronizes
/// with the releases that it continues, if these have the same scope.
template <typename Atomic> void hoistRelease(scf::WhileOp loop, Atomic atomic) {
  std::optional<MemSemantic> rest = withoutRelease(atomic.getSem());
  if (!rest || atomic.getScope() != tile::SyncScope::GPU || !selectsFirstThread(atomic.getMask()) ||
      !loop.isDefinedOutsideOfLoop(atomic.getPtr()) || !loop.isDefinedOutsideOfLoop(atomic.getMask())) {
    return;
  }
  OpBuilder builder(loop);
  scf::IfOp::create(builder, atomic.getLoc(), atomic.getMask(), [&](OpBuilder &inside, Location loc) {
    thread::FenceOp::create(inside, loc, atomic.getScope());
    scf::YieldOp::create(inside, loc);
  });
  atomic.setSem(*rest);
}

struct HoistReleases : impl::HoistReleasesBase<HoistReleases> {
  void runOnOperation() override {
    getOperation()->walk([](scf::WhileOp loop) {
      Operation *atomic = findOnlyAtomic(loop);
      if (auto exchange = dyn_cast_or_null<thread::CompareExchangeOp>(atomic)) {
        hoistRelease(loop, exchange);
      } else if (auto update = dyn_cast_or_null<thread::AtomicRMWOp>(atomic)) {
        hoistRelease(loop, update);
      }
    });
  }
};

} // namespace
} // namespace tilewright
