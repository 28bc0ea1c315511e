// Operations that create tiles, or change their shape or the order of their elements. Most are views: they take no
// instructions of their own, and evaluate their source at another point. The others fill a buffer.

#include "Emitter.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::cpu {
namespace {

//===----------------------------------------------------------------------===//
// Creating tiles
//===----------------------------------------------------------------------===//

struct Splat : EmissionModel<Splat, tile::SplatOp> {
  Placement getPlacement(Operation *) const { return Placement::Free; }
  Value evaluate(Operation *op, Emitter &e, OpResult, const Point &) const { return e.scalar(op->getOperand(0)); }
};

struct Range : EmissionModel<Range, tile::MakeRangeOp> {
  Placement getPlacement(Operation *) const { return Placement::Free; }
  Value evaluate(Operation *op, Emitter &e, OpResult, const Point &point) const {
    Location loc = op->getLoc();
    auto start = static_cast<int32_t>(cast<tile::MakeRangeOp>(op).getStart());
    Value first = arith::TruncIOp::create(e.b, loc, e.b.getI32Type(), point.index[0]);
    if (start != 0) {
      first = arith::AddIOp::create(e.b, loc, first, e.constant(e.b.getI32IntegerAttr(start)));
    }
    if (point.isScalar()) {
      return first;
    }
    return arith::AddIOp::create(e.b, loc, e.broadcast(first, point.width), e.laneNumbers(point.width));
  }
};

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// The source at the same point, of which dimensions of size 1 are ignored.
struct Broadcast : EmissionModel<Broadcast, tile::BroadcastOp> {
  Placement getPlacement(Operation *) const { return Placement::Free; }
  Value evaluate(Operation *op, Emitter &e, OpResult, const Point &point) const {
    return e.evaluate(op->getOperand(0), point);
  }
};

/// Axis analysis has used the hint.
struct Hint : EmissionModel<Hint, tile::HintOp> {
  Placement getPlacement(Operation *op) const {
    return isTile(op->getResult(0)) ? Placement::Free : Placement::Materialized;
  }
  Value evaluate(Operation *op, Emitter &e, OpResult, const Point &point) const {
    return e.evaluate(op->getOperand(0), point);
  }
  SmallVector<Value> apply(Operation *, Emitter &, SmallVector<Value> operands, int64_t) const { return operands; }
};

struct ExpandDims : EmissionModel<ExpandDims, tile::ExpandDimsOp> {
  Placement getPlacement(Operation *) const { return Placement::Free; }
  Value evaluate(Operation *op, Emitter &e, OpResult, const Point &point) const {
    int axis = static_cast<int>(cast<tile::ExpandDimsOp>(op).getAxis());
    Point from = point;
    from.index.erase(from.index.begin() + axis);
    from.vectorDim -= from.vectorDim > axis;
    return e.evaluate(op->getOperand(0), from);
  }
};

struct Trans : EmissionModel<Trans, tile::TransOp> {
  Placement getPlacement(Operation *) const { return Placement::Free; }
  Value evaluate(Operation *op, Emitter &e, OpResult, const Point &point) const {
    Point from = point;
    for (auto [to, dim] : llvm::enumerate(cast<tile::TransOp>(op).getOrder())) {
      from.index[dim] = point.index[to];
      if (point.vectorDim == static_cast<int>(to)) {
        from.vectorDim = dim;
      }
    }
    return e.evaluate(op->getOperand(0), from);
  }
};

/// Both halves are in the source, whose last dimension has size 2.
struct Split : EmissionModel<Split, tile::SplitOp> {
  Placement getPlacement(Operation *) const { return Placement::Lazy; }
  Value evaluate(Operation *op, Emitter &e, OpResult result, const Point &point) const {
    Point from = point;
    from.index.push_back(e.i64(result.getResultNumber()));
    return e.evaluate(op->getOperand(0), from);
  }
};

/// A view if it only inserts or removes dimensions of size 1. Any other reshape keeps the row-major order of a buffer
/// and changes its strides.
struct Reshape : EmissionModel<Reshape, tile::ReshapeOp> {
  Placement getPlacement(Operation *op) const {
    return realSizes(op->getOperand(0)) == realSizes(op->getResult(0)) ? Placement::Free : Placement::Materialized;
  }

  Value evaluate(Operation *op, Emitter &e, OpResult result, const Point &point) const {
    Value src = op->getOperand(0);
    Point from{{}, -1, point.width};
    ArrayRef<int64_t> sizes = tile::getShape(result.getType());
    size_t to = 0;
    for (int64_t size : tile::getShape(src.getType())) {
      if (size == 1) {
        from.index.push_back(e.i64(0));
        continue;
      }
      while (sizes[to] == 1) {
        ++to;
      }
      if (point.vectorDim == static_cast<int>(to)) {
        from.vectorDim = static_cast<int>(from.index.size());
      }
      from.index.push_back(point.index[to++]);
    }
    return e.evaluate(src, from);
  }

  LogicalResult emit(Operation *op, Emitter &e) const {
    Value src = op->getOperand(0), result = op->getResult(0);
    std::optional<Buffer> reusable = e.takeOver(src, op);
    if (!reusable) {
      reusable = e.allocate(src.getType());
      e.copyTile(src, *reusable);
    }
    SmallVector<int64_t> strides = Emitter::rowMajorStrides(tile::getShape(result.getType()));
    e.buffers[result] = Buffer{reusable->base, reusable->element, strides};
    return success();
  }

private:
  static SmallVector<int64_t> realSizes(Value tile) {
    SmallVector<int64_t> sizes;
    llvm::copy_if(tile::getShape(tile.getType()), std::back_inserter(sizes), [](int64_t size) { return size != 1; });
    return sizes;
  }
};

//===----------------------------------------------------------------------===//
// Operations that fill a buffer
//===----------------------------------------------------------------------===//

/// The part of `buffer` that starts at `index` along `dim`.
Buffer offsetBuffer(Emitter &e, const Buffer &buffer, int64_t dim, int64_t index) {
  Point origin;
  origin.index.assign(buffer.strides.size(), e.i64(0));
  origin.index[dim] = e.i64(index);
  return Buffer{e.addressIn(buffer, origin), buffer.element, buffer.strides};
}

struct Join : EmissionModel<Join, tile::JoinOp> {
  LogicalResult emit(Operation *op, Emitter &e) const {
    Buffer result = e.allocate(op->getResult(0).getType());
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      Buffer half = offsetBuffer(e, result, result.strides.size() - 1, i);
      half.strides.pop_back();
      e.copyTile(operand, half);
    }
    e.buffers[op->getResult(0)] = result;
    return success();
  }
};

struct Cat : EmissionModel<Cat, tile::CatOp> {
  LogicalResult emit(Operation *op, Emitter &e) const {
    Buffer result = e.allocate(op->getResult(0).getType());
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      e.copyTile(operand, offsetBuffer(e, result, 0, i * tile::getShape(operand.getType())[0]));
    }
    e.buffers[op->getResult(0)] = result;
    return success();
  }
};

} // namespace

void attachShapes(MLIRContext *context) {
  tile::SplatOp::attachInterface<Splat>(*context);
  tile::MakeRangeOp::attachInterface<Range>(*context);
  tile::BroadcastOp::attachInterface<Broadcast>(*context);
  tile::HintOp::attachInterface<Hint>(*context);
  tile::ExpandDimsOp::attachInterface<ExpandDims>(*context);
  tile::TransOp::attachInterface<Trans>(*context);
  tile::SplitOp::attachInterface<Split>(*context);
  tile::ReshapeOp::attachInterface<Reshape>(*context);
  tile::JoinOp::attachInterface<Join>(*context);
  tile::CatOp::attachInterface<Cat>(*context);
}

} // namespace tilewright::cpu
