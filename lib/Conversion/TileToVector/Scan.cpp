// Scans: of lines along the vectors' dimension by blocks, and of adjacent lines in the lanes of vectors.

#include "Emitter.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {

/// The scans of lines that are the lanes of a vector, element by element.
static void emitScanOfLines(Emitter &e, tile::ScanOp scan, int64_t length, const Point &line,
                            ArrayRef<Buffer> results) {
  int axis = static_cast<int>(scan.getAxis());
  auto at = [&](Value step) {
    Point point = line;
    point.index[axis] =
        scan.getReverse() ? arith::SubIOp::create(e.b, scan.getLoc(), e.i64(length - 1), step).getResult() : step;
    return point;
  };
  auto write = [&](const Point &point, ArrayRef<Value> values) {
    for (auto [buffer, value] : llvm::zip(results, values)) {
      e.writeBuffer(buffer, point, value);
    }
  };
  auto read = [&](const Point &point) {
    return llvm::map_to_vector(scan.getOperands(), [&](Value operand) { return e.evaluateVector(operand, point); });
  };
  SmallVector<Value> running = read(at(e.i64(0)));
  write(at(e.i64(0)), running);
  if (length == 1) {
    return;
  }
  auto loop = scf::ForOp::create(e.b, scan.getLoc(), e.i64(1), e.i64(length), e.i64(1), running);
  OpBuilder::InsertionGuard guard(e.b);
  CacheScope scope(e);
  e.b.setInsertionPointToStart(loop.getBody());
  Point point = at(loop.getInductionVar());
  SmallVector<Value> next = e.combine(scan.getCombiner(), loop.getRegionIterArgs(), read(point));
  write(point, next);
  scf::YieldOp::create(e.b, scan.getLoc(), next);
}

namespace {
/// The scan of one line along the axis, by blocks of `width` elements:
///
///     for i in 0..length step width:        shift by 1, 2, 4, ... lanes:
///       v = x[i .. i+width]                   v = v combined with itself shifted, in the lanes that have a source
///       v = scan of v within the vector
///       v = carry combined with v
///       result[i .. i+width] = v; carry = last lane of v
class LineScan {
public:
  LineScan(Emitter &e, tile::ScanOp scan, int64_t length, int64_t width, ArrayRef<Buffer> results)
      : e(e), scan(scan), length(length), width(width), results(results) {}

  void emit(const Point &line) {
    SmallVector<Value> first = scanWithin(read(at(line, e.i64(0))));
    write(at(line, e.i64(0)), first);
    if (length == width) {
      return;
    }
    auto loop =
        scf::ForOp::create(e.b, scan.getLoc(), e.i64(width), e.i64(length), e.i64(width), map(first, lastLane()));
    OpBuilder::InsertionGuard guard(e.b);
    CacheScope scope(e);
    e.b.setInsertionPointToStart(loop.getBody());
    Point point = at(line, loop.getInductionVar());
    auto carry = llvm::map_to_vector(loop.getRegionIterArgs(), [&](Value value) { return e.broadcast(value, width); });
    SmallVector<Value> next = e.combine(scan.getCombiner(), carry, scanWithin(read(point)));
    write(point, next);
    scf::YieldOp::create(e.b, scan.getLoc(), map(next, lastLane()));
  }

private:
  /// The lane that is combined last. A reverse scan begins at the end of the line and of each vector.
  std::function<Value(Value)> lastLane() {
    int64_t lane = scan.getReverse() ? 0 : width - 1;
    return [this, lane](Value vector) -> Value {
      return width == 1 ? vector
                        : vector::ExtractOp::create(e.b, vector.getLoc(), vector, ArrayRef<int64_t>{lane}).getResult();
    };
  }

  static SmallVector<Value> map(ArrayRef<Value> values, llvm::function_ref<Value(Value)> fn) {
    return llvm::map_to_vector(values, fn);
  }

  Point at(const Point &line, Value step) {
    Point point{line.index, width > 1 ? int(scan.getAxis()) : -1, width};
    point.index[scan.getAxis()] =
        scan.getReverse() ? arith::SubIOp::create(e.b, scan.getLoc(), e.i64(length - width), step).getResult() : step;
    return point;
  }

  SmallVector<Value> read(const Point &point) {
    return llvm::map_to_vector(scan.getOperands(), [&](Value operand) { return e.evaluateVector(operand, point); });
  }

  void write(const Point &point, ArrayRef<Value> values) {
    for (auto [buffer, value] : llvm::zip(results, values)) {
      e.writeBuffer(buffer, point, value);
    }
  }

  SmallVector<Value> scanWithin(SmallVector<Value> values) {
    Location loc = scan.getLoc();
    for (int64_t distance = 1; distance < width; distance *= 2) {
      SmallVector<int64_t> sources;
      SmallVector<bool> hasSource;
      for (int64_t lane = 0; lane < width; ++lane) {
        int64_t source = scan.getReverse() ? lane + distance : lane - distance;
        hasSource.push_back(source >= 0 && source < width);
        sources.push_back(hasSource.back() ? source : lane);
      }
      auto shifted = llvm::map_to_vector(
          values, [&](Value value) -> Value { return vector::ShuffleOp::create(e.b, loc, value, value, sources); });
      Value mask = e.constant(DenseElementsAttr::get(VectorType::get({width}, e.b.getI1Type()), hasSource));
      SmallVector<Value> combined = e.combine(scan.getCombiner(), shifted, values);
      for (auto [value, next] : llvm::zip_equal(values, combined)) {
        value = arith::SelectOp::create(e.b, loc, mask, next, value);
      }
    }
    return values;
  }

  Emitter &e;
  tile::ScanOp scan;
  int64_t length, width;
  ArrayRef<Buffer> results;
};
} // namespace

/// The number of elements that a scan along the vectors' dimension combines at once; 1 if the combiner has control
/// flow, which may differ between lanes.
static int64_t scanWidth(const Emitter &e, tile::ScanOp scan, int64_t length) {
  int64_t bits = 8;
  for (Value operand : scan.getOperands()) {
    bits = std::max(bits, getBitWidth(getElementTypeOrSelf(operand.getType())));
  }
  int64_t width = std::min(length, e.cpu.lanes(bits));
  return isElementwise(scan.getCombiner()) && length % width == 0 && llvm::isPowerOf2_64(width) ? width : 1;
}

static void emitScan(Emitter &e, tile::ScanOp scan) {
  SmallVector<int64_t> sizes(tile::getShape(scan.getOperands()[0].getType()));
  int axis = static_cast<int>(scan.getAxis()), last = static_cast<int>(sizes.size()) - 1;
  int64_t length = std::exchange(sizes[axis], 1);
  SmallVector<Buffer> results;
  for (Value result : scan.getResults()) {
    results.push_back(e.buffers[result] = e.allocate(result.getType()));
  }
  if (last == axis || sizes[last] == 1) {
    LineScan lineScan(e, scan, length, last == axis ? scanWidth(e, scan, length) : 1, results);
    e.emitPointwise(sizes, -1, 1, [&](const Point &line) { lineScan.emit(line); });
    return;
  }
  // Adjacent lines are scanned in the lanes of a vector.
  int64_t width = std::min(sizes[last], e.cpu.lanes(32));
  e.emitPointwise(sizes, last, width, [&](const Point &line) { emitScanOfLines(e, scan, length, line, results); });
}

namespace {

struct Scan : EmissionModel<Scan, tile::ScanOp> {
  OperandUse getOperandUse(Operation *, OpOperand &) const { return OperandUse::Copied; }
  LogicalResult emit(Operation *op, Emitter &e) const {
    emitScan(e, cast<tile::ScanOp>(op));
    return success();
  }
};

} // namespace

void attachScans(MLIRContext *context) { tile::ScanOp::attachInterface<Scan>(*context); }

} // namespace tilewright::cpu
