// specialize-warps: lets additional warps start the copies of boxes. See Passes.td.
//
//     ring_begin                       producer                     consumers
//     barrier                                                         ring_begin
//     for                                barrier joint                barrier joint
//       wait until a slot is full        for                          for
//       start dots                 =       wait for a free slot         wait until a slot is full
//       release the slot before            start a copy to it           start dots
//       wait for a free slot                                            release the slot before
//       start a copy to it
//
// Both are slices of the program. Then the producer runs ahead as far as slots are free, whatever consumers do: its
// copies are ordered with the accesses of consumers by the ring, and by the joint barrier where the ring begins, no
// longer by the order of the program. So in between, the memory of the ring's buffers must be used in no other way.

#include "Producer.h"
#include "ProgramSlice.h"

#include "../Buffers.h"
#include "../NamedBarriers.h"
#include "../Turn.h"
#include "tilewright/Analysis/ReadOnlyMemory.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/Tile/Transforms/Decisions.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"
#include "tilewright/Hardware/Gpu.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_SPECIALIZEWARPS
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

static constexpr llvm::StringLiteral kChoice = "warp specialization";
static constexpr int64_t kProducer = 1; // a partition

namespace {
/// Why a function can't be specialized, and which operation is in the way.
struct Obstacle {
  Operation *op;
  StringRef reason;
};
} // namespace

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

static bool startsCopies(Operation *op) { return isa<RingAcquireOp, BoxCopyOp>(op); }

static bool overlap(LocalAllocOp one, LocalAllocOp other) {
  auto begin = [](LocalAllocOp alloc) { return static_cast<int64_t>(alloc.getOffset().value_or(0)); };
  auto end = [&](LocalAllocOp alloc) { return begin(alloc) + alloc.getType().getBytes(); };
  return begin(one) < end(other) && begin(other) < end(one);
}

/// The last operation of the block from which one of the buffers is accessed; null if there are accesses elsewhere.
static Operation *lastUseOf(const llvm::SetVector<LocalAllocOp> &buffers, Block &block) {
  Operation *last = &block.front();
  for (LocalAllocOp buffer : buffers) {
    for (const BufferAccess &access : accessesOf(buffer)) {
      Operation *around = block.findAncestorOpInBlock(*access.op);
      if (!around) {
        return nullptr;
      }
      last = last->isBeforeInBlock(around) ? around : last;
    }
  }
  return last;
}

/// What else accesses the memory of the ring or of its buffers while they are in use.
static std::optional<Obstacle> findOtherUse(RingBeginOp begin) {
  LocalAllocOp ring = allocationOf(begin.getRing());
  llvm::SetVector<LocalAllocOp> buffers = buffersOf(ring);
  buffers.insert(ring);
  Block &block = *begin->getBlock();
  Operation *last = lastUseOf(buffers, block);
  if (!last) {
    return Obstacle{begin, "slots are used outside of the block in which their barriers begin"};
  }
  std::optional<Obstacle> found;
  begin->getParentOfType<func::FuncOp>().walk([&](LocalAllocOp other) {
    bool isShared =
        !buffers.contains(other) && llvm::any_of(buffers, [&](LocalAllocOp buffer) { return overlap(buffer, other); });
    for (const BufferAccess &access : isShared ? accessesOf(other) : SmallVector<BufferAccess>()) {
      Operation *around = block.findAncestorOpInBlock(*access.op);
      bool isBetween = around && !around->isBeforeInBlock(begin) && !last->isBeforeInBlock(around);
      if (isBetween) {
        found = Obstacle{access.op, "its tile takes memory of slots that copies fill ahead; smaller tiles or fewer "
                                    "stages take less"};
      }
    }
  });
  return found;
}

/// The barrier at which the other threads wait for those of a ring to exist. Adds it if there is none.
static BarrierOp jointBarrierOf(RingBeginOp begin) {
  Operation *op = begin->getNextNode();
  auto uses = [](Operation *inner) { return startsCopies(inner) ? WalkResult::interrupt() : WalkResult::advance(); };
  for (; op && !op->walk(uses).wasInterrupted(); op = op->getNextNode()) {
    if (auto barrier = dyn_cast<BarrierOp>(op)) {
      return barrier;
    }
  }
  OpBuilder builder(begin->getBlock(), std::next(Block::iterator(begin)));
  return BarrierOp::create(builder, begin.getLoc());
}

//===----------------------------------------------------------------------===//
// What can be specialized
//===----------------------------------------------------------------------===//

/// Whether the operation, or one in it, has tiles.
static bool isOnTiles(Operation *op) {
  auto isTile = llvm::IsaPred<RankedTensorType>;
  return op
      ->walk([&](Operation *inner) {
        bool hasTile = llvm::any_of(inner->getOperandTypes(), isTile) || llvm::any_of(inner->getResultTypes(), isTile);
        return hasTile ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the producer may execute the operation: it holds no tiles, and does not see what consumers write.
static StringRef whyNotProduced(Operation *op, const ReadOnlyMemory &readOnly) {
  if (startsCopies(op) || isa<scf::ForOp, scf::IfOp>(op)) {
    return "";
  }
  if (isOnTiles(op)) {
    return "the copies depend on a tile, which the warps that start them do not hold";
  }
  if (auto load = dyn_cast<tile::LoadOp>(op); load && !load.getIsVolatile()) {
    return readOnly.contains(load.getPtr()) ? "" : "the copies depend on memory that the kernel may write";
  }
  return isMemoryEffectFree(op) ? "" : "the copies depend on an operation with effects";
}

/// Whether all loops and branches around the operation can be copied in part.
static bool isInPlainControlFlow(Operation *op) {
  for (Operation *around = op->getParentOp(); !isa<func::FuncOp>(around); around = around->getParentOp()) {
    if (ProgramSlice::isWhole(around)) {
      return false;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The two slices
//===----------------------------------------------------------------------===//

namespace {
class Specialization {
public:
  explicit Specialization(func::FuncOp function)
      : function(function), body(function.front()), produced(body, llvm::IsaPred<LocalAllocOp>),
        consumed(body, llvm::IsaPred<LocalAllocOp>) {}

  /// Determines what the producer executes, and what prevents that.
  std::optional<Obstacle> analyze() {
    function.walk([&](Operation *op) {
      if (auto begin = dyn_cast<RingBeginOp>(op)) {
        rings.push_back(begin);
      } else if (startsCopies(op)) {
        copies.push_back(op);
      }
    });
    if (copies.empty()) {
      return Obstacle{function, "the kernel has no loop with copies of boxes"};
    }
    for (Operation *op : copies) {
      if (!isInPlainControlFlow(op)) {
        return Obstacle{op, "the copies are in a loop that is no `for`"};
      }
      produced.add(op);
    }
    for (RingBeginOp begin : rings) {
      if (!isInPlainControlFlow(begin)) {
        return Obstacle{begin, "the copies are in a loop that is no `for`"};
      }
      if (std::optional<Obstacle> use = findOtherUse(begin)) {
        return use;
      }
    }
    return findUnproducible();
  }

  void apply(const Producer &producer) {
    for (RingBeginOp begin : rings) {
      BarrierOp barrier = jointBarrierOf(begin);
      barrier.setJoint(true);
      produced.add(barrier);
    }
    addConsumed();
    SmallVector<Operation *> old = hoistBuffers();
    OpBuilder builder(body.getTerminator());
    auto registers = producer.registers.empty()
                         ? DenseI32ArrayAttr()
                         : builder.getDenseI32ArrayAttr(ArrayRef(producer.registers).drop_front());
    auto specialized = SpecializeWarpsOp::create(builder, function.getLoc(), registers);
    clone(produced, specialized.getProducer(), [&](Operation *op) {
      if (startsCopies(op) || isa<BarrierOp>(op)) {
        op->setAttr(TileGPUDialect::kPartitionAttr, builder.getI64IntegerAttr(kProducer));
      }
    });
    clone(consumed, specialized.getConsumers(), [](Operation *) {});
    for (Operation *op : llvm::reverse(old)) {
      op->erase();
    }
    Operation *module = function->getParentOp();
    module->setAttr(TileGPUDialect::kProducerWarpsAttr, builder.getI32IntegerAttr(producer.warps));
    if (!producer.registers.empty()) {
      module->setAttr(TileGPUDialect::kRegistersAttr, builder.getI32IntegerAttr(producer.registers.front()));
    }
  }

private:
  /// What the copies depend on that the producer can't execute.
  std::optional<Obstacle> findUnproducible() {
    ReadOnlyMemory readOnly(function);
    bool asserts = function.walk([](tile::AssertOp) { return WalkResult::interrupt(); }).wasInterrupted();
    for (Operation *op : produced.getOperations()) {
      if (StringRef reason = whyNotProduced(op, readOnly); !reason.empty()) {
        return Obstacle{op, reason};
      }
      if (asserts && isa<tile::LoadOp>(op)) {
        return Obstacle{op, "the copies depend on a load, which an assertion of the kernel may guard"};
      }
    }
    return std::nullopt;
  }

  /// Everything that has an effect, except the copies. Dots whose sums are not used stay, too: waits count those in
  /// flight.
  void addConsumed() {
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<func::FuncOp, scf::ForOp, scf::IfOp>(op)) {
        return WalkResult::advance();
      }
      bool isKept = isa<GroupMmaOp, GroupMmaWaitOp>(op) || !wouldOpBeTriviallyDead(op);
      if (isKept && !startsCopies(op) && !op->hasTrait<OpTrait::IsTerminator>()) {
        consumed.add(op);
      }
      return WalkResult::skip();
    });
  }

  /// Moves allocations to the front, where both slices see them. Returns all other operations.
  SmallVector<Operation *> hoistBuffers() {
    SmallVector<LocalAllocOp> buffers;
    function.walk([&](LocalAllocOp alloc) { buffers.push_back(alloc); });
    for (LocalAllocOp alloc : llvm::reverse(buffers)) {
      alloc->moveBefore(&body, body.begin());
    }
    SmallVector<Operation *> others;
    for (Operation &op : body.without_terminator()) {
      if (!isa<LocalAllocOp>(op)) {
        others.push_back(&op);
      }
    }
    return others;
  }

  static void clone(const ProgramSlice &slice, Region &to, llvm::function_ref<void(Operation *)> copied) {
    OpBuilder builder(to.getContext());
    builder.createBlock(&to);
    slice.cloneTo(builder, [&](Operation *, Operation *copy) { copied(copy); });
  }

  func::FuncOp function;
  Block &body;
  SmallVector<RingBeginOp> rings;
  SmallVector<Operation *> copies;
  ProgramSlice produced, consumed;
};

/// Whether it is expected to pay: the program has a multiprocessor for itself, and warp groups wait for each other
/// between its loops, or compute between their dots. With several programs, one computes while another one waits.
bool paysOff(func::FuncOp function) {
  bool pays = false;
  function.walk([&](RingWaitOp wait) {
    auto loop = dyn_cast<scf::ForOp>(wait->getParentOp());
    auto around = loop ? loop->getParentOfType<scf::ForOp>() : scf::ForOp();
    bool outlivesLoop = around && !around->isAncestor(allocationOf(wait.getSlot()));
    pays |= outlivesLoop || (loop && Turn::of(loop));
  });
  return pays && programsWithoutProducer(function) == 1;
}

class SpecializeWarps : public tilegpu::impl::SpecializeWarpsBase<SpecializeWarps> {
public:
  using SpecializeWarpsBase::SpecializeWarpsBase;

private:
  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr(tile::TileDialect::kKernelAttr)) {
        kernels.push_back(function);
      }
    }
    // The module's attributes tell how many warps there are.
    if (kernels.size() == 1 && kernels.front().getOps<SpecializeWarpsOp>().empty()) {
      visit(kernels.front());
    }
  }

  void visit(func::FuncOp kernel) {
    Operation *hint = findHint(kernel);
    if (never) {
      if (hint) {
        stateRejected(hint, kChoice, "the option `specialize_warps=False` forbids it");
      }
      return;
    }
    bool isAsked = hint || always;
    if (!isAsked && !(automatic && canMoveRegisters && paysOff(kernel))) {
      return;
    }
    std::optional<Producer> producer = chooseProducer(kernel, canMoveRegisters);
    Specialization specialization(kernel);
    std::optional<Obstacle> obstacle = specialization.analyze();
    if (!obstacle) {
      StringRef reason = whyNotWarps(kernel, producer);
      obstacle = reason.empty() ? std::nullopt : std::optional(Obstacle{kernel, reason});
    }
    if (!obstacle) {
      specialization.apply(*producer);
    } else if (isAsked) {
      stateRejected(hint && obstacle->op == kernel ? hint : obstacle->op, kChoice, obstacle->reason);
    }
  }

  /// Constraints of the program as a whole; empty if it can have the additional warps.
  StringRef whyNotWarps(func::FuncOp kernel, const std::optional<Producer> &producer) {
    ModuleOp module = getOperation();
    Threads threads = threadsOf(module);
    if (!producer) {
      return canMoveRegisters
                 ? "the program's tiles need the registers that additional warps would take; smaller tiles "
                   "leave room"
                 : "the program's tiles need the registers that additional warps would take; with the "
                   "assembler ptxas, the compiler could move registers between warps";
    }
    if (threads.count() + producer->warps * threads.lanes > targetOf(module).threadsPerBlock) {
      return "additional warps do not fit into a program; fewer num_warps leave room";
    }
    if (limitsRegisters) {
      return "maxnreg fixes the registers of all threads";
    }
    if (mayUseNamedBarriers(module)) {
      return "assembly or a library in the kernel may wait at barriers of all threads";
    }
    if (module.walk([](tile::CallOp) { return WalkResult::interrupt(); }).wasInterrupted()) {
      return "functions that are not inlined may wait at barriers of all threads";
    }
    return producer->programs < programsWithoutProducer(kernel) && !always
               ? "fewer programs would fit on a multiprocessor, of which some compute while others wait; the option "
                 "`specialize_warps=True` specializes anyway"
               : "";
  }

  /// A loop that asks for it.
  static Operation *findHint(func::FuncOp kernel) {
    Operation *hint = nullptr;
    kernel.walk([&](Operation *op) {
      if (!op->hasAttr(TileGPUDialect::kWarpSpecializeAttr)) {
        return WalkResult::advance();
      }
      hint = op;
      return WalkResult::interrupt();
    });
    return hint;
  }
};
} // namespace
