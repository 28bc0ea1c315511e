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
#include "mlir/Dialect/SCF/IR/SCF.h"
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

/// The operand with the elements where `mask` is false replaced by others of their groups. They have no effect of their
/// own, then, as long as any element of the group is one of the tile.
Value repeatWithinGroups(Builder &builder, Value vector, ArrayRef<Value> mask, int64_t packed) {
  SmallVector<Value> elements = unpack(builder, vector);
  for (size_t first = 0; first < elements.size(); first += packed) {
    size_t end = std::min<size_t>(first + packed, elements.size());
    Value inside = elements[first];
    for (size_t i = first + 1; i < end; ++i) {
      inside = arith::SelectOp::create(builder, mask[i], elements[i], inside);
    }
    for (size_t i = first; i < end; ++i) {
      elements[i] = arith::SelectOp::create(builder, mask[i], elements[i], inside);
    }
  }
  return pack(builder, elements);
}

/// The registers of an operand. If the elements do not fill the last group, the last one is repeated.
SmallVector<Value> toRegisters(Builder &builder, Value value, ArrayRef<Value> mask, int64_t packed) {
  Value vector = asVector(builder, value);
  if (!mask.empty() && packed > 1) {
    vector = repeatWithinGroups(builder, vector, mask, packed);
  }
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
    SmallVector<Value> mask =
        adaptor.getMask() ? unpack(builder, asVector(builder, adaptor.getMask())) : SmallVector<Value>();
    SmallVector<SmallVector<Value>> operands;
    for (Value operand : adaptor.getArgs()) {
      operands.push_back(toRegisters(builder, operand, mask, packed));
    }
    auto vector = dyn_cast<VectorType>(types.front());
    int64_t executions = llvm::divideCeil(vector ? vector.getNumElements() : 1, packed);
    SmallVector<SmallVector<Value>> results(types.size());
    for (int64_t i = 0; i < executions; ++i) {
      Value isExecuted =
          isAnyTrue(builder, ArrayRef(mask).drop_front(std::min<size_t>(i * packed, mask.size())), packed);
      execute(builder, op, i, executions, operands, types, isExecuted, results);
    }
    SmallVector<Value> values;
    for (auto [registers, type] : llvm::zip(results, types)) {
      values.push_back(fromRegisters(builder, registers, type, packed));
    }
    rewriter.replaceOp(op, values);
    return success();
  }

private:
  /// Whether any of the first `count` elements of a mask is true; null for an empty mask.
  static Value isAnyTrue(Builder &builder, ArrayRef<Value> mask, int64_t count) {
    Value any;
    for (Value each : mask.take_front(std::min<size_t>(count, mask.size()))) {
      any = any ? arith::OrIOp::create(builder, any, each).getResult() : each;
    }
    return any;
  }

  /// Execution `index` takes the next registers of each operand, and adds its own to those of each result.
  static void execute(Builder &builder, tile::InlineAsmOp op, int64_t index, int64_t executions,
                      ArrayRef<SmallVector<Value>> operands, ArrayRef<Type> types, Value isExecuted,
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
    SmallVector<Value> made = emitAssembly(builder, op, yielded, taken, isExecuted);
    ArrayRef<Value> rest = made;
    for (auto [registers, type] : llvm::zip(results, types)) {
      int64_t count = packed / elementsPerRegister(getElementTypeOrSelf(type), packed);
      llvm::append_range(registers, rest.take_front(count));
      rest = rest.drop_front(count);
    }
  }

  /// The results of one execution; zeros if the condition is false.
  static SmallVector<Value> emitAssembly(Builder &builder, tile::InlineAsmOp op, ArrayRef<Type> types,
                                         ArrayRef<Value> operands, Value isExecuted) {
    auto assemble = [&](Builder &b) {
      return thread::InlineAsmOp::create(b, types, op.getAssembly(), op.getConstraints(), op.getPure(), operands);
    };
    if (!isExecuted) {
      return assemble(builder).getResults();
    }
    auto run = [&](OpBuilder &inner, Location loc) {
      Builder b(loc, inner);
      scf::YieldOp::create(b, assemble(b).getResults());
    };
    auto skip = [&](OpBuilder &inner, Location loc) {
      Builder b(loc, inner);
      auto zero = [&](Type type) -> Value { return arith::ConstantIntOp::create(b, type, 0); };
      scf::YieldOp::create(b, llvm::map_to_vector(types, zero));
    };
    return scf::IfOp::create(builder, isExecuted, run, skip).getResults();
  }
};

} // namespace

void addInlineAsmPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<InlineAsm>(types, patterns.getContext());
}

} // namespace tilewright::gpu
