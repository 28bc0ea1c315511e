// tile.call_library: each thread calls the function for each of its elements.

#include "TileGPUToThread.h"

#include "tilewright/Conversion/Libraries.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

struct CallLibrary : OpConversionPattern<tile::CallLibraryOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::CallLibraryOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    Type type = getTypeConverter()->convertType(op.getType());
    if (!type) {
      return rewriter.notifyMatchFailure(op, "a result without a layout");
    }
    SmallVector<Type> arguments =
        llvm::map_to_vector(adaptor.getArgs(), [](Value operand) { return getElementTypeOrSelf(operand.getType()); });
    LLVM::LLVMFuncOp callee = declareFunctionOf(op, arguments, getElementTypeOrSelf(type));
    SmallVector<SmallVector<Value>> operands = llvm::map_to_vector(
        adaptor.getArgs(), [&](Value operand) { return unpack(builder, asVector(builder, operand)); });
    SmallVector<Value> mask =
        adaptor.getMask() ? unpack(builder, asVector(builder, adaptor.getMask())) : SmallVector<Value>();
    auto vector = dyn_cast<VectorType>(type);
    SmallVector<Value> results;
    for (int64_t i = 0, count = vector ? vector.getNumElements() : 1; i < count; ++i) {
      SmallVector<Value> taken =
          llvm::map_to_vector(operands, [&](const SmallVector<Value> &registers) { return registers[i]; });
      results.push_back(call(builder, callee, taken, mask.empty() ? Value() : mask[i]));
    }
    rewriter.replaceOp(op, vector ? pack(builder, results) : results.front());
    return success();
  }

private:
  /// The result of one call; zero if the condition is false.
  static Value call(Builder &builder, LLVM::LLVMFuncOp callee, ArrayRef<Value> operands, Value isExecuted) {
    if (!isExecuted) {
      return LLVM::CallOp::create(builder, callee, operands).getResult();
    }
    auto run = [&](OpBuilder &inner, Location loc) {
      scf::YieldOp::create(inner, loc, LLVM::CallOp::create(inner, loc, callee, operands).getResult());
    };
    auto skip = [&](OpBuilder &inner, Location loc) {
      Type type = callee.getFunctionType().getReturnType();
      scf::YieldOp::create(inner, loc, LLVM::ZeroOp::create(inner, loc, type).getResult());
    };
    return scf::IfOp::create(builder, isExecuted, run, skip).getResult(0);
  }
};

} // namespace

void addLibraryPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<CallLibrary>(types, patterns.getContext());
}

} // namespace tilewright::gpu
