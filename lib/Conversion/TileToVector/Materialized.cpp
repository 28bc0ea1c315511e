// Operations emitted as one step, in program order: the default for operations on scalars, the program's position, and
// assertions.

#include "Emitter.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {

LogicalResult Emitter::emitBlock(Block &block) {
  Plan plan = planBlock(block, memory, rematerialization);
  deferOperands(plan);
  for (const Step &step : plan) {
    if (step.nest) {
      emitNest(*step.nest);
    } else if (step.op != block.getTerminator() && failed(emitMaterialized(step.op))) {
      return failure();
    }
  }
  return success();
}

LogicalResult Emitter::emitMaterialized(Operation *op) {
  auto model = dyn_cast<EmissionOpInterface>(op);
  return model ? model.emit(*this) : detail::emitScalar(*this, op);
}

LogicalResult detail::emitScalar(Emitter &e, Operation *op) {
  if (op->getNumRegions() != 0 || llvm::any_of(op->getOperands(), [](Value value) { return isTile(value); })) {
    return op->emitOpError("is not supported on the CPU");
  }
  SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), [&](Value value) { return e.scalar(value); });
  for (auto [result, value] : llvm::zip(op->getResults(), e.applyElementwise(op, operands))) {
    e.map(result, value);
  }
  return success();
}

namespace {

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

struct ProgramId : EmissionModel<ProgramId, tile::ProgramIdOp> {
  LogicalResult emit(Operation *op, Emitter &e) const {
    e.map(op->getResult(0), e.program.id[cast<tile::ProgramIdOp>(op).getAxis()]);
    return success();
  }
};

struct NumPrograms : EmissionModel<NumPrograms, tile::NumProgramsOp> {
  LogicalResult emit(Operation *op, Emitter &e) const {
    auto axis = static_cast<int32_t>(cast<tile::NumProgramsOp>(op).getAxis());
    auto type = LLVM::LLVMPointerType::get(op->getContext());
    Value address =
        LLVM::GEPOp::create(e.b, op->getLoc(), type, e.b.getI32Type(), e.program.grid, ArrayRef<LLVM::GEPArg>{axis});
    e.map(op->getResult(0), LLVM::LoadOp::create(e.b, op->getLoc(), e.b.getI32Type(), address));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Debugging
//===----------------------------------------------------------------------===//

/// Memory operations of a program are executed in order anyway, and launches do not overlap.
template <typename Op> struct Barrier : EmissionModel<Barrier<Op>, Op> {
  LogicalResult emit(Operation *, Emitter &) const { return success(); }
};

/// The language replaces assembly by its fallback for the CPU, or raises an error.
struct InlineAsm : EmissionModel<InlineAsm, tile::InlineAsmOp> {
  LogicalResult emit(Operation *op, Emitter &) const {
    return op->emitError("inline assembly is that of an NVIDIA GPU and can't be executed on the CPU");
  }
};

/// Tells the runtime which program fails, and ends it.
void createAssertion(Emitter &e, Location loc, Value holds, StringRef message) {
  auto module = e.b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  constexpr llvm::StringLiteral kFunction = "tilewright_fail";
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kFunction);
  if (!function) {
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(e.b.getContext()), {e.b.getI64Type()});
    function = LLVM::LLVMFuncOp::create(e.b, module.getLoc(), kFunction, type);
  }
  Value fails = arith::XOrIOp::create(e.b, loc, holds, e.constant(e.b.getBoolAttr(true)));
  scf::IfOp::create(e.b, loc, fails, [&](OpBuilder &b, Location) {
    LLVM::CallOp::create(b, loc, function, ValueRange{e.program.number});
    scf::YieldOp::create(b, loc);
  });
  cf::AssertOp::create(e.b, loc, holds, message);
}

struct Assert : EmissionModel<Assert, tile::AssertOp> {
  LogicalResult emit(Operation *op, Emitter &e) const {
    auto check = cast<tile::AssertOp>(op);
    Value cond = check.getCond();
    if (!isTile(cond)) {
      createAssertion(e, op->getLoc(), e.scalar(cond), check.getMessage());
      return success();
    }
    ArrayRef<int64_t> sizes = tile::getShape(cond.getType());
    int last = int(sizes.size()) - 1;
    int64_t width = sizes.empty() ? 1 : std::min(sizes[last], e.cpu.lanes(32));
    CacheScope scope(e);
    e.emitPointwise(sizes, width > 1 ? last : -1, width, [&](const Point &point) {
      Value holds = e.evaluate(cond, point);
      if (Emitter::widthOf(holds) > 1) {
        holds = vector::ReductionOp::create(e.b, op->getLoc(), vector::CombiningKind::AND, holds);
      }
      createAssertion(e, op->getLoc(), holds, check.getMessage());
    });
    return success();
  }
};

} // namespace

void attachPrograms(MLIRContext *context) {
  tile::ProgramIdOp::attachInterface<ProgramId>(*context);
  tile::NumProgramsOp::attachInterface<NumPrograms>(*context);
  attachToAll<Barrier, tile::BarrierOp, tile::WaitForGridsOp, tile::LaunchDependentsOp>(context);
  tile::InlineAsmOp::attachInterface<InlineAsm>(*context);
  tile::AssertOp::attachInterface<Assert>(*context);
}

} // namespace tilewright::cpu
