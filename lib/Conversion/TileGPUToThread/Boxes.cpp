// Copies of boxes between global and shared memory, one for each column of a buffer. The first thread of a partition
// starts those to shared memory; several warps start those from there.

#include "TileGPUToThread.h"

#include "tilewright/Dialect/TileGPU/IR/TensorMaps.h"
#include "tilewright/Hardware/Gpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

/// The kernel's parameter that is the tensor map: maps are the last parameters.
Value mapParameter(Operation *op, int64_t map) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  auto maps = function->getAttrOfType<ArrayAttr>(tilegpu::TileGPUDialect::kTensorMapsAttr);
  return function.getArgument(function.getNumArguments() - static_cast<unsigned>(maps.size() - map));
}

/// A box of a map: a column of a buffer, or the rows of a warp group in it.
struct Shape {
  int64_t width, height; ///< in elements
  int64_t bytes;
};

Shape shapeOf(Operation *op, int64_t map, tilegpu::BufferType buffer) {
  runtime::TensorMapParameter described =
      tilegpu::tensorMapsOf(op->getParentOfType<FunctionOpInterface>())[static_cast<size_t>(map)];
  Shape shape = {described.box[0], described.box[1], 0};
  shape.bytes = shape.width * shape.height * buffer.getElementBytes();
  return shape;
}

Value plus(Builder &builder, Value value, int64_t constant) {
  return arith::AddIOp::create(builder, value, constantI32(builder, constant));
}

Value isEqual(Builder &builder, Value value, int64_t constant) {
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, value, constantI32(builder, constant));
}

struct Copy : OpConversionPattern<tilegpu::BoxCopyOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::BoxCopyOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    auto map = static_cast<int64_t>(op.getMap());
    tilegpu::BufferType buffer = op.getBuffer().getType();
    Shape box = shapeOf(op, map, buffer);
    Value mask = both(builder, isFirstThread(builder, tilegpu::partitionOf(op)), adaptor.getExists());
    SmallVector<Value> start(adaptor.getCoordinates());
    for (int64_t column = 0; column < buffer.getBytes() / box.bytes; ++column) {
      start.front() = plus(builder, adaptor.getCoordinates().front(), column * box.width);
      thread::BoxCopyOp::create(builder, offsetBy(builder, adaptor.getBuffer(), column * box.bytes),
                                mapParameter(op, map), start, adaptor.getSlot(), mask); // its first barrier: full
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// The warps that copy a tile, or their part of it, together.
struct Team {
  int64_t teams = 1, warps = 1;
  Value index; ///< of the team; null if there is one

  static Team of(Builder &builder, Operation *op, bool isByGroups) {
    constexpr int kGroup = hardware::GroupMmaInstruction::kWarps;
    int64_t warps = tilegpu::threadsOf(op).warps;
    return isByGroups ? Team{warps / kGroup, kGroup, groupIndex(builder)} : Team{1, warps, Value()};
  }

  /// Lets the threads of a group wait for each other, by a barrier for each group.
  void wait(Builder &builder, Operation *op) const {
    if (index) {
      auto threads = static_cast<uint32_t>(warps * tilegpu::threadsOf(op).lanes);
      thread::NamedBarrierWaitOp::create(builder, plus(builder, index, kFirstGroupBarrier), threads, ValueRange(),
                                         /*anywhere=*/false);
    }
  }
};

/// Each warp of a team starts the copies of some columns, as the unit that copies takes one at a time. Those that a
/// thread starts are one group of copies.
struct Store : OpConversionPattern<tilegpu::BoxStoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::BoxStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    auto map = static_cast<int64_t>(op.getMap());
    tilegpu::BufferType buffer = op.getBuffer().getType();
    Shape box = shapeOf(op, map, buffer);
    Team team = Team::of(builder, op, op.getByGroups());
    SmallVector<Value> start(adaptor.getCoordinates());
    Value from = adaptor.getBuffer();
    if (team.index) {
      thread::AsyncFenceOp::create(builder);
      team.wait(builder, op);
      start[1] = arith::AddIOp::create(builder, start[1],
                                       arith::MulIOp::create(builder, team.index, constantI32(builder, box.height)));
      from = LLVM::GEPOp::create(builder, from.getType(), LLVM::LLVMArrayType::get(builder.getI8Type(), box.bytes),
                                 from, ValueRange(team.index));
    }
    Value warp = arith::AndIOp::create(builder, warpId(builder), constantI32(builder, team.warps - 1));
    Value isFirstLane = isEqual(builder, laneId(builder), 0);
    for (int64_t column = 0; column < buffer.getBytes() / (box.bytes * team.teams); ++column) {
      start.front() = plus(builder, adaptor.getCoordinates().front(), column * box.width);
      Value mask = both(builder, isFirstLane, isEqual(builder, warp, column % team.warps));
      thread::BoxStoreOp::create(builder, mapParameter(op, map), start,
                                 offsetBy(builder, from, column * box.bytes * team.teams), mask,
                                 adaptor.getEvictFirst(), op.getReductionAttr());
    }
    thread::BoxStoreCommitOp::create(builder);
    rewriter.eraseOp(op);
    return success();
  }
};

struct WaitForStores : OpConversionPattern<tilegpu::BoxStoreWaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::BoxStoreWaitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    thread::BoxStoreWaitOp::create(builder, /*pending=*/0, op.getRead());
    Team::of(builder, op, op.getByGroups()).wait(builder, op);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void addBoxPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<Copy, Store, WaitForStores>(types, patterns.getContext());
}

/// A matmul has two or three maps. Kernels with more run so long that the latency of the first copy is negligible, and
/// may need every register: with prefetches, the gradients of attention took 9 % longer on an H200.
static constexpr size_t kMostPrefetchedMaps = 3;

void prefetchTensorMaps(FunctionOpInterface kernel) {
  auto maps = llvm::to_vector(llvm::make_filter_range(kernel.getArguments(), [&](BlockArgument argument) {
    return kernel.getArgAttr(argument.getArgNumber(), thread::ThreadDialect::kTensorMapAttr);
  }));
  if (maps.empty() || maps.size() > kMostPrefetchedMaps) {
    return;
  }
  auto builder = Builder::atBlockBegin(kernel.getLoc(), &kernel.getFunctionBody().front());
  Value first = isFirstThread(builder);
  for (BlockArgument map : maps) {
    thread::PrefetchTensorMapOp::create(builder, map, first);
  }
}

} // namespace tilewright::gpu
