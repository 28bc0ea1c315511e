// Functions and control flow: only the types change.

#include "TileGPUToThread.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinDialect.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

struct Call : OpConversionPattern<tile::CallOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::CallOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op.getResultTypes(), types))) {
      return failure();
    }
    rewriter.replaceOpWithNewOp<func::CallOp>(op, op.getCallee(), types, adaptor.getArgs());
    return success();
  }
};

} // namespace

void addControlPatterns(RewritePatternSet &patterns, const ThreadTypes &types, ConversionTarget &target) {
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns, types);
  populateReturnOpTypeConversionPattern(patterns, types);
  patterns.add<Call>(types, patterns.getContext());
  scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns, target);
  target.addLegalDialect<LLVM::LLVMDialect, vector::VectorDialect, thread::ThreadDialect>();
  target.addDynamicallyLegalDialect<arith::ArithDialect, math::MathDialect, ub::UBDialect>(
      [&types](Operation *op) { return types.isLegal(op); });
  target.addDynamicallyLegalOp<func::FuncOp>(
      [&types](func::FuncOp function) { return types.isSignatureLegal(function.getFunctionType()); });
  target.addDynamicallyLegalOp<func::ReturnOp>([&types](func::ReturnOp op) { return types.isLegal(op); });
  target.addDynamicallyLegalOp<func::CallOp>([&types](func::CallOp op) { return types.isLegal(op); });
  target.addLegalDialect<BuiltinDialect>();
  target.addIllegalDialect<tile::TileDialect, tilegpu::TileGPUDialect>();
}

} // namespace tilewright::gpu
