// Operations emitted as one step, in program order.

#include "Emitter.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::cpu {

LogicalResult Emitter::emitBlock(Block &block) {
  for (const Step &step : planBlock(block, memory, rematerialization)) {
    if (step.nest) {
      emitNest(*step.nest);
    } else if (step.op != block.getTerminator() && failed(emitWhole(step.op))) {
      return failure();
    }
  }
  return success();
}

LogicalResult Emitter::emitWhole(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp loop) { return emitFor(loop); })
      .Case([&](scf::IfOp branch) { return emitIf(branch); })
      .Case([&](scf::WhileOp loop) { return emitWhile(loop); })
      .Case([&](tile::DotOp) { return emitDot(op), success(); })
      .Case([&](tile::ScanOp) { return emitScan(op), success(); })
      .Case([&](tile::JoinOp) { return emitJoin(op), success(); })
      .Case([&](tile::CatOp) { return emitConcat(op), success(); })
      .Case([&](tile::ReshapeOp) { return emitReshape(op), success(); })
      .Case<tile::AtomicRMWOp, tile::AtomicCASOp>([&](auto) { return emitAtomic(op), success(); })
      .Case([&](tile::AssertOp) { return emitAssert(op), success(); })
      .Case([&](tile::PrintOp) { return emitPrint(op), success(); })
      // Memory operations of a program are executed in order anyway.
      .Case([&](tile::BarrierOp) { return success(); })
      .Default([&](Operation *) { return emitScalarOperation(op); });
}

LogicalResult Emitter::emitScalarOperation(Operation *op) {
  Location loc = op->getLoc();
  auto optional = [&](Value value) { return value ? scalar(value) : Value(); };
  if (auto id = dyn_cast<tile::ProgramIdOp>(op)) {
    map(id, program.id[id.getAxis()]);
    return success();
  }
  if (auto count = dyn_cast<tile::NumProgramsOp>(op)) {
    auto type = LLVM::LLVMPointerType::get(b.getContext());
    Value address = LLVM::GEPOp::create(b, loc, type, b.getI32Type(), program.grid,
                                        ArrayRef<LLVM::GEPArg>{int32_t(count.getAxis())});
    map(count, LLVM::LoadOp::create(b, loc, b.getI32Type(), address));
    return success();
  }
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    if (isTile(load.getResult())) {
      buffers[load.getResult()] = allocate(load.getType());
      copyTile(load.getResult(), buffers[load.getResult()]);
    } else {
      checkBounds(op, scalar(load.getPtr()), 1, optional(load.getMask()));
      map(load,
          emitScalarLoad(load.getType(), scalar(load.getPtr()), optional(load.getMask()), optional(load.getOther())));
    }
    return success();
  }
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    checkBounds(op, scalar(store.getPtr()), 1, optional(store.getMask()));
    emitScalarStore(scalar(store.getPtr()), scalar(store.getValue()), optional(store.getMask()));
    return success();
  }
  if (op->getNumRegions() != 0 || llvm::any_of(op->getOperands(), [](Value value) { return isTile(value); })) {
    return op->emitOpError("is not supported on the CPU");
  }
  SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), [&](Value value) { return scalar(value); });
  for (auto [result, value] : llvm::zip(op->getResults(), applyElementwise(op, operands))) {
    map(result, value);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

static LLVM::AtomicBinOp convertKind(tile::RMWKind kind) {
  switch (kind) {
  case tile::RMWKind::And:
    return LLVM::AtomicBinOp::_and;
  case tile::RMWKind::Or:
    return LLVM::AtomicBinOp::_or;
  case tile::RMWKind::Xor:
    return LLVM::AtomicBinOp::_xor;
  case tile::RMWKind::Add:
    return LLVM::AtomicBinOp::add;
  case tile::RMWKind::FAdd:
    return LLVM::AtomicBinOp::fadd;
  case tile::RMWKind::Max:
    return LLVM::AtomicBinOp::max;
  case tile::RMWKind::Min:
    return LLVM::AtomicBinOp::min;
  case tile::RMWKind::UMax:
    return LLVM::AtomicBinOp::umax;
  case tile::RMWKind::UMin:
    return LLVM::AtomicBinOp::umin;
  case tile::RMWKind::Xchg:
    return LLVM::AtomicBinOp::xchg;
  }
  llvm_unreachable("unknown kind of atomic");
}

static LLVM::AtomicOrdering convertOrder(tile::MemSemantic sem) {
  switch (sem) {
  case tile::MemSemantic::Relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case tile::MemSemantic::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case tile::MemSemantic::Release:
    return LLVM::AtomicOrdering::release;
  case tile::MemSemantic::AcqRel:
    return LLVM::AtomicOrdering::acq_rel;
  }
  llvm_unreachable("unknown memory order");
}

/// Emits the atomic for one element and returns the old value.
static Value emitOneAtomic(OpBuilder &b, Operation *op, ValueRange operands) {
  Location loc = op->getLoc();
  if (auto rmw = dyn_cast<tile::AtomicRMWOp>(op)) {
    return LLVM::AtomicRMWOp::create(b, loc, convertKind(rmw.getKind()), operands[0], operands[1],
                                     convertOrder(rmw.getSem()));
  }
  auto cas = cast<tile::AtomicCASOp>(op);
  LLVM::AtomicOrdering order = convertOrder(cas.getSem());
  bool releases = order == LLVM::AtomicOrdering::release || order == LLVM::AtomicOrdering::acq_rel;
  LLVM::AtomicOrdering onFailure = order == LLVM::AtomicOrdering::monotonic ? order : LLVM::AtomicOrdering::acquire;
  // A failing compare-exchange with release semantics orders nothing.
  onFailure = releases && order == LLVM::AtomicOrdering::release ? LLVM::AtomicOrdering::monotonic : onFailure;
  // Floats are compared by their bits.
  Type type = operands[1].getType();
  Type bits = isa<FloatType>(type) ? b.getIntegerType(type.getIntOrFloatBitWidth()) : type;
  auto toBits = [&](Value value) { return type == bits ? value : arith::BitcastOp::create(b, loc, bits, value); };
  Value pair =
      LLVM::AtomicCmpXchgOp::create(b, loc, operands[0], toBits(operands[1]), toBits(operands[2]), order, onFailure);
  Value old = LLVM::ExtractValueOp::create(b, loc, pair, ArrayRef<int64_t>{0});
  return type == bits ? old : arith::BitcastOp::create(b, loc, type, old);
}

void Emitter::emitAtomic(Operation *op) {
  Value result = op->getResult(0);
  auto rmw = dyn_cast<tile::AtomicRMWOp>(op);
  Value mask = rmw ? rmw.getMask() : Value();
  std::optional<Buffer> into;
  if (isTile(result) && !result.use_empty()) {
    into = buffers[result] = allocate(result.getType());
  }
  auto one = [&](const Point &point) {
    auto operands = llvm::map_to_vector(op->getOperands(), [&](Value value) { return evaluate(value, point); });
    checkBounds(op, operands[0], 1, mask ? evaluate(mask, point) : Value());
    if (!mask) {
      return emitOneAtomic(b, op, operands);
    }
    auto branch = scf::IfOp::create(
        b, op->getLoc(), evaluate(mask, point),
        [&](OpBuilder &, Location loc) { scf::YieldOp::create(b, loc, emitOneAtomic(b, op, operands)); },
        [&](OpBuilder &, Location loc) { scf::YieldOp::create(b, loc, zero(operands[1].getType())); });
    return branch.getResult(0);
  };
  if (!isTile(result)) {
    map(result, one(Point()));
    return;
  }
  emitPointwise(tile::getShape(result.getType()), -1, 1, [&](const Point &point) {
    Value old = one(point);
    if (into) {
      writeBuffer(*into, point, old);
    }
  });
}

//===----------------------------------------------------------------------===//
// Assertions
//===----------------------------------------------------------------------===//

void Emitter::emitAssert(Operation *op) {
  auto check = cast<tile::AssertOp>(op);
  Value cond = check.getCond();
  if (!isTile(cond)) {
    cf::AssertOp::create(b, op->getLoc(), scalar(cond), check.getMessage());
    return;
  }
  ArrayRef<int64_t> sizes = tile::getShape(cond.getType());
  int last = int(sizes.size()) - 1;
  int64_t width = sizes.empty() ? 1 : std::min(sizes[last], cpu.lanes(32));
  CacheScope scope(*this);
  emitPointwise(sizes, width > 1 ? last : -1, width, [&](const Point &point) {
    Value holds = evaluate(cond, point);
    if (widthOf(holds) > 1) {
      holds = vector::ReductionOp::create(b, op->getLoc(), vector::CombiningKind::AND, holds);
    }
    cf::AssertOp::create(b, op->getLoc(), holds, check.getMessage());
  });
}

//===----------------------------------------------------------------------===//
// Shape operations that move elements
//===----------------------------------------------------------------------===//

void Emitter::fillBuffer(Type type, const Buffer &into, llvm::function_ref<Value(const Point &)> element) {
  ArrayRef<int64_t> sizes = tile::getShape(type);
  int last = int(sizes.size()) - 1;
  int64_t width = sizes.empty() ? 1 : std::min(sizes[last], cpu.lanes(getBitWidth(into.element)));
  CacheScope scope(*this);
  emitPointwise(sizes, width > 1 ? last : -1, width,
                [&](const Point &point) { writeBuffer(into, point, element(point)); });
}

void Emitter::copyTile(Value tile, const Buffer &into) {
  fillBuffer(tile.getType(), into, [&](const Point &point) { return evaluate(tile, point); });
}

void Emitter::copyBuffer(Type type, const Buffer &from, const Buffer &into) {
  fillBuffer(type, into, [&](const Point &point) { return readBuffer(from, point); });
}

/// The part of `buffer` that starts at `index` along `dim`.
Buffer Emitter::offsetBuffer(const Buffer &buffer, int64_t dim, int64_t index) {
  Point origin;
  origin.index.assign(buffer.strides.size(), i64(0));
  origin.index[dim] = i64(index);
  return Buffer{addressIn(buffer, origin), buffer.element, buffer.strides};
}

void Emitter::emitJoin(Operation *op) {
  Buffer result = allocate(op->getResult(0).getType());
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    Buffer half = offsetBuffer(result, result.strides.size() - 1, i);
    half.strides.pop_back();
    copyTile(operand, half);
  }
  buffers[op->getResult(0)] = result;
}

void Emitter::emitConcat(Operation *op) {
  Buffer result = allocate(op->getResult(0).getType());
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    copyTile(operand, offsetBuffer(result, 0, i * tile::getShape(operand.getType())[0]));
  }
  buffers[op->getResult(0)] = result;
}

/// A reshape keeps the row-major order: only the strides change.
void Emitter::emitReshape(Operation *op) {
  Value src = op->getOperand(0);
  std::optional<Buffer> reusable = takeOver(src, op);
  if (!reusable) {
    reusable = allocate(src.getType());
    copyTile(src, *reusable);
  }
  Type type = op->getResult(0).getType();
  buffers[op->getResult(0)] = Buffer{reusable->base, reusable->element, rowMajorStrides(tile::getShape(type))};
}

} // namespace tilewright::cpu
