// A loop written anew with asynchronous copies, and when in an iteration each operation is to happen.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_LOOPWITHCOPIES_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_LOOPWITHCOPIES_H

#include "LoopParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace tilewright::tilegpu {

/// Operations in the order of one iteration's text, with their stages.
using Schedule = std::vector<std::pair<mlir::Operation *, unsigned>>;

/// The parts have their own arguments of the loop and their own count of slots. In each iteration, with n slots:
///
///     late, up to its last product                   iteration i, with all of its reads of a slot
///     wait                                           until iteration i + 1, without early ones i, has been copied
///     early                                          reads of iteration i + 1
///     ahead                                          copies of iteration i + n, without early ones i + n - 1
///     the rest of late                               iteration i
///
/// so that one barrier after the wait separates all reads of a slot from the copy into it.
class LoopWithCopies {
public:
  LoopWithCopies(mlir::scf::ForOp loop, int slots) : old(loop), parts(loop, slots), slots(slots), builder(loop) {}

  /// Replaces the loop.
  mlir::scf::ForOp build();
  Schedule schedule() const;

private:
  enum Part { Wait, Ahead, Early, Late };

  unsigned stageOf(Part part) const;
  /// How many iterations ahead of the late part.
  mlir::IntegerAttr iterationOf(Part part);
  bool hasEarly() const { return !parts.early.empty(); }

  /// Notes to which part an operation belongs that was just made.
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
  mlir::Value aheadSlot, earlySlot, lateSlot;         ///< where each part is
  llvm::SmallVector<mlir::Operation *> operations[4]; ///< by part
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_LOOPWITHCOPIES_H
