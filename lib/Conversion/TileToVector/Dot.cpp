// Dots by a register-blocked micro-kernel:
//
//     for j in columns by 2 vectors:              R x V accumulators stay in
//       for i in rows by R:                       registers over the whole of K;
//         c = acc[i .. i+R, j .. j+2V]            each step loads V vectors of B
//         for k:                                  and R scalars of A
//           c += a[i .. i+R, k] * b[k, j .. j+2V]
//         acc[i .. i+R, j .. j+2V] = c

#include "Emitter.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilewright::cpu {

std::optional<Buffer> Emitter::takeOver(Value from, Operation *user) {
  auto it = buffers.find(from);
  // A value of an outer block may be read again in the next iteration.
  if (it == buffers.end() || !from.hasOneUse() || from.getParentBlock() != user->getBlock()) {
    return std::nullopt;
  }
  return it->second;
}

Value convertElement(OpBuilder &b, Value value, Type type) {
  if (value.getType() == type) {
    return value;
  }
  bool wider = getElementTypeOrSelf(type).getIntOrFloatBitWidth() >
               getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  Location loc = value.getLoc();
  if (isa<FloatType>(getElementTypeOrSelf(type))) {
    return wider ? arith::ExtFOp::create(b, loc, type, value).getResult()
                 : arith::TruncFOp::create(b, loc, type, value).getResult();
  }
  return wider ? arith::ExtSIOp::create(b, loc, type, value).getResult()
               : arith::TruncIOp::create(b, loc, type, value).getResult();
}

void Emitter::convertBuffer(const Buffer &from, const Buffer &into, Type type) {
  fillBuffer(type, into, [&](const Point &point) {
    return convertElement(b, readBuffer(from, point), vectorOf(into.element, point.width));
  });
}

//===----------------------------------------------------------------------===//
// The micro-kernel
//===----------------------------------------------------------------------===//

Value Emitter::readOperand(const DotOperand &operand, Value row, Value offset, int64_t width) {
  Location loc = program.scratch.getLoc();
  Value start = arith::MulIOp::create(b, loc, row, operand.rowStride);
  Value address = addPointer(b.getI8Type(), operand.base, arith::AddIOp::create(b, loc, start, offset));
  // Words in user memory have the alignment of their elements only.
  return LLVM::LoadOp::create(b, loc, vectorOf(operand.element, width), address, /*alignment=*/1);
}

Value Emitter::readVectorOfB(const MatrixProduct &product, Value column, Value k, int64_t vector) {
  Location loc = program.scratch.getLoc();
  Value first = arith::MulIOp::create(b, loc, column, product.b.columnStride);
  Value offset = arith::AddIOp::create(b, loc, first, i64(vector * product.width * product.b.bytes()));
  return readOperand(product.b, k, offset, product.width);
}

/// One step along K for a block of accumulators, given row by row, vector by vector.
SmallVector<Value> Emitter::emitDotStep(const MatrixProduct &product, Value row, Value column, Value k,
                                        ValueRange accumulators) {
  Location loc = program.scratch.getLoc();
  auto vectorAt = [&](int64_t v) { return readVectorOfB(product, column, k, v); };
  auto columns = llvm::map_to_vector(llvm::seq<int64_t>(0, product.blockVectors), vectorAt);
  SmallVector<Value> next;
  for (int64_t r = 0; r < product.blockRows; ++r) {
    Value at = arith::AddIOp::create(b, loc, row, i64(r));
    Value offset = arith::MulIOp::create(b, loc, k, i64(product.a.bytes()));
    Value scale = broadcast(readOperand(product.a, at, offset, 1), product.width);
    for (Value values : columns) {
      Value sum = accumulators[next.size()];
      if (product.words != Words::None) {
        next.push_back(addProductsOfWords(product.words, sum, scale, values));
      } else if (isa<FloatType>(product.c.element)) {
        next.push_back(math::FmaOp::create(b, loc, scale, values, sum));
      } else {
        next.push_back(arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, scale, values), sum));
      }
    }
  }
  return next;
}

/// Adds the products along K to a block of sums.
SmallVector<Value> Emitter::emitDotSteps(const MatrixProduct &product, Value row, Value column, ValueRange block) {
  int64_t count = std::min(product.depth, kDepthOfStep);
  SmallVector<Value> sums;
  emitLoopTo(
      product.depthExtent, product.depth, count, block,
      [&](Value k, ValueRange accumulators) {
        SmallVector<Value> running(accumulators);
        for (int64_t i = 0; i < count; ++i) {
          Value step = arith::AddIOp::create(b, program.scratch.getLoc(), k, i64(i));
          running = emitDotStep(product, row, column, step, running);
        }
        return running;
      },
      &sums);
  return sums;
}

/// Computes a block of sums; `excess`, if it is not empty, is subtracted from each of its rows.
void Emitter::emitDotBlock(const MatrixProduct &product, Value row, Value column, ArrayRef<Value> excess) {
  Location loc = program.scratch.getLoc();
  SmallVector<Point> points;
  for (int64_t i = 0; i < product.blockRows * product.blockVectors; ++i) {
    Value r = arith::AddIOp::create(b, loc, row, i64(i / product.blockVectors));
    Value c = arith::AddIOp::create(b, loc, column, i64(i % product.blockVectors * product.width));
    points.push_back(Point{{r, c}, product.width > 1 ? 1 : -1, product.width});
  }
  SmallVector<Value> block;
  for (const Point &point : points) {
    Value sum = product.start ? product.start : readBuffer(product.c, point);
    if (!excess.empty()) {
      sum = arith::SubIOp::create(b, loc, sum, excess[block.size() % product.blockVectors]);
    }
    block.push_back(sum);
  }
  for (auto [point, sum] : llvm::zip_equal(points, emitDotSteps(product, row, column, block))) {
    writeBuffer(product.c, point, sum);
  }
}

void Emitter::emitProduct(const MatrixProduct &product) {
  auto emitColumns = [&](Value column, ValueRange) {
    SmallVector<Value> excess;
    if (product.words == Words::Bytes) {
      excess = sumBytesOfColumns(product, column);
    }
    emitLoopTo(product.rowExtent, product.rows, product.blockRows, {}, [&](Value row, ValueRange) {
      emitDotBlock(product, row, column, excess);
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  };
  emitLoopTo(product.columnExtent, product.columns, product.blockVectors * product.width, {}, emitColumns);
}

MatrixProduct describeProduct(tile::DotOp dot, const hardware::CpuInfo &cpu, Type element) {
  ArrayRef<int64_t> a = tile::getShape(dot.getA().getType()).take_back(2);
  ArrayRef<int64_t> b = tile::getShape(dot.getB().getType()).take_back(2);
  MatrixProduct product;
  product.rows = a[0];
  product.words = wordsOf(dot, cpu);
  product.depth = a[1] / elementsPerWord(product.words);
  product.columns = b[1];
  product.width = std::min(b[1], cpu.lanes(element.getIntOrFloatBitWidth()));
  product.blockVectors = std::min(b[1] / product.width, cpu.dotVectors);
  // With fewer vectors there are more rows, so that enough additions are independent.
  product.blockRows = std::min(a[0], cpu.dotRows * cpu.dotVectors / product.blockVectors);
  return product;
}

Type getComputeType(Type element) {
  bool narrow = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  return narrow ? Float32Type::get(element.getContext()) : element;
}

int64_t panelOf(tile::DotOp dot, const hardware::CpuInfo &cpu, Type element) {
  MatrixProduct product = describeProduct(dot, cpu, element);
  return product.blockVectors * product.width;
}

/// Whether all elements of the tile are a number that is known where the tile is used.
static bool isUniform(Value tile) {
  Operation *op = tile.getDefiningOp();
  return op && isa<arith::ConstantOp, tile::SplatOp>(op);
}

/// The sums before the first product: in memory, or a number that all of them start from.
Emitter::Sums Emitter::startSums(tile::DotOp dot) {
  Type type = dot.getType(), element = getElementTypeOrSelf(type), computed = getComputeType(element);
  ArrayRef<int64_t> shape = tile::getShape(type);
  Sums sums;
  if (isUniform(dot.getAcc())) {
    Value start = evaluate(dot.getAcc(), Point{SmallVector<Value>(shape.size(), i64(0)), -1, 1});
    sums.start = convertElement(b, start, computed);
    sums.result = allocate(type);
  } else {
    std::optional<Buffer> reusable = takeOver(dot.getAcc(), dot);
    sums.result = reusable ? *reusable : allocate(type);
    if (!reusable) {
      copyTile(dot.getAcc(), sums.result);
    }
  }
  sums.computed = sums.result;
  if (computed != element) {
    sums.computed = allocate(type, computed);
    if (!sums.start) {
      convertBuffer(sums.result, sums.computed, type);
    }
  }
  return sums;
}

void Emitter::emitDot(tile::DotOp dot) {
  ArrayRef<int64_t> shape = tile::getShape(dot.getType());
  Type computeType = getComputeType(getElementTypeOrSelf(dot.getType()));
  Sums sums = startSums(dot);
  Extents extents = findExtents(dot);
  DotOperand left = operandOf(dot, /*isA=*/true, extents), right = operandOf(dot, /*isA=*/false, extents);

  int64_t batch = shape.size() == 3 ? shape[0] : 1;
  emitLoop(batch, 1, {}, [&](Value index, ValueRange) {
    auto matrixOf = [&](DotOperand operand) {
      Value offset = arith::MulIOp::create(b, dot.getLoc(), index, i64(operand.batchStride));
      operand.base = addPointer(b.getI8Type(), operand.base, offset);
      return operand;
    };
    MatrixProduct product = describeProduct(dot, cpu, computeType);
    product.a = matrixOf(left);
    product.b = matrixOf(right);
    product.c = sums.computed;
    product.rowExtent = extents.rows;
    product.columnExtent = extents.columns;
    product.depthExtent = extentInWords(extents.wholeSteps, product.words);
    if (shape.size() == 3) {
      product.c.base = addressIn(product.c, Point{{index, i64(0), i64(0)}, -1, 1});
      product.c.strides.erase(product.c.strides.begin());
    }
    product.start = sums.start ? broadcast(sums.start, product.width) : Value();
    emitProduct(product);
    return SmallVector<Value>();
  });
  if (sums.computed.element != sums.result.element) {
    convertBuffer(sums.computed, sums.result, dot.getType());
  }
  buffers[dot.getResult()] = sums.result;
}

namespace {
/// The micro-kernel reads all operands from memory, except for sums that start from a number.
struct Dot : EmissionModel<Dot, tile::DotOp> {
  OperandUse getOperandUse(Operation *op, OpOperand &operand) const {
    bool isNumber = &operand == &cast<tile::DotOp>(op).getAccMutable() && isUniform(operand.get());
    return isNumber ? OperandUse::AtPoints : OperandUse::InMemory;
  }
  LogicalResult emit(Operation *op, Emitter &e) const {
    e.emitDot(cast<tile::DotOp>(op));
    return success();
  }
};
} // namespace

void attachDot(MLIRContext *context) { tile::DotOp::attachInterface<Dot>(*context); }

} // namespace tilewright::cpu
