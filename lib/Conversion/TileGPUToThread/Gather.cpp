// Gathers: inside a warp by shuffles, otherwise from shared memory.

#include "TileGPUToThread.h"

#include "tilewright/Layout/Algebra.h"
#include "tilewright/Layout/Gather.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

using layout::GatherPlan;
using layout::LinearLayout;

/// A thread's indices; i32. Only the bits that select an element are used.
SmallVector<Value> indicesOf(Builder &builder, Value vector) {
  auto type = cast<VectorType>(vector.getType());
  auto i32 = type.clone(builder.getI32Type());
  unsigned bits = type.getElementTypeBitWidth();
  if (bits != 32) {
    vector = bits > 32 ? arith::TruncIOp::create(builder, i32, vector).getResult()
                       : arith::ExtUIOp::create(builder, i32, vector).getResult();
  }
  return unpack(builder, vector);
}

//===----------------------------------------------------------------------===//
// Inside a warp
//===----------------------------------------------------------------------===//

/// The contribution of each bit of the gather index to the source lane.
SmallVector<int64_t> laneBases(const GatherPlan &plan) {
  return llvm::map_to_vector(
      plan.bits, [](const layout::ScanStep &step) { return step.in == layout::kLane ? int64_t(1) << step.bit : 0; });
}

/// The lane that holds the element: this one, with the bits determined by the index replaced.
Value laneOfIndex(Builder &builder, const GatherPlan &plan, Value index) {
  SmallVector<int64_t> bases = laneBases(plan);
  int64_t mask = std::accumulate(bases.begin(), bases.end(), int64_t(0), std::bit_or<>());
  return linearImage(builder, index, bases, clearLaneBits(builder, laneId(builder), mask));
}

/// The source registers that the index selects from, ordered by the index bits, lowest first.
SmallVector<int64_t> candidates(const GatherPlan &plan, int base) {
  SmallVector<int64_t> registers = {base};
  for (const layout::ScanStep &step : plan.bits) {
    for (size_t i = 0, known = registers.size(); step.in == layout::kRegister && i < known; ++i) {
      registers.push_back(registers[i] | int64_t(1) << step.bit);
    }
  }
  return registers;
}

/// Selects one of the candidates by the index.
Value choose(Builder &builder, const GatherPlan &plan, Value vector, Value index) {
  for (int64_t bit = static_cast<int64_t>(plan.bits.size()) - 1; bit >= 0; --bit) {
    if (plan.bits[bit].in == layout::kRegister) {
      int64_t half = cast<VectorType>(vector.getType()).getNumElements() / 2;
      Value low = selectRegisters(builder, vector, llvm::to_vector(llvm::seq<int64_t>(0, half)));
      Value high = selectRegisters(builder, vector, llvm::to_vector(llvm::seq<int64_t>(half, 2 * half)));
      vector = arith::SelectOp::create(builder, hasBits(builder, index, int64_t(1) << bit), high, low);
    }
  }
  return unpack(builder, vector).front();
}

struct Gather : OpConversionPattern<tile::GatherOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::GatherOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    GatherPlan plan = layout::planGather(tilegpu::mapOf(op.getSrc()), tilegpu::mapOf(op.getIndices()),
                                         static_cast<int>(op.getAxis()));
    if (!plan.isInWarp) {
      return op.emitError("a gather between warps goes through shared memory, which was not allocated for it");
    }
    Builder builder(op.getLoc(), rewriter);
    SmallVector<Value> elements;
    for (auto [reg, index] : llvm::enumerate(indicesOf(builder, adaptor.getIndices()))) {
      Value vector = selectRegisters(builder, adaptor.getSrc(), candidates(plan, plan.registers[reg]));
      if (plan.laneBits() > 0) {
        vector = shuffleFrom(builder, vector, laneOfIndex(builder, plan, index));
      }
      elements.push_back(choose(builder, plan, vector, index));
    }
    rewriter.replaceOp(op, pack(builder, elements));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// From shared memory
//===----------------------------------------------------------------------===//

/// The offsets in the buffer of the bits of a coordinate, in elements.
SmallVector<int64_t> offsetBases(const LinearLayout &offsets, int dim) {
  SmallVector<int64_t> bases;
  std::string name = layout::dimName(dim);
  for (int bit = 0; bit < offsets.inBits(name); ++bit) {
    bases.push_back(offsets.basis(name, bit, layout::kOffset));
  }
  return bases;
}

/// For each register, the offset of the element at its coordinates with coordinate 0 along the axis.
SmallVector<Value> lineOffsets(Builder &builder, const LinearLayout &indices, const LinearLayout &offsets, int axis) {
  SmallVector<Value> threads = threadImages(builder, indices);
  Value thread = constantI32(builder, 0);
  for (auto [dim, image] : llvm::enumerate(threads)) {
    if (static_cast<int>(dim) != axis) {
      thread = linearImage(builder, image, offsetBases(offsets, static_cast<int>(dim)), thread);
    }
  }
  SmallVector<Value> lines;
  for (SmallVector<int64_t> image : registerImages(indices)) {
    image[axis] = 0;
    int64_t offset = offsets.apply(offsets.packIn(LinearLayout::Point(image.begin(), image.end())));
    lines.push_back(combineImages(builder, thread, offset, /*disjoint=*/false));
  }
  return lines;
}

struct LocalGather : OpConversionPattern<tilegpu::LocalGatherOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::LocalGatherOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    tilegpu::BufferType buffer = op.getBuffer().getType();
    int axis = static_cast<int>(op.getAxis());
    LinearLayout offsets = layout::pseudoInverse(buffer.getLayout().getMap());
    SmallVector<int64_t> along = offsetBases(offsets, axis);
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    Type inMemory = memoryType(type.getElementType());
    SmallVector<Value> lines = lineOffsets(builder, tilegpu::mapOf(op.getIndices()), offsets, axis), elements;
    for (auto [line, index] : llvm::zip_equal(lines, indicesOf(builder, adaptor.getIndices()))) {
      Value offset = linearImage(builder, index, along, line);
      Value address =
          LLVM::GEPOp::create(builder, adaptor.getBuffer().getType(), inMemory, adaptor.getBuffer(), offset);
      elements.push_back(LLVM::LoadOp::create(builder, inMemory, address, buffer.getElementBytes()));
    }
    rewriter.replaceOp(op, fromMemory(builder, pack(builder, elements), type.getElementType()));
    return success();
  }
};

} // namespace

void addGatherPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<Gather, LocalGather>(types, patterns.getContext());
}

} // namespace tilewright::gpu
