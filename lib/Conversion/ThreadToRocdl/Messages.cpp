// Failed assertions. A trap would end the process, so the wave ends instead: what has failed is in the mailbox
// (tilewright/Runtime/Mailbox.h), where the next launch finds it.
//
//     scf.if %fails {                       scf.if %fails {
//       report to the mailbox                 report to the mailbox
//       thread.fail "n is positive"   ->    }
//     }                                     %lanes = ballot(%fails)
//     rest                                  scf.if %lanes != 0 {
//                                             endpgm
//                                           }
//                                           rest
//
// The wave ends for all of its lanes. If only the failing ones took the branch, LLVM would let the others execute the
// rest before, with values of lanes that are inactive, and could cause a fault before there is a report.

#include "ThreadToRocdl.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::amd {
namespace {

/// Whether the value is true in an active lane of the wave.
Value isTrueInAnyLane(Builder &builder, thread::FailOp op, Value value) {
  unsigned lanes = tilegpu::targetOf(op).lanesPerWarp;
  std::string name = ("llvm.amdgcn.ballot.i" + Twine(lanes)).str();
  Type word = builder.getIntegerType(lanes);
  Value found = callIntrinsic(builder, name, word, value);
  Value none = arith::ConstantIntOp::create(builder, word, 0);
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, found, none);
}

void endProgram(Builder &builder) {
  LLVM::CallIntrinsicOp::create(builder, builder.getStringAttr("llvm.amdgcn.endpgm"), ValueRange());
}

struct Fail : OpRewritePattern<thread::FailOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(thread::FailOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    // Without a branch, all lanes fail.
    if (auto branch = dyn_cast<scf::IfOp>(op->getParentOp()); branch && op->getBlock() == branch.thenBlock()) {
      builder.setInsertionPointAfter(branch);
      Value ends = isTrueInAnyLane(builder, op, branch.getCondition());
      auto ending = scf::IfOp::create(builder, ends, /*withElseRegion=*/false);
      builder.setInsertionPointToStart(ending.thenBlock());
    }
    endProgram(builder);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void addMessagePatterns(RewritePatternSet &patterns) { patterns.add<Fail>(patterns.getContext()); }

} // namespace tilewright::amd
