// Printing and failing, by functions that CUDA's driver links into every kernel.

#include "ThreadToNvvm.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tilewright::nvidia {
namespace {

LLVM::LLVMPointerType pointerType(Builder &builder) { return LLVM::LLVMPointerType::get(builder.getContext()); }

Value constant(Builder &builder, Type type, int64_t value) {
  return arith::ConstantIntOp::create(builder, type, value);
}

/// vprintf takes a format and a structure of arguments. Both are shared by all lines of the same format: the
/// structure is allocated once in the entry block, so that no loop allocates repeatedly.
struct Print : OpRewritePattern<thread::PrintOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(thread::PrintOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    auto pointer = pointerType(builder);
    auto structure = LLVM::LLVMStructType::getLiteral(builder.getContext(), llvm::to_vector(op.getArgs().getTypes()));
    auto type = LLVM::LLVMFunctionType::get(builder.getI32Type(), {pointer, pointer});
    LLVM::LLVMFuncOp function = declareFunction(builder, "vprintf", type);
    Line line = lineOf(builder, op, structure);
    for (auto [index, argument] : llvm::enumerate(op.getArgs())) {
      Value place = LLVM::GEPOp::create(builder, pointer, structure, line.arguments,
                                        ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(index)});
      LLVM::StoreOp::create(builder, argument, place);
    }
    LLVM::CallOp::create(builder, function, ValueRange{line.format, line.arguments});
    rewriter.eraseOp(op);
    return success();
  }

private:
  struct Line {
    Value format, arguments;
  };

  Line lineOf(Builder &builder, thread::PrintOp op, LLVM::LLVMStructType structure) const {
    auto kernel = op->getParentOfType<func::FuncOp>();
    Line &line = lines[{kernel, op.getFormatAttr(), structure}];
    if (!line.format) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&kernel.getBody().front());
      line.format = createText(builder, op.getFormat());
      line.arguments =
          LLVM::AllocaOp::create(builder, pointerType(builder), structure, constant(builder, builder.getI32Type(), 1));
    }
    return line;
  }

  mutable llvm::DenseMap<std::tuple<Operation *, Attribute, Type>, Line> lines;
};

/// The driver prints the message and the position to stderr, and the launch fails.
struct Fail : OpRewritePattern<thread::FailOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(thread::FailOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    FileLineColLoc position = tile::findPosition(op.getLoc());
    Value message = createText(builder, op.getMessage());
    Value file = createText(builder, position ? position.getFilename().getValue() : "");
    Value line = constant(builder, builder.getI32Type(), position ? position.getLine() : 0);
    Value function = createText(builder, op->getParentOfType<func::FuncOp>().getName());
    Value charBytes = constant(builder, builder.getI64Type(), 1);
    LLVM::CallOp::create(builder, assertFail(builder), ValueRange{message, file, line, function, charBytes});
    rewriter.eraseOp(op);
    return success();
  }

private:
  static LLVM::LLVMFuncOp assertFail(Builder &builder) {
    auto pointer = pointerType(builder);
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                            {pointer, pointer, builder.getI32Type(), pointer, builder.getI64Type()});
    LLVM::LLVMFuncOp function = declareFunction(builder, "__assertfail", type);
    function.setPassthroughAttr(builder.getStrArrayAttr({"noreturn"}));
    return function;
  }
};

} // namespace

void addMessagePatterns(RewritePatternSet &patterns) { patterns.add<Print, Fail>(patterns.getContext()); }

} // namespace tilewright::nvidia
