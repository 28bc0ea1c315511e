// Rewrites a loop with asynchronous copies, and orders its operations by their schedule.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_LOOPWITHCOPIES_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_LOOPWITHCOPIES_H

#include "LoopParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace tilewright::tilegpu {

/// Operations in their order within an iteration of the pipelined loop, with their stages.
using Schedule = std::vector<std::pair<mlir::Operation *, unsigned>>;

/// The loop before its pipelining, in program order:
///
///     %token = copies, commit        first stage
///     %done = async_wait %token      the first stage that reads the copied data
///     local_load ... after %done     that stage and later ones
///
/// On a target without asynchronous copies, loads and stores stay, at the positions of their own, and nothing is waited
/// for:
///
///     %x = load                      first stage
///     local_store %x                 the same, later in an iteration of the pipelined loop than the reads
///
/// Each stage has its own loop-carried arguments and its own slot index. The wait comes first in its cluster, which is
/// that of the copies or that of the first reads, whichever is earlier in an iteration of the pipelined loop. So one
/// barrier after the wait separates all reads before it from the copies into the slots that they read.
class LoopWithCopies {
public:
  explicit LoopWithCopies(mlir::scf::ForOp loop);

  /// Replaces the loop and returns the new one.
  mlir::scf::ForOp build();
  Schedule schedule() const;
  /// The ring of barriers that orders the uses of slots; null if the copies are not of boxes.
  mlir::Value getRing() const { return ring; }

private:
  /// An operation of the new loop.
  struct Scheduled {
    mlir::Operation *op;
    Position position;
    bool isWait = false; ///< for this loop's copies, rather than for those of a loop in it
  };

  /// A position in the ring of slots.
  struct Slot {
    mlir::Value index, phase;
  };

  struct Read {
    Position position;
    bool isOwn;
  };

  void planWait();
  llvm::SmallVector<Read> findReads();
  bool readsCopy(mlir::Operation *op) const;
  bool isOwnRead(mlir::Operation *op) const;
  int64_t slotsFor(Position read, bool isOwn) const;

  void record(mlir::Operation *op, Position position);

  /// Creates an operation and records its position.
  template <typename Op, typename... Args> Op make(Position position, Args &&...args) {
    auto op = Op::create(builder, std::forward<Args>(args)...);
    record(op, position);
    return op;
  }

  mlir::Type tokenType() { return TokenType::get(builder.getContext()); }

  void allocate();
  mlir::scf::ForOp emptyLoop();
  mlir::ValueRange mapArguments(mlir::IRMapping &mapping, const llvm::SetVector<unsigned> &numbers,
                                mlir::ValueRange arguments, mlir::scf::ForOp loop);
  void emitAhead();
  void emitLoadAndStores(mlir::Operation *op);
  void emitWait();
  void emitBetween(const StageOps &stage, Slot slot);
  void emitLate();
  void emitYield();
  Slot nextSlot(Position position, Slot slot);
  void emitAcquire();
  mlir::Value emitCopy(tile::LoadOp load, Position position, mlir::Value buffer);
  void emitBoxCopy(tile::LoadOp load, BoxPointersOp box, Position position, mlir::Value slot);
  Slot waitSlot() const;
  mlir::Value ringSlot(Position position, Slot slot);
  void mapSlots(const StageOps &stage, mlir::IRMapping &mapping, Slot slot);
  mlir::Operation *clone(mlir::Operation *op, Position position, mlir::IRMapping &mapping);

  mlir::scf::ForOp old;
  LoopParts parts;
  bool isThroughRegisters; ///< the copies are loads and stores
  Position wait;
  int64_t slots = 1;
  mlir::OpBuilder builder;
  mlir::IRMapping ofAhead, ofLate;
  llvm::SmallVector<mlir::Value> buffers; ///< per store
  mlir::Value ring;
  Slot aheadSlot, lateSlot;             ///< the current slot of each part
  llvm::SmallVector<Slot> betweenSlots; ///< the same, for each stage between
  mlir::Value token, done;              ///< of an iteration's copies, and of the wait for them
  llvm::SmallVector<Scheduled> operations;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_LOOPWITHCOPIES_H
