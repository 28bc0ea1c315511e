// Operands of dots: copied to scratch memory, or read where they are.
//
// The micro-kernel needs rows of consecutive elements at equal distances. An operand that is loaded may have them in
// user memory already, which is decided each time, since masks and distances are known only then:
//
//     %even = all rows of pointers have the distance %stride
//     %all = the mask holds everywhere
//     %a:3 = scf.if %even and %all { the pointer to the first element, %stride }
//            else { load to scratch memory; its address and strides }
//
// The load is then executed at the dot, which has to be possible: nothing between them may write user memory.

#include "Emitter.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {

/// Up to this number of walks of the micro-kernel through an operand, a copy with rows that are close to each other
/// does not pay.
static constexpr int64_t kFewWalks = 4;

DotOperand Emitter::describeBuffer(const Buffer &buffer) {
  int64_t bytes = getBitWidth(buffer.element) / 8;
  int64_t columnStride = buffer.panel ? buffer.panelStride / buffer.panel : 1;
  size_t rank = buffer.strides.size();
  return DotOperand{buffer.base, buffer.element, i64(buffer.strides[rank - 2] * bytes), i64(columnStride * bytes),
                    rank > 2 ? buffer.strides[0] * bytes : 0};
}

//===----------------------------------------------------------------------===//
// Which operands may be read in place
//===----------------------------------------------------------------------===//

/// How often the micro-kernel reads each element of the operand.
static int64_t countWalks(tile::DotOp dot, Value operand, const hardware::CpuInfo &cpu) {
  MatrixProduct product = describeProduct(dot, cpu, getComputeType(getElementTypeOrSelf(dot.getType())));
  return operand == dot.getA() ? product.columns / (product.blockVectors * product.width)
                               : product.rows / product.blockRows;
}

/// Whether a dot in the same block is all that needs the load.
static bool isOperandOnly(tile::LoadOp load, tile::DotOp dot) {
  return load && load->hasOneUse() && load->getBlock() == dot->getBlock() && isLazy(load);
}

bool Emitter::canReadInPlace(tile::DotOp dot, Value operand) {
  auto load = operand.getDefiningOp<tile::LoadOp>();
  Type computed = getComputeType(getElementTypeOrSelf(dot.getType())),
       element = getElementTypeOrSelf(operand.getType());
  ArrayRef<int64_t> shape = tile::getShape(operand.getType());
  Words words = wordsOf(dot, cpu);
  bool isReady = words == Words::None ? element == computed : words == Words::Bfloats && operand == dot.getA();
  bool mayPay = countWalks(dot, operand, cpu) <= kFewWalks || shape.back() <= panelOf(dot, cpu, computed);
  // Where accesses are checked, each is one of a load.
  return isReady && mayPay && isOperandOnly(load, dot) && !program.checkedSlots && shape.size() == 2 &&
         axis.get(load.getPtr()).getContiguity(1) >= shape[1] && (!load.getMask() || splitMask(load.getMask()));
}

/// Rows that are not consecutive are transposed while they are copied, and A is kept before its bytes are packed.
bool Emitter::canPackAtDot(tile::DotOp dot, Value operand) {
  auto load = operand.getDefiningOp<tile::LoadOp>();
  ArrayRef<int64_t> shape = tile::getShape(operand.getType());
  return (wordsOf(dot, cpu) == Words::None || operand == dot.getB()) && isOperandOnly(load, dot) &&
         axis.get(load.getPtr()).getContiguity(shape.size() - 1) >= std::min(shape.back(), cpu.lanes(32));
}

void Emitter::deferOperands(Plan &plan) {
  auto onlyKeeps = [](const Step &step) {
    return step.nest && llvm::none_of(step.nest->sinks, [](const Sink &sink) { return sink.op; });
  };
  for (size_t i = 0; i < plan.size(); ++i) {
    auto dot = dyn_cast_or_null<tile::DotOp>(plan[i].op);
    for (size_t before = i; dot && before > 0 && onlyKeeps(plan[before - 1]); --before) {
      llvm::erase_if(plan[before - 1].nest->sinks, [&](const Sink &sink) {
        bool isOperand = sink.value == dot.getA() || sink.value == dot.getB();
        return isOperand && (canReadInPlace(dot, sink.value) || canPackAtDot(dot, sink.value));
      });
    }
  }
}

//===----------------------------------------------------------------------===//
// Distances
//===----------------------------------------------------------------------===//

Emitter::EvenRows Emitter::compareDistances(Value pointers) {
  Location loc = program.scratch.getLoc();
  Type i64Type = b.getI64Type();
  int64_t rows = tile::getShape(pointers.getType())[0];
  auto address = [&](const Point &point) -> Value {
    Value pointer = evaluateVector(pointers, point);
    return LLVM::PtrToIntOp::create(b, loc, vectorOf(i64Type, point.width), pointer);
  };
  auto start = [&](int64_t row) { return Point{{i64(row), i64(0)}, -1, 1}; };
  EvenRows result;
  result.first = evaluate(pointers, start(0));
  Value first = address(start(0));
  result.distance = rows > 1 ? arith::SubIOp::create(b, loc, address(start(1)), first).getResult() : i64(0);
  int64_t width = std::min(rows, cpu.lanes(64));
  if (rows <= 2) {
    result.areEven = constant(b.getBoolAttr(true));
    return result;
  }
  Value lanes = arith::ExtSIOp::create(b, loc, vectorOf(i64Type, width), laneNumbers(width));
  Value differences = zero(lanes.getType());
  SmallVector<Value> found;
  emitLoop(
      rows, width, differences,
      [&](Value row, ValueRange known) {
        Value numbers = arith::AddIOp::create(b, loc, broadcast(row, width), lanes);
        Value offsets = arith::MulIOp::create(b, loc, numbers, broadcast(result.distance, width));
        Value expected = arith::AddIOp::create(b, loc, broadcast(first, width), offsets);
        Value differs = arith::XOrIOp::create(b, loc, address(Point{{row, i64(0)}, 0, width}), expected);
        return SmallVector<Value>{arith::OrIOp::create(b, loc, known[0], differs)};
      },
      &found);
  Value any = vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, found[0]);
  result.areEven = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, any, i64(0));
  return result;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

DotOperand Emitter::readInPlaceOr(tile::DotOp dot, Value tile, llvm::function_ref<Buffer()> copy) {
  auto load = tile.getDefiningOp<tile::LoadOp>();
  Location loc = program.scratch.getLoc();
  Type element = getElementTypeOrSelf(tile.getType());
  ArrayRef<int64_t> shape = tile::getShape(tile.getType());
  int64_t bytes = getBitWidth(element) / 8;
  Words words = wordsOf(dot, cpu);
  Type read = words == Words::None ? element : b.getI32Type();

  CacheScope scope(*this);
  EvenRows rows = compareDistances(load.getPtr());
  Value fits = rows.areEven;
  for (const MaskCondition &condition : load.getMask() ? *splitMask(load.getMask()) : SmallVector<MaskCondition>()) {
    fits = arith::AndIOp::create(b, loc, fits, holdsEverywhere(condition));
  }
  if (countWalks(dot, tile, cpu) > kFewWalks) {
    Value isDense = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rows.distance, i64(shape[1] * bytes));
    fits = arith::AndIOp::create(b, loc, fits, isDense);
  }
  auto yield = [&](const DotOperand &operand) {
    scf::YieldOp::create(b, loc, ValueRange{operand.base, operand.rowStride, operand.columnStride});
  };
  auto inPlace = [&](OpBuilder &, Location) { yield(DotOperand{rows.first, element, rows.distance, i64(bytes)}); };
  auto copied = [&](OpBuilder &, Location) { yield(describeBuffer(copy())); };
  auto branch = scf::IfOp::create(b, loc, fits, inPlace, copied);
  return DotOperand{branch.getResult(0), read, branch.getResult(1), branch.getResult(2)};
}

Value Emitter::evaluateRow(Value tile, const Point &point, Value count) {
  if (!count) {
    return evaluateVector(tile, point);
  }
  Location loc = program.scratch.getLoc();
  Value row = point.index.end()[-2];
  Point existing = point;
  existing.index.end()[-2] = arith::MinUIOp::create(b, loc, row, arith::SubIOp::create(b, loc, count, i64(1)));
  Value values = evaluateVector(tile, existing);
  Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, row, count);
  return arith::SelectOp::create(b, loc, exists, values, zero(values.getType()));
}

Buffer Emitter::packOperand(Value tile, Type element, int64_t panel, const OperandEnds &ends) {
  auto kept = buffers.find(tile);
  if (kept != buffers.end() && kept->second.element == element) {
    return kept->second;
  }
  Buffer packed = panel ? allocateInPanels(tile.getType(), element, panel) : allocate(tile.getType(), element);
  ArrayRef<int64_t> sizes = tile::getShape(tile.getType());
  auto last = static_cast<int>(sizes.size()) - 1;
  // Several registers per step hide latencies.
  int64_t width = std::min(sizes[last], 4 * cpu.lanes(32));
  SmallVector<Value> extents(sizes.size());
  extents[last - 1] = ends.rows;
  extents[last] = ends.columns;
  auto convert = [&](const Point &point) {
    Value value = evaluateRow(tile, point, ends.existingRows);
    writeBuffer(packed, point, convertElement(b, value, vectorOf(element, point.width)));
  };
  CacheScope scope(*this);
  emitPointwise(sizes, width > 1 ? last : -1, width, convert, extents);
  return packed;
}

DotOperand Emitter::operandOf(tile::DotOp dot, bool isA, const Extents &extents) {
  Value tile = isA ? dot.getA() : dot.getB();
  Type computed = getComputeType(getElementTypeOrSelf(dot.getType()));
  Words words = wordsOf(dot, cpu);
  int64_t panel = isA ? 0 : panelOf(dot, cpu, computed);
  OperandEnds ends = isA ? OperandEnds{extents.rows, extents.wholeSteps, {}}
                         : OperandEnds{extents.wholeSteps, extents.columns, extents.depth};
  auto pack = [&] {
    if (words == Words::None) {
      return packOperand(tile, computed, panel, ends);
    }
    return isA ? packWordsOfA(tile, words, ends) : packWordsOfB(tile, words, panel, ends);
  };
  bool isDeferred = !buffers.contains(tile);
  return isDeferred && canReadInPlace(dot, tile) ? readInPlaceOr(dot, tile, pack) : describeBuffer(pack());
}

Buffer Emitter::allocateKept(Value tile) {
  if (tile.hasOneUse()) {
    auto dot = dyn_cast<tile::DotOp>(*tile.user_begin());
    Type element = getElementTypeOrSelf(tile.getType());
    if (dot && dot.getB() == tile && element == getComputeType(getElementTypeOrSelf(dot.getType()))) {
      return allocateInPanels(tile.getType(), element, panelOf(dot, cpu, element));
    }
  }
  return allocate(tile.getType());
}

} // namespace tilewright::cpu
