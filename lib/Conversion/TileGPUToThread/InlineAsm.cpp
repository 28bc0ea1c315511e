// Inline assembly: groups the elements of each thread, and executes the assembly once for each group.
//
// A thread with eight elements of an operand of i8, with `packed` = 4:
//
//     vector<8xi8>  ->  i32, i32             registers, each with four elements, the first in the low bits
//                       |    |
//                     asm  asm               one execution takes one register of this operand
//                       |    |
//                       ...  4 x i32         and yields four registers of a result of 32 bits
//     vector<8xi32> <-  ...

#include "TileGPUToThread.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

constexpr int64_t kRegisterBits = 32, kPointerBits = 64;

int64_t bitsOf(Type element) {
  return isa<LLVM::LLVMPointerType>(element) ? kPointerBits : element.getIntOrFloatBitWidth();
}

/// How many elements one register holds.
int64_t elementsPerRegister(Type element, int64_t packed) {
  return std::min(std::max<int64_t>(kRegisterBits / bitsOf(element), 1), packed);
}

VectorType vectorLike(VectorType type, Type element, int64_t perElement = 1) {
  return VectorType::get(type.getNumElements() / perElement, element);
}

/// The registers of an operand. If the elements do not fill the last group, the last one is repeated.
SmallVector<Value> toRegisters(Builder &builder, Value value, int64_t packed) {
  Value vector = asVector(builder, value);
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < static_cast<int64_t>(llvm::alignTo(count, packed)); ++i) {
    order.push_back(std::min(i, count - 1));
  }
  vector = selectRegisters(builder, vector, order);
  auto type = cast<VectorType>(vector.getType());
  Type element = type.getElementType();
  Type integer = builder.getIntegerType(bitsOf(element));
  if (isa<LLVM::LLVMPointerType>(element)) {
    vector = LLVM::PtrToIntOp::create(builder, vectorLike(type, integer), vector);
  } else if (element != integer) {
    vector = arith::BitcastOp::create(builder, vectorLike(type, integer), vector);
  }
  if (int64_t perRegister = elementsPerRegister(element, packed); perRegister > 1) {
    Type word = builder.getIntegerType(bitsOf(element) * perRegister);
    vector = vector::BitCastOp::create(builder, vectorLike(type, word, perRegister), vector);
  }
  return unpack(builder, vector);
}

/// The value of a result, a vector or scalar of `type`, whose elements are in the registers of all executions.
Value fromRegisters(Builder &builder, ArrayRef<Value> registers, Type type, int64_t packed) {
  Type element = getElementTypeOrSelf(type);
  auto vectorType = dyn_cast<VectorType>(type);
  int64_t count = vectorType ? vectorType.getNumElements() : 1;
  Value vector = pack(builder, registers);
  int64_t elements = static_cast<int64_t>(llvm::alignTo(count, packed));
  Type integer = builder.getIntegerType(bitsOf(element));
  if (elementsPerRegister(element, packed) > 1) {
    vector = vector::BitCastOp::create(builder, VectorType::get(elements, integer), vector);
  }
  vector = selectRegisters(builder, vector, llvm::to_vector(llvm::seq<int64_t>(0, count)));
  if (isa<LLVM::LLVMPointerType>(element)) {
    vector = LLVM::IntToPtrOp::create(builder, VectorType::get(count, element), vector);
  } else if (element != integer) {
    vector = arith::BitcastOp::create(builder, VectorType::get(count, element), vector);
  }
  return vectorType ? vector : vector::ExtractOp::create(builder, vector, 0).getResult();
}

struct InlineAsm : OpConversionPattern<tile::InlineAsmOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::InlineAsmOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op.getResultTypes(), types))) {
      return rewriter.notifyMatchFailure(op, "a result without a layout");
    }
    int64_t packed = op.getPacked();
    SmallVector<SmallVector<Value>> operands;
    for (Value operand : adaptor.getArgs()) {
      operands.push_back(toRegisters(builder, operand, packed));
    }
    auto vector = dyn_cast<VectorType>(types.front());
    int64_t executions = llvm::divideCeil(vector ? vector.getNumElements() : 1, packed);
    SmallVector<SmallVector<Value>> results(types.size());
    for (int64_t i = 0; i < executions; ++i) {
      execute(builder, op, i, executions, operands, types, results);
    }
    SmallVector<Value> values;
    for (auto [registers, type] : llvm::zip(results, types)) {
      values.push_back(fromRegisters(builder, registers, type, packed));
    }
    rewriter.replaceOp(op, values);
    return success();
  }

private:
  /// Execution `index` takes the next registers of each operand, and adds its own to those of each result.
  static void execute(Builder &builder, tile::InlineAsmOp op, int64_t index, int64_t executions,
                      ArrayRef<SmallVector<Value>> operands, ArrayRef<Type> types,
                      MutableArrayRef<SmallVector<Value>> results) {
    int64_t packed = op.getPacked();
    SmallVector<Value> taken;
    for (const SmallVector<Value> &registers : operands) {
      int64_t each = static_cast<int64_t>(registers.size()) / executions;
      llvm::append_range(taken, ArrayRef(registers).slice(index * each, each));
    }
    SmallVector<Type> yielded;
    for (Type type : types) {
      Type element = getElementTypeOrSelf(type);
      int64_t perRegister = elementsPerRegister(element, packed);
      yielded.append(packed / perRegister, builder.getIntegerType(bitsOf(element) * perRegister));
    }
    auto assembly =
        thread::InlineAsmOp::create(builder, yielded, op.getAssembly(), op.getConstraints(), op.getPure(), taken);
    ValueRange rest = assembly.getResults();
    for (auto [registers, type] : llvm::zip(results, types)) {
      int64_t count = packed / elementsPerRegister(getElementTypeOrSelf(type), packed);
      llvm::append_range(registers, rest.take_front(count));
      rest = rest.drop_front(count);
    }
  }
};

} // namespace

void addInlineAsmPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<InlineAsm>(types, patterns.getContext());
}

} // namespace tilewright::gpu
