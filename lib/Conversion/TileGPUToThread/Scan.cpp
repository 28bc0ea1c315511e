// Scans within a warp, level by level. Adjacent bits of the coordinate that all map to registers, or all to lanes, form
// one level.
//
//     16 elements, coordinate bits: register, lane, lane, register (T1:2 is lane 1, register 2)
//
//       T0:0 T0:1 | T1:0 T1:1 | T2:0 T2:1 | T3:0 T3:1 || T0:2 T0:3 | ...
//
//       level 0, registers    each thread scans its pairs; totals: one per pair
//       level 1, lanes        lanes scan the totals by shuffles; totals: one per half
//       level 2, registers    each thread scans the two totals
//
// Each level computes the prefix of each of its runs, and the level below combines that prefix with each of its
// elements. The combiner only has to be associative: preceding elements are always on its left side, and there is no
// neutral element for the prefix of the first.
//
// A reverse scan complements all coordinates.

#include "TileGPUToThread.h"

#include "tilewright/Layout/Reduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

using layout::LinearLayout;
using layout::ScanPlan;

/// Vectors of all operands: the elements with one coordinate along the axis, for all coordinates along the other
/// dimensions.
using Slice = SmallVector<Value>;

/// The combination of all elements before a slice. `slice` is empty if there are none; otherwise `isThere`, if not
/// null, is whether there are any in this thread.
struct Prefix {
  Slice slice;
  Value isThere;
};

struct Level {
  bool isLanes;
  SmallVector<int> bits; ///< of the lane; for registers only the number of bits matters
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

  /// Scans slices given in the order of the scan.
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
  /// The number of consecutive slices of one thread at this level.
  int64_t runLength(size_t level) const { return levels[level].isLanes ? 1 : int64_t(1) << levels[level].bits.size(); }

  /// The inclusive scan of each run of the level.
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

  /// The prefixes of the runs of this level, from their inclusive scans.
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

  /// The prefix of each slice, considering this level and those above.
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

  /// `lane` with `bits` set as in the last lane of the scan, or as in the first.
  Value laneWith(ArrayRef<int> bits, bool last, Value lane) {
    int64_t mask = maskOf(bits);
    if (mask == 0) {
      return lane;
    }
    if (last != reverse) {
      return arith::OrIOp::create(builder, lane, constantI32(builder, mask));
    }
    return clearLaneBits(builder, lane, mask);
  }

  Value lastLane(ArrayRef<int> bits) { return laneWith(bits, /*last=*/true, laneId(builder)); }

  Slice fromLane(const Slice &slice, Value lane) {
    return llvm::map_to_vector(slice, [&](Value vector) { return shuffleFrom(builder, vector, lane); });
  }

  /// After step i, runs of 2^(i + 1) lanes are scanned: the upper half of each combines with the last lane of the lower
  /// half.
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

  /// Whether any of the lane's `bits` differs from the first lane's.
  Value isAfterFirst(ArrayRef<int> bits) {
    Value lane = laneId(builder);
    if (reverse) {
      lane = arith::XOrIOp::create(builder, lane, constantI32(builder, threadsAround(builder).lanes - 1));
    }
    return hasBits(builder, lane, maskOf(bits));
  }

  /// The preceding lane: that of the coordinate minus one, or plus one in reverse. For the first lane, it wraps around
  /// to the last one.
  Value previousLane(ArrayRef<int> bits) {
    SmallVector<int64_t> coordinateOfLane(layout::log2Exact(threadsAround(builder).lanes), 0), laneOfCoordinate;
    for (auto [index, bit] : llvm::enumerate(bits)) {
      coordinateOfLane[bit] = int64_t(1) << index;
      laneOfCoordinate.push_back(int64_t(1) << bit);
    }
    Value lane = laneId(builder);
    Value coordinate = linearImage(builder, lane, coordinateOfLane);
    coordinate = arith::AddIOp::create(builder, coordinate, constantI32(builder, reverse ? 1 : -1));
    return linearImage(builder, coordinate, laneOfCoordinate, clearLaneBits(builder, lane, maskOf(bits)));
  }

  /// The prefix of this lane's slice, given the prefix of the run and its inclusive scan `inside`.
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

/// For each coordinate along the axis that a thread holds, in the order of the scan, the registers with that
/// coordinate.
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
    if (plan.steps.empty()) { // the axis has one element
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
  /// Puts the elements of slices back into their registers.
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

} // namespace tilewright::gpu
