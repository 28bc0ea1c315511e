// Exchanges between the lanes of a warp.
//
// A shuffle by a constant xor mask takes the first of these that can do it:
//
//     mask                        instruction
//     1 to 3, 7, 8, 15            DPP: the operand of a vector instruction comes from another lane of a row of 16
//     1 to 15                     DPP with row_xmask, on RDNA
//     16                          v_permlanex16, on RDNA: the lane of the other row in each pair of rows
//     1 to 31                     ds_swizzle: within 32 lanes; goes through the hardware of shared memory
//     others, and indices         ds_bpermute: the same, with the number of the source lane in a register

#include "ThreadToRocdl.h"

#include "tilewright/Hardware/Amd.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::amd {
namespace {

/// The control word of DPP for a shuffle by an xor mask within rows of 16 lanes.
std::optional<uint32_t> dppControl(uint32_t mask, bool hasRowXmask) {
  constexpr uint32_t kRotateRight = 0x120, kMirror = 0x140, kMirrorHalf = 0x141, kXmask = 0x160;
  switch (mask) {
  case 1:
  case 2:
  case 3: { // quad_perm: two bits for each of four lanes
    uint32_t control = 0;
    for (uint32_t lane = 0; lane < 4; ++lane) {
      control |= (lane ^ mask) << (2 * lane);
    }
    return control;
  }
  case 7:
    return kMirrorHalf;
  case 8:
    return kRotateRight | 8;
  case 15:
    return kMirror;
  default:
    return hasRowXmask && mask < 16 ? std::optional(kXmask | mask) : std::nullopt;
  }
}

Value shuffleXor(Builder &builder, Value word, uint32_t mask, const hardware::AmdInfo &target) {
  if (std::optional<uint32_t> control = dppControl(mask, target.shufflesRows)) {
    constexpr uint32_t kAll = 0xf;
    return ROCDL::DPPUpdateOp::create(builder, word.getType(), word, word, *control, kAll, kAll, /*boundCtrl=*/true);
  }
  if (mask == 16 && target.shufflesRows) {
    // Lane i of a row takes lane i of the other row: four bits for each.
    Value low = constantI32(builder, 0x76543210), high = constantI32(builder, int64_t(0xfedcba98U));
    return callIntrinsic(builder, "llvm.amdgcn.permlanex16", word.getType(),
                         {word, word, low, high, arith::ConstantIntOp::create(builder, 0, 1),
                          arith::ConstantIntOp::create(builder, 0, 1)});
  }
  constexpr uint32_t kLanesOfSwizzle = 32, kKeepBits = 0x1f, kXorShift = 10;
  if (mask < kLanesOfSwizzle) {
    return ROCDL::DsSwizzleOp::create(builder, word.getType(), word,
                                      constantI32(builder, (mask << kXorShift) | kKeepBits));
  }
  return {};
}

struct Shuffle : OpRewritePattern<thread::ShuffleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(thread::ShuffleOp op, PatternRewriter &rewriter) const override {
    const hardware::AmdInfo *target = hardware::lookupAmd(tilegpu::targetOf(op).name);
    if (!target) {
      return op.emitError("the target is no GPU of AMD");
    }
    Builder builder(op.getLoc(), rewriter);
    Type type = op.getType(), i32 = builder.getI32Type();
    Value word = op.getWord();
    if (type != i32) {
      word = arith::BitcastOp::create(builder, i32, word);
    }
    Value result = shuffle(builder, op, word, *target);
    if (type != i32) {
      result = arith::BitcastOp::create(builder, type, result);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static Value shuffle(Builder &builder, thread::ShuffleOp op, Value word, const hardware::AmdInfo &target) {
    Value lane = op.getLane();
    if (op.getKind() == thread::ShuffleKind::Xor) {
      APInt mask;
      if (matchPattern(lane, m_ConstantInt(&mask))) {
        if (Value result = shuffleXor(builder, word, static_cast<uint32_t>(mask.getZExtValue()), target)) {
          return result;
        }
      }
      Value own = thread::LaneOp::create(builder);
      lane = arith::XOrIOp::create(builder, own, lane);
    }
    Value address = arith::ShLIOp::create(builder, lane, constantI32(builder, 2)); // four bytes for each lane
    return ROCDL::DsBpermuteOp::create(builder, word.getType(), address, word);
  }
};

} // namespace

void addShufflePatterns(RewritePatternSet &patterns) { patterns.add<Shuffle>(patterns.getContext()); }

} // namespace tilewright::amd
