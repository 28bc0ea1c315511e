// tile.call_library: calls the function for one lane after the other.

#include "Emitter.h"

#include "tilewright/Conversion/Libraries.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {
namespace {

/// A pure function is called where its result is needed, others in program order.
struct CallLibrary : EmissionModel<CallLibrary, tile::CallLibraryOp> {
  Placement getPlacement(Operation *op) const {
    bool isLazy = cast<tile::CallLibraryOp>(op).getPure() && isTile(op->getResult(0));
    return isLazy ? Placement::Lazy : Placement::Materialized;
  }

  SmallVector<Value> apply(Operation *op, Emitter &e, SmallVector<Value> operands, int64_t width) const {
    if (width == 1) {
      return {call(op, e, operands)};
    }
    Value start = e.zero(Emitter::vectorOf(e.convert(getElementTypeOrSelf(op->getResult(0).getType())), width));
    auto loop = scf::ForOp::create(e.b, op->getLoc(), e.i64(0), e.i64(width), e.i64(1), start);
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(loop.getBody());
    Value lane = arith::IndexCastOp::create(e.b, op->getLoc(), e.b.getIndexType(), loop.getInductionVar());
    for (Value &operand : operands) {
      if (isa<VectorType>(operand.getType())) {
        operand = vector::ExtractOp::create(e.b, op->getLoc(), operand, lane);
      }
    }
    Value result =
        vector::InsertOp::create(e.b, op->getLoc(), call(op, e, operands), loop.getRegionIterArgs().front(), lane);
    scf::YieldOp::create(e.b, op->getLoc(), result);
    return loop.getResults();
  }

  LogicalResult emit(Operation *op, Emitter &e) const {
    Value result = op->getResult(0);
    if (!isTile(result)) {
      e.map(result, callAt(op, e, Point()));
      return success();
    }
    std::optional<Buffer> into;
    if (!result.use_empty()) {
      into = e.buffers[result] = e.allocate(result.getType());
    }
    e.emitPointwise(tile::getShape(result.getType()), -1, 1, [&](const Point &point) {
      Value value = callAt(op, e, point);
      if (into) {
        e.writeBuffer(*into, point, value);
      }
    });
    return success();
  }

private:
  static Value call(Operation *op, Emitter &e, ArrayRef<Value> operands) {
    SmallVector<Type> types = llvm::map_to_vector(operands, [](Value operand) { return operand.getType(); });
    Type result = e.convert(getElementTypeOrSelf(op->getResult(0).getType()));
    LLVM::LLVMFuncOp callee = declareFunctionOf(cast<tile::CallLibraryOp>(op), types, result);
    return LLVM::CallOp::create(e.b, op->getLoc(), callee, operands).getResult();
  }

  /// The result at one point; zero where the mask is false.
  static Value callAt(Operation *op, Emitter &e, const Point &point) {
    auto library = cast<tile::CallLibraryOp>(op);
    auto operands = llvm::map_to_vector(library.getArgs(), [&](Value value) { return e.evaluate(value, point); });
    if (!library.getMask()) {
      return call(op, e, operands);
    }
    auto branch = scf::IfOp::create(
        e.b, op->getLoc(), e.evaluate(library.getMask(), point),
        [&](OpBuilder &, Location loc) { scf::YieldOp::create(e.b, loc, call(op, e, operands)); },
        [&](OpBuilder &, Location loc) {
          scf::YieldOp::create(e.b, loc, e.zero(e.convert(getElementTypeOrSelf(op->getResult(0).getType()))));
        });
    return branch.getResult(0);
  }
};

} // namespace

void attachLibraries(MLIRContext *context) { tile::CallLibraryOp::attachInterface<CallLibrary>(*context); }

} // namespace tilewright::cpu
