// tile.atomic_poll: a loop of atomic loads.
//
//     while (load(ptr) != expected && clock() - start < timeout) yield();

#include "Emitter.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tilewright::cpu {
namespace {

/// A function of the runtime without parameters. include/tilewright/Runtime/Host/KernelSupport.h lists them.
LLVM::LLVMFuncOp declareFunction(OpBuilder &b, StringRef name, Type result) {
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name)) {
    return known;
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return LLVM::LLVMFuncOp::create(b, module.getLoc(), name, LLVM::LLVMFunctionType::get(result, {}));
}

struct Poll : EmissionModel<Poll, tile::AtomicPollOp> {
  LogicalResult emit(Operation *op, Emitter &e) const {
    auto poll = cast<tile::AtomicPollOp>(op);
    Location loc = op->getLoc();
    Value pointer = e.scalar(poll.getPtr()), expected = e.scalar(poll.getExpected());
    Value timeout = e.optionalScalar(poll.getTimeout());
    e.checkBounds(op, pointer, 1, {});
    LLVM::LLVMFuncOp clock = declareFunction(e.b, "tilewright_clock", e.b.getI64Type());
    LLVM::LLVMFuncOp yield = declareFunction(e.b, "tilewright_yield", LLVM::LLVMVoidType::get(e.b.getContext()));
    auto readClock = [&](OpBuilder &b) { return LLVM::CallOp::create(b, loc, clock, ValueRange()).getResult(); };
    Value start = timeout ? readClock(e.b) : Value();
    auto order =
        poll.getSem() == tile::MemSemantic::Acquire ? LLVM::AtomicOrdering::acquire : LLVM::AtomicOrdering::monotonic;
    auto test = [&](OpBuilder &b, Location, ValueRange) {
      Type type = expected.getType();
      Value found =
          LLVM::LoadOp::create(b, loc, type, pointer, type.getIntOrFloatBitWidth() / 8, /*isVolatile=*/false,
                               /*isNonTemporal=*/false, /*isInvariant=*/false, /*isInvariantGroup=*/false, order);
      Value isEqual = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, found, expected);
      Value goesOn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, found, expected);
      if (timeout) {
        Value elapsed = arith::SubIOp::create(b, loc, readClock(b), start);
        Value inTime = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, elapsed, timeout);
        goesOn = arith::AndIOp::create(b, loc, goesOn, inTime);
      }
      scf::ConditionOp::create(b, loc, goesOn, isEqual);
    };
    auto wait = [&](OpBuilder &b, Location, ValueRange) {
      LLVM::CallOp::create(b, loc, yield, ValueRange());
      scf::YieldOp::create(b, loc);
    };
    auto loop = scf::WhileOp::create(e.b, loc, TypeRange(e.b.getI1Type()), ValueRange(), test, wait);
    e.map(poll.getResult(), loop.getResult(0));
    return success();
  }
};

} // namespace

void attachPoll(MLIRContext *context) { tile::AtomicPollOp::attachInterface<Poll>(*context); }

} // namespace tilewright::cpu
