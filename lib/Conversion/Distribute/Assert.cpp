// tile.assert: a thread that finds a false element ends the launch. The driver prints message and place on the
// standard error stream, and the launch fails.

#include "DeviceCalls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::distribute {
namespace {

LLVM::LLVMFuncOp failureFunction(Builder &builder) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                          {pointer, pointer, builder.getI32Type(), pointer, builder.getI64Type()});
  LLVM::LLVMFuncOp function = declareFunction(builder, "__assertfail", type);
  function.setPassthroughAttr(builder.getStrArrayAttr({"noreturn"}));
  return function;
}

struct Assert : OpConversionPattern<tile::AssertOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::AssertOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    Value holds = adaptor.getCond();
    if (isa<VectorType>(holds.getType())) {
      holds = vector::ReductionOp::create(builder, vector::CombiningKind::AND, holds);
    }
    Value fails = arith::XOrIOp::create(builder, holds, arith::ConstantIntOp::create(builder, 1, 1));
    auto kernel = op->getParentOfType<func::FuncOp>();
    auto branch = scf::IfOp::create(builder, fails, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
    FileLineColLoc position = tile::findPosition(op.getLoc());
    Value message = createText(builder, op.getMessage());
    Value file = createText(builder, position ? position.getFilename().getValue() : "");
    Value line = constantI32(builder, position ? position.getLine() : 0);
    Value function = createText(builder, kernel.getName());
    Value charBytes = arith::ConstantIntOp::create(builder, builder.getI64Type(), 1);
    LLVM::CallOp::create(builder, failureFunction(builder), ValueRange{message, file, line, function, charBytes});
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void addAssertPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<Assert>(types, patterns.getContext());
}

} // namespace tilewright::distribute
