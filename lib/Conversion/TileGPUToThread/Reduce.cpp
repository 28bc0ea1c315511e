// Reductions within a warp: each thread first combines its registers, halving the vector in each step, then lanes
// exchange their partial results.
//
//     sum of 256 elements, eight registers in each of 32 lanes
//
//       v : vector<8xf32>     v[0..4] + v[4..8], then v[0..2] + v[2..4], then v[0..1] + v[1..2]
//       v : vector<1xf32>     v + shuffle(v, lane ^ 1), ... lane ^ 16: every lane has the sum
//
// Where one instruction compares three values, maxima and minima of registers are combined by threes instead.

#include "TileGPUToThread.h"

#include "tilewright/Layout/Reduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

using layout::LinearLayout;
using layout::ReductionPlan;

/// Vectors of all operands, and the source registers to which their elements correspond.
struct Partial {
  SmallVector<Value> vectors;
  SmallVector<int64_t> registers;
};

SmallVector<Value> choose(Builder &builder, ArrayRef<Value> vectors, ArrayRef<int64_t> order) {
  return llvm::map_to_vector(vectors, [&](Value vector) { return selectRegisters(builder, vector, order); });
}

/// One step in registers, which keeps those without the mask's highest bit. Steps go from the highest bit down, so that
/// the partner of each remaining register remains too.
Partial reduceRegisters(Builder &builder, const Combiner &combine, const Partial &whole, uint32_t mask) {
  int64_t top = llvm::bit_floor(mask);
  llvm::DenseMap<int64_t, int64_t> position;
  for (auto [index, reg] : llvm::enumerate(whole.registers)) {
    position[reg] = index;
  }
  SmallVector<int64_t> kept, lower, upper;
  for (int64_t reg : whole.registers) {
    if ((reg & top) == 0) {
      kept.push_back(reg);
      lower.push_back(position.at(reg));
      upper.push_back(position.at(reg ^ mask));
    }
  }
  return {combine(builder, choose(builder, whole.vectors, lower), choose(builder, whole.vectors, upper)), kept};
}

/// Whether the combiner is a maximum or minimum that one instruction computes of three values.
bool combinesThree(const Combiner &combine, const hardware::GpuInfo &target) {
  return target.comparesThree && combine.only() &&
         isa<arith::MaxNumFOp, arith::MinNumFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(
             combine.only());
}

/// All steps in registers, as a tree whose inner nodes have three operands: max(max(a, b), c).
Partial reduceRegistersByThrees(Builder &builder, const Combiner &combine, const Partial &whole,
                                ArrayRef<uint32_t> masks) {
  uint32_t tops = 0;
  for (uint32_t mask : masks) {
    tops |= llvm::bit_floor(mask);
  }
  SmallVector<int64_t> kept;
  llvm::copy_if(whole.registers, std::back_inserter(kept), [&](int64_t reg) { return (reg & tops) == 0; });
  SmallVector<SmallVector<Value>> parts;
  for (uint32_t part = 0; part < (1U << masks.size()); ++part) {
    uint32_t toPart = 0;
    for (auto [bit, mask] : llvm::enumerate(masks)) {
      toPart ^= (part >> bit & 1) != 0 ? mask : 0;
    }
    auto members = llvm::map_to_vector(kept, [&](int64_t reg) { return reg ^ toPart; });
    parts.push_back(choose(builder, whole.vectors, members));
  }
  while (parts.size() > 1) {
    SmallVector<SmallVector<Value>> combined;
    for (auto [index, part] : llvm::enumerate(parts)) {
      if (index % 3 == 0) {
        combined.push_back(part);
      } else {
        combined.back() = combine(builder, combined.back(), part);
      }
    }
    parts = std::move(combined);
  }
  return {parts.front(), kept};
}

/// One step between lanes. Each lane's own value is the left one, unless `isRight`.
SmallVector<Value> reduceLanes(Builder &builder, const Combiner &combine, ArrayRef<Value> mine, uint32_t mask,
                               Value isRight = {}) {
  SmallVector<Value> left(mine), right;
  for (Value vector : mine) {
    right.push_back(shuffleAcross(builder, vector, mask));
  }
  if (isRight) {
    for (auto [low, high] : llvm::zip_equal(left, right)) {
      Value own = low;
      low = arith::SelectOp::create(builder, isRight, high, own);
      high = arith::SelectOp::create(builder, isRight, own, high);
    }
  }
  return combine(builder, left, right);
}

/// All steps between lanes, such that their results are bit-identical. The results of a commutative combiner are. With
/// any other one, the lane without the masks' bits has combined in order, and the others get its result; a single step,
/// and masks with several bits, order the operands by selects instead.
SmallVector<Value> reduceLanes(Builder &builder, const Combiner &combine, SmallVector<Value> vectors,
                               ArrayRef<uint32_t> masks) {
  bool isOrdered = !combine.isCommutative();
  bool isPlain = masks.size() > 1 && llvm::all_of(masks, llvm::isPowerOf2_32);
  uint32_t bits = 0;
  for (uint32_t mask : masks) {
    Value isRight = isOrdered && !isPlain ? hasBits(builder, laneId(builder), llvm::bit_floor(mask)) : Value();
    vectors = reduceLanes(builder, combine, vectors, mask, isRight);
    bits |= mask;
  }
  if (isOrdered && isPlain && bits != 0) {
    Value others = arith::ConstantIntOp::create(builder, ~static_cast<int64_t>(bits), 32);
    Value first = arith::AndIOp::create(builder, laneId(builder), others);
    for (Value &vector : vectors) {
      vector = shuffleFrom(builder, vector, first);
    }
  }
  return vectors;
}

/// The kind of the instruction that reduces 32-bit integers over all lanes, if it applies.
std::optional<vector::CombiningKind> warpReduction(const Combiner &combine, const ReductionPlan &plan,
                                                   const hardware::GpuInfo &target) {
  Operation *op = combine.only();
  bool isWholeWarp = (1 << plan.lanes.size()) == target.lanesPerWarp;
  if (!target.reducesIntegers || !isWholeWarp || !op || !op->getResult(0).getType().isInteger(32)) {
    return std::nullopt;
  }
  return llvm::TypeSwitch<Operation *, std::optional<vector::CombiningKind>>(op)
      .Case([](arith::AddIOp) { return vector::CombiningKind::ADD; })
      .Case([](arith::MinSIOp) { return vector::CombiningKind::MINSI; })
      .Case([](arith::MaxSIOp) { return vector::CombiningKind::MAXSI; })
      .Case([](arith::MinUIOp) { return vector::CombiningKind::MINUI; })
      .Case([](arith::MaxUIOp) { return vector::CombiningKind::MAXUI; })
      .Case([](arith::AndIOp) { return vector::CombiningKind::AND; })
      .Case([](arith::OrIOp) { return vector::CombiningKind::OR; })
      .Case([](arith::XOrIOp) { return vector::CombiningKind::XOR; })
      .Default(std::nullopt);
}

Value reduceWarp(Builder &builder, vector::CombiningKind kind, Value vector) {
  SmallVector<Value> elements = unpack(builder, vector);
  for (Value &element : elements) {
    element = thread::ReduceOp::create(builder, kind, element);
  }
  return pack(builder, elements);
}

Partial reduce(Builder &builder, const Combiner &combine, const ReductionPlan &plan, ValueRange operands,
               const hardware::GpuInfo &target) {
  int64_t registers = cast<VectorType>(operands.front().getType()).getNumElements();
  Partial partial{SmallVector<Value>(operands), llvm::to_vector(llvm::seq<int64_t>(0, registers))};
  if (combinesThree(combine, target)) {
    partial = reduceRegistersByThrees(builder, combine, partial, plan.registers);
  } else {
    for (uint32_t mask : llvm::reverse(plan.registers)) {
      partial = reduceRegisters(builder, combine, partial, mask);
    }
  }
  if (std::optional<vector::CombiningKind> kind = warpReduction(combine, plan, target)) {
    partial.vectors.front() = reduceWarp(builder, *kind, partial.vectors.front());
    return partial;
  }
  partial.vectors = reduceLanes(builder, combine, partial.vectors, plan.lanes);
  return partial;
}

/// For each register of the result, the position of the element at its coordinates.
SmallVector<int64_t> resultOrder(const LinearLayout &source, int axis, ArrayRef<int64_t> registers,
                                 const LinearLayout &result) {
  SmallVector<SmallVector<int64_t>> images = registerImages(source);
  std::map<SmallVector<int64_t>, int64_t> position;
  for (auto [index, reg] : llvm::enumerate(registers)) {
    SmallVector<int64_t> image = images[reg];
    image.erase(image.begin() + axis);
    position[image] = index;
  }
  return llvm::map_to_vector(registerImages(result), [&](const auto &image) { return position.at(image); });
}

struct Reduce : OpConversionPattern<tile::ReduceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::ReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const LinearLayout &source = tilegpu::mapOf(op.getOperands().front());
    ReductionPlan plan = layout::planReduction(source, op.getAxis());
    if (!plan.isInWarp()) {
      return op.emitError("a reduction between warps goes through shared memory, which was not allocated for it");
    }
    Builder builder(op.getLoc(), rewriter);
    Partial partial = reduce(builder, Combiner(op.getCombiner()), plan, adaptor.getOperands(), tilegpu::targetOf(op));
    SmallVector<Value> results;
    for (auto [result, vector] : llvm::zip_equal(op.getResults(), partial.vectors)) {
      auto tile = dyn_cast<RankedTensorType>(result.getType());
      results.push_back(
          tile ? selectRegisters(builder, vector,
                                 resultOrder(source, op.getAxis(), partial.registers, tilegpu::mapOf(tile)))
               : unpack(builder, vector).front());
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void addReductionPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<Reduce>(types, patterns.getContext());
}

} // namespace tilewright::gpu
