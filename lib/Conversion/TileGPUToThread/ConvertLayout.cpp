// Layout conversions inside a warp: the moves of Layout/Conversion.h, emitted as selects between registers and shuffles
// between lanes.

#include "TileGPUToThread.h"

#include "tilewright/Layout/Conversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

using layout::ConversionKind;
using layout::ConversionPlan;

/// Whether a bit of the thread index is set; the lane bits are below the warp bits.
Value isThreadBitSet(Builder &builder, int bit, int laneBits) {
  return bit < laneBits ? hasBits(builder, laneId(builder), int64_t(1) << bit)
                        : hasBits(builder, warpId(builder), int64_t(1) << (bit - laneBits));
}

/// Each thread permutes its registers, depending on its index. Xor masks that are sums of others need no selects: they
/// toggle the conditions of those.
Value moveRegisters(Builder &builder, const layout::RegisterMove &move, int laneBits, Value vector) {
  layout::Span independent;
  SmallVector<std::pair<int, Value>> xorMasks; // with the condition under which each applies
  for (auto [bit, xorMask] : llvm::enumerate(move.xorMasks)) {
    if (xorMask == 0) {
      continue;
    }
    Value isSet = isThreadBitSet(builder, static_cast<int>(bit), laneBits);
    std::optional<uint64_t> sum = independent.express(xorMask);
    if (!sum) {
      independent.add(xorMask);
      xorMasks.push_back({xorMask, isSet});
      continue;
    }
    for (size_t i = 0; i < xorMasks.size(); ++i) {
      if (*sum >> i & 1) {
        xorMasks[i].second = arith::XOrIOp::create(builder, xorMasks[i].second, isSet);
      }
    }
  }
  int64_t registers = cast<VectorType>(vector.getType()).getNumElements();
  for (auto [xorMask, isMade] : xorMasks) {
    SmallVector<int64_t> order;
    for (int64_t reg = 0; reg < registers; ++reg) {
      order.push_back(reg ^ xorMask);
    }
    vector = arith::SelectOp::create(builder, isMade, selectRegisters(builder, vector, order), vector);
  }
  return selectRegisters(builder, vector, SmallVector<int64_t>(move.base.begin(), move.base.end()));
}

/// The source lane of a register with xor mask 0.
Value sourceLane(Builder &builder, const layout::LaneMove &move) {
  ArrayRef<int> all = move.lanes;
  SmallVector<int64_t> ofLanes(all.take_front(move.laneBits)), ofWarps(all.drop_front(move.laneBits));
  Value lane = linearImage(builder, laneId(builder), ofLanes);
  lane = linearImage(builder, warpId(builder), ofWarps, lane);
  return lane ? lane : constantI32(builder, 0);
}

/// Whether the lanes l and l ^ exchangedLanes, which exchange registers without memory, need what one of them holds:
/// the first or the second one, depending on the register.
bool isWithinPairs(const layout::LaneMove &move, int exchangedLanes) {
  for (auto [bit, lane] : llvm::enumerate(move.lanes)) {
    int own = static_cast<int>(bit) < move.laneBits ? 1 << bit : 0;
    if (lane != (own == exchangedLanes ? 0 : own)) {
      return false;
    }
  }
  return exchangedLanes != 0 &&
         llvm::all_of(move.xorMasks, [&](int mask) { return mask == 0 || mask == exchangedLanes; });
}

/// The part as the first lane of each pair holds it, or as the second one does.
Value partOfPair(Builder &builder, Value part, int exchangedLanes, bool ofSecond) {
  Value isSecond = hasBits(builder, laneId(builder), exchangedLanes);
  Value other = shuffleAcross(builder, part, exchangedLanes);
  return ofSecond ? arith::SelectOp::create(builder, isSecond, part, other).getResult()
                  : arith::SelectOp::create(builder, isSecond, other, part).getResult();
}

/// Registers from the same lane are shuffled together, so that narrow elements fill words.
Value moveLanes(Builder &builder, const layout::LaneMove &move, Value vector, const hardware::GpuInfo &target) {
  llvm::MapVector<int, SmallVector<int64_t>> registersOfXorMask;
  for (auto [reg, xorMask] : llvm::enumerate(move.xorMasks)) {
    registersOfXorMask[xorMask].push_back(reg);
  }
  bool isOfPairs = isWithinPairs(move, target.exchangedLanes);
  Value lane = move.isButterfly() || isOfPairs ? Value() : sourceLane(builder, move);
  SmallVector<Value> elements(move.xorMasks.size());
  for (const auto &[xorMask, registers] : registersOfXorMask) {
    Value part = selectRegisters(builder, vector, registers);
    if (isOfPairs) {
      part = partOfPair(builder, part, target.exchangedLanes, /*ofSecond=*/xorMask != 0);
    } else if (lane) {
      part = shuffleFrom(builder, part, combineImages(builder, lane, xorMask, /*disjoint=*/false));
    } else if (xorMask != 0) {
      part = shuffleAcross(builder, part, xorMask);
    }
    for (auto [reg, element] : llvm::zip_equal(registers, unpack(builder, part))) {
      elements[reg] = element;
    }
  }
  return pack(builder, elements);
}

struct ConvertLayout : OpConversionPattern<tilegpu::ConvertLayoutOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::ConvertLayoutOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const layout::LinearLayout &from = tilegpu::mapOf(op.getSrc());
    ConversionPlan plan = layout::planConversion(from, tilegpu::mapOf(op.getType()));
    if (plan.kind == ConversionKind::Shared || plan.kind == ConversionKind::Cluster) {
      return op.emitError("a conversion between warps goes through shared memory, which was not allocated for it");
    }
    Builder builder(op.getLoc(), rewriter);
    int laneBits = from.inBits(layout::kLane);
    Value vector = moveRegisters(builder, plan.before, laneBits, adaptor.getSrc());
    if (plan.kind == ConversionKind::Lanes) {
      vector = moveLanes(builder, plan.shuffle, vector, tilegpu::targetOf(op));
    }
    rewriter.replaceOp(op, moveRegisters(builder, plan.after, laneBits, vector));
    return success();
  }
};

} // namespace

void addConversionPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<ConvertLayout>(types, patterns.getContext());
}

} // namespace tilewright::gpu
