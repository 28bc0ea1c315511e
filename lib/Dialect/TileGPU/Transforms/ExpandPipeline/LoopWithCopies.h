// Rewrites a loop with asynchronous copies, and schedules its operations.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_LOOPWITHCOPIES_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_LOOPWITHCOPIES_H

#include "LoopParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace tilewright::tilegpu {

/// Operations in their order within an iteration, with their stages.
using Schedule = std::vector<std::pair<mlir::Operation *, unsigned>>;

/// Each part has its own loop-carried arguments and its own slot index. In each iteration, with n slots:
///
///     late, up to its last dot                       iteration i, with all of its loads from a slot
///     wait                                           until copy(i + 1), or copy(i) without early loads, has completed
///     early                                          loads of iteration i + 1
///     ahead                                          copy(i + n), or copy(i + n - 1) without early loads
///     the rest of late                               iteration i
///
/// so that one barrier after the wait separates all loads from a slot from the copy into it.
class LoopWithCopies {
public:
  LoopWithCopies(mlir::scf::ForOp loop, int slots) : old(loop), parts(loop, slots), slots(slots), builder(loop) {}

  /// Replaces the loop and returns the new one.
  mlir::scf::ForOp build();
  Schedule schedule() const;

private:
  enum Part { Wait, Ahead, Early, Late };

  unsigned stageOf(Part part) const;
  /// How many iterations the part is ahead of the late part.
  mlir::IntegerAttr iterationOf(Part part);
  bool hasEarly() const { return !parts.early.empty(); }

  /// Creates an operation and records its part.
  template <typename Op, typename... Args> Op make(Part part, Args &&...args) {
    auto op = Op::create(builder, std::forward<Args>(args)...);
    operations[part].push_back(op);
    return op;
  }

  mlir::Value constant(Part part, int value) {
    return make<mlir::arith::ConstantOp>(part, old.getLoc(), builder.getI32IntegerAttr(value));
  }

  void allocate();
  mlir::scf::ForOp emptyLoop();
  mlir::ValueRange mapArguments(mlir::IRMapping &mapping, const llvm::SetVector<unsigned> &numbers,
                                mlir::ValueRange arguments, mlir::scf::ForOp loop);
  void emitAhead();
  void emitEarly();
  void emitLate();
  void emitYield();
  mlir::Value nextSlot(Part part, mlir::Value slot);
  void emitCopy(tile::LoadOp load, mlir::Value buffer);
  void mapSlots(Part part, mlir::IRMapping &mapping, mlir::Value slot);
  void clone(mlir::Operation *op, Part part, mlir::IRMapping &mapping);

  mlir::scf::ForOp old;
  LoopParts parts;
  int slots;
  mlir::OpBuilder builder;
  mlir::IRMapping ofAhead, ofEarly, ofLate;
  llvm::SmallVector<mlir::Value> buffers;             ///< per store
  mlir::Value aheadSlot, earlySlot, lateSlot;         ///< the current slot of each part
  llvm::SmallVector<mlir::Operation *> operations[4]; ///< by part
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_LOOPWITHCOPIES_H
