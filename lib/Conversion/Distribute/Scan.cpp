// A scan within a warp, level by level: bits of the coordinate that are neighbours and
// lie in registers alone, or in lanes alone, are one level.
//
//     16 elements, coordinate bits: register, lane, lane, register (T1:2 is lane 1, register 2)
//
//       T0:0 T0:1 | T1:0 T1:1 | T2:0 T2:1 | T3:0 T3:1 || T0:2 T0:3 | ...
//
//       level 0, registers    each thread scans its pairs; totals: one per pair
//       level 1, lanes        lanes scan the totals by shuffles; totals: one per half
//       level 2, registers    each thread scans the two totals
//
// A level gives each of its runs what stands before it, and the level below puts that
// before each of its elements. Nothing is assumed of the combiner but that it is associative:
// the elements before are always its left side, and the first element has none before it.
//
// A reverse scan is the same with all coordinates complemented.

#include "Distribute.h"

#include "tilewright/Layout/Reduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::distribute {
namespace {

using layout::LinearLayout;
using layout::ScanPlan;

/// Vectors of all operands: the elements with one coordinate along the axis, for each place across it.
using Slice = SmallVector<Value>;

/// What stands before a slice. Empty where nothing does; else `isThere`, if not null, says whether anything does.
struct Prefix {
  Slice slice;
  Value isThere;
};

struct Level {
  bool isLanes;
  SmallVector<int> bits; ///< of the lane; for registers only their number counts
};

SmallVector<Level> levelsOf(const ScanPlan &plan) {
  SmallVector<Level> levels;
  for (const layout::ScanStep &step : plan.steps) {
    bool isLane = step.in == layout::kLane;
    if (levels.empty() || levels.back().isLanes != isLane) {
      levels.push_back({isLane, {}});
    }
    levels.back().bits.push_back(step.bit);
  }
  return levels;
}

class Scanner {
public:
  Scanner(Builder &builder, const Combiner &combine, const ScanPlan &plan, bool reverse)
      : builder(builder), combine(combine), levels(levelsOf(plan)), reverse(reverse) {}

  /// Of slices in the order of the scan.
  SmallVector<Slice> scan(ArrayRef<Slice> slices) {
    SmallVector<Slice> inside = scanInside(0, slices);
    SmallVector<Prefix> before = above(0, inside);
    int64_t run = runLength(0);
    for (auto [index, slice] : llvm::enumerate(inside)) {
      slice = join(before[index / run], slice);
    }
    return inside;
  }

private:
  /// Slices of one thread that are one after the other at this level.
  int64_t runLength(size_t level) const { return levels[level].isLanes ? 1 : int64_t(1) << levels[level].bits.size(); }

  /// Each run of the level by itself, inclusive.
  SmallVector<Slice> scanInside(size_t level, ArrayRef<Slice> slices) {
    SmallVector<Slice> result(slices);
    if (levels[level].isLanes) {
      for (Slice &slice : result) {
        slice = scanLanes(levels[level], slice);
      }
      return result;
    }
    for (auto [index, slice] : llvm::enumerate(result)) {
      if (index % runLength(level) != 0) {
        slice = combine(builder, result[index - 1], slice);
      }
    }
    return result;
  }

  /// What stands before the runs of this level, which were scanned by themselves.
  SmallVector<Prefix> above(size_t level, ArrayRef<Slice> inside) {
    int64_t run = runLength(level);
    SmallVector<Slice> totals;
    for (size_t last = run - 1; last < inside.size(); last += run) {
      totals.push_back(inside[last]);
    }
    if (level + 1 == levels.size()) {
      return SmallVector<Prefix>(totals.size());
    }
    if (levels[level].isLanes) {
      for (Slice &total : totals) {
        total = fromLane(total, lastLane(levels[level].bits));
      }
    }
    return exclusive(level + 1, totals);
  }

  /// What stands before each slice, from this level on.
  SmallVector<Prefix> exclusive(size_t level, ArrayRef<Slice> slices) {
    SmallVector<Slice> inside = scanInside(level, slices);
    SmallVector<Prefix> before = above(level, inside), result;
    int64_t run = runLength(level);
    for (size_t index = 0; index < slices.size(); ++index) {
      const Prefix &ofRun = before[index / run];
      if (levels[level].isLanes) {
        result.push_back(beforeLane(levels[level], ofRun, inside[index]));
      } else if (index % run == 0) {
        result.push_back(ofRun);
      } else {
        result.push_back({join(ofRun, inside[index - 1]), {}});
      }
    }
    return result;
  }

  Slice join(const Prefix &before, const Slice &slice) {
    if (before.slice.empty()) {
      return slice;
    }
    Slice both = combine(builder, before.slice, slice);
    return before.isThere ? select(before.isThere, both, slice) : both;
  }

  Slice select(Value condition, const Slice &ifTrue, const Slice &ifFalse) {
    Slice result;
    for (auto [yes, no] : llvm::zip_equal(ifTrue, ifFalse)) {
      result.push_back(arith::SelectOp::create(builder, condition, yes, no));
    }
    return result;
  }

  //===--------------------------------------------------------------------===//
  // Lanes
  //===--------------------------------------------------------------------===//

  static int64_t maskOf(ArrayRef<int> bits) {
    int64_t mask = 0;
    for (int bit : bits) {
      mask |= int64_t(1) << bit;
    }
    return mask;
  }

  /// This lane with `bits` of the lane as they are in the last one, or in the first.
  Value laneWith(ArrayRef<int> bits, bool last, Value lane) {
    int64_t mask = maskOf(bits);
    if (mask == 0) {
      return lane;
    }
    if (last != reverse) {
      return arith::OrIOp::create(builder, lane, constantI32(builder, mask));
    }
    return arith::AndIOp::create(builder, lane, constantI32(builder, hardware::kLanesPerWarp - 1 - mask));
  }

  Value lastLane(ArrayRef<int> bits) { return laneWith(bits, /*last=*/true, laneId(builder)); }

  Slice fromLane(const Slice &slice, Value lane) {
    return llvm::map_to_vector(slice, [&](Value vector) { return shuffleFrom(builder, vector, lane); });
  }

  /// After the step of bit i, runs of 2^(i + 1) lanes are scanned: the upper half took the last of the lower half.
  Slice scanLanes(const Level &level, Slice slice) {
    ArrayRef<int> bits = level.bits;
    for (size_t i = 0; i < bits.size(); ++i) {
      Value lower = laneWith(bits[i], /*last=*/false, laneId(builder));
      Slice before = fromLane(slice, laneWith(bits.take_front(i), /*last=*/true, lower));
      Value isUpper = isAfterFirst(bits[i]);
      slice = select(isUpper, combine(builder, before, slice), slice);
    }
    return slice;
  }

  /// Whether any of the lane's `bits` is not as in the first lane.
  Value isAfterFirst(ArrayRef<int> bits) {
    Value lane = laneId(builder);
    if (reverse) {
      lane = arith::XOrIOp::create(builder, lane, constantI32(builder, hardware::kLanesPerWarp - 1));
    }
    return hasBits(builder, lane, maskOf(bits));
  }

  /// The lane before this one: the coordinate less one, or plus one in reverse. The first lane gets the last one.
  Value previousLane(ArrayRef<int> bits) {
    SmallVector<int64_t> coordinateOfLane(layout::log2Exact(hardware::kLanesPerWarp), 0), laneOfCoordinate;
    for (auto [index, bit] : llvm::enumerate(bits)) {
      coordinateOfLane[bit] = int64_t(1) << index;
      laneOfCoordinate.push_back(int64_t(1) << bit);
    }
    Value lane = laneId(builder);
    Value coordinate = linearImage(builder, lane, coordinateOfLane);
    coordinate = arith::AddIOp::create(builder, coordinate, constantI32(builder, reverse ? 1 : -1));
    Value others =
        arith::AndIOp::create(builder, lane, constantI32(builder, hardware::kLanesPerWarp - 1 - maskOf(bits)));
    return linearImage(builder, coordinate, laneOfCoordinate, others);
  }

  /// What stands before this lane's part of a run that `inside` has scanned.
  Prefix beforeLane(const Level &level, const Prefix &ofRun, const Slice &inside) {
    Slice previous = fromLane(inside, previousLane(level.bits));
    Value isAfter = isAfterFirst(level.bits);
    if (ofRun.slice.empty()) {
      return {previous, isAfter};
    }
    Value isThere = ofRun.isThere ? arith::OrIOp::create(builder, ofRun.isThere, isAfter).getResult() : Value();
    return {select(isAfter, join(ofRun, previous), ofRun.slice), isThere};
  }

  Builder &builder;
  const Combiner &combine;
  SmallVector<Level> levels;
  bool reverse;
};

/// Per coordinate along the axis that a thread has, in the scan's order: the registers with it.
SmallVector<SmallVector<int64_t>> registersAlong(const LinearLayout &map, int axis, bool reverse) {
  std::map<int64_t, SmallVector<int64_t>> registers;
  for (auto [reg, image] : llvm::enumerate(registerImages(map))) {
    registers[reverse ? -image[axis] : image[axis]].push_back(reg);
  }
  return llvm::map_to_vector(llvm::make_second_range(registers), [](const auto &group) { return group; });
}

struct Scan : OpConversionPattern<tile::ScanOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::ScanOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const LinearLayout &map = tilegpu::mapOf(op.getOperands().front());
    ScanPlan plan = layout::planScan(map, op.getAxis());
    bool isInWarp = llvm::all_of(plan.steps, [](const layout::ScanStep &step) {
      return step.in == layout::kRegister || step.in == layout::kLane;
    });
    if (!plan.isComplete || !isInWarp) {
      return op.emitError("a scan between warps goes through shared memory, which was not allocated for it");
    }
    if (plan.steps.empty()) { // one element
      rewriter.replaceOp(op, adaptor.getOperands());
      return success();
    }
    Builder builder(op.getLoc(), rewriter);
    SmallVector<SmallVector<int64_t>> registers = registersAlong(map, op.getAxis(), op.getReverse());
    SmallVector<Slice> slices = llvm::map_to_vector(registers, [&](const auto &group) {
      return llvm::map_to_vector(adaptor.getOperands(),
                                 [&](Value vector) { return selectRegisters(builder, vector, group); });
    });
    slices = Scanner(builder, Combiner(op.getCombiner()), plan, op.getReverse()).scan(slices);
    rewriter.replaceOp(op, assemble(builder, slices, registers));
    return success();
  }

private:
  /// The slices' elements back in their registers.
  static SmallVector<Value> assemble(Builder &builder, ArrayRef<Slice> slices,
                                     ArrayRef<SmallVector<int64_t>> registers) {
    SmallVector<Value> results;
    for (size_t operand = 0; operand < slices.front().size(); ++operand) {
      SmallVector<Value> elements(registers.size() * registers.front().size());
      for (auto [slice, group] : llvm::zip_equal(slices, registers)) {
        for (auto [reg, element] : llvm::zip_equal(group, unpack(builder, slice[operand]))) {
          elements[reg] = element;
        }
      }
      results.push_back(pack(builder, elements));
    }
    return results;
  }
};

} // namespace

void addScanPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<Scan>(types, patterns.getContext());
}

} // namespace tilewright::distribute
