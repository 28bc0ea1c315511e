// ptx-to-llvm: lowers operations of the ptx dialect to inline assembly or intrinsics. See Passes.td.

#include "tilewright/Conversion/Passes.h"
#include "tilewright/Dialect/Ptx/IR/Ptx.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright {
#define GEN_PASS_DEF_PTXTOLLVM
#include "tilewright/Conversion/Passes.h.inc"
} // namespace tilewright

namespace {

using Builder = ImplicitLocOpBuilder;

/// The constraint letter of a register class.
char constraintOf(const ptx::Words &words) {
  switch (words.bits) {
  case 1:
    return 'b';
  case 16:
    return 'h';
  case 32:
    return 'r';
  default:
    return 'l';
  }
}

Type wordType(Builder &builder, const ptx::Words &words) { return builder.getIntegerType(words.bits); }

/// Splits a value into registers.
void addWords(Builder &builder, Value value, const ptx::Words &words, SmallVectorImpl<Value> &registers) {
  Type type = value.getType();
  if (isa<LLVM::LLVMPointerType>(type) || type.isInteger(1)) {
    registers.push_back(value);
    return;
  }
  if (words.count == 1) {
    Value bits = LLVM::BitcastOp::create(builder, builder.getIntegerType(words.memoryBits), value);
    registers.push_back(words.memoryBits == words.bits
                            ? bits
                            : LLVM::ZExtOp::create(builder, wordType(builder, words), bits).getResult());
    return;
  }
  Value vector = LLVM::BitcastOp::create(builder, VectorType::get(words.count, wordType(builder, words)), value);
  for (int i = 0; i < words.count; ++i) {
    Value index = LLVM::ConstantOp::create(builder, builder.getI32Type(), i);
    registers.push_back(LLVM::ExtractElementOp::create(builder, vector, index));
  }
}

/// Assembles a value from registers.
Value fromWords(Builder &builder, Type type, const ptx::Words &words, ArrayRef<Value> registers) {
  if (registers.front().getType() == type) {
    return registers.front();
  }
  if (words.count == 1) {
    Value bits = registers.front();
    if (words.memoryBits != words.bits) {
      bits = LLVM::TruncOp::create(builder, builder.getIntegerType(words.memoryBits), bits);
    }
    return LLVM::BitcastOp::create(builder, type, bits);
  }
  auto vectorType = VectorType::get(words.count, wordType(builder, words));
  Value vector = LLVM::PoisonOp::create(builder, vectorType);
  for (int i = 0; i < words.count; ++i) {
    Value index = LLVM::ConstantOp::create(builder, builder.getI32Type(), i);
    vector = LLVM::InsertElementOp::create(builder, vector, registers[i], index);
  }
  return LLVM::BitcastOp::create(builder, type, vector);
}

/// The results of inline assembly, which returns several as a structure.
SmallVector<Value> resultRegisters(Builder &builder, LLVM::InlineAsmOp assembly, size_t count) {
  if (count == 1) {
    return {assembly.getRes()};
  }
  SmallVector<Value> registers;
  for (size_t i = 0; i < count; ++i) {
    registers.push_back(LLVM::ExtractValueOp::create(builder, assembly.getRes(), ArrayRef<int64_t>(int64_t(i))));
  }
  return registers;
}

/// Operands and results keep their types, and some of them their registers: a conversion would access accumulators of
/// matrix instructions in flight.
void lowerAsTheyAre(ptx::AssemblyOpInterface op) {
  Builder builder(op.getLoc(), op);
  size_t tied = op.tiedOperands();
  SmallVector<Type> results(op->getResultTypes());
  SmallVector<std::string> constraints;
  for (Type type : results) {
    constraints.push_back(std::string(tied > 0 ? "=" : "=&") + (type.isF32() ? 'f' : 'r'));
  }
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    std::string own(1, operand.getType().isF32() ? 'f' : constraintOf(ptx::wordsOf(operand.getType(), 64)));
    constraints.push_back(index < tied ? std::to_string(index) : own);
  }
  constraints.push_back("~{memory}");
  Type type = results.size() == 1 ? results.front() : LLVM::LLVMStructType::getLiteral(builder.getContext(), results);
  auto assembly =
      LLVM::InlineAsmOp::create(builder, type, op->getOperands(), op.getAssembly(), llvm::join(constraints, ","),
                                /*has_side_effects=*/true, /*is_align_stack=*/false,
                                LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  op->replaceAllUsesWith(resultRegisters(builder, assembly, results.size()));
  op->erase();
}

void lower(ptx::AssemblyOpInterface op) {
  if (op.keepsTypes()) {
    return lowerAsTheyAre(op);
  }
  Builder builder(op.getLoc(), op);
  auto wordsOf = [&](Type type) { return ptx::wordsOf(type, op.widestRegister()); };
  SmallVector<Value> operands;
  SmallVector<Type> results;
  SmallVector<std::string> constraints;
  for (Type type : op->getResultTypes()) {
    ptx::Words words = wordsOf(type);
    results.append(words.count, wordType(builder, words));
    // Early clobber: results may be written before all operands are read.
    constraints.append(words.count, std::string("=&") + constraintOf(words));
  }
  for (Value operand : op->getOperands()) {
    ptx::Words words = wordsOf(operand.getType());
    addWords(builder, operand, words, operands);
    constraints.append(words.count, std::string(1, constraintOf(words)));
  }
  if (hasEffect<MemoryEffects::Write>(op)) {
    // Without this clobber, LLVM's machine passes sink plain loads past the instruction.
    constraints.push_back("~{memory}");
  }
  Type result = results.empty()       ? Type(LLVM::LLVMVoidType::get(builder.getContext()))
                : results.size() == 1 ? results.front()
                                      : LLVM::LLVMStructType::getLiteral(builder.getContext(), results);
  auto assembly =
      LLVM::InlineAsmOp::create(builder, result, operands, op.getAssembly(), llvm::join(constraints, ","),
                                /*has_side_effects=*/op.touchesMemory(), /*is_align_stack=*/false,
                                LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  SmallVector<Value> registers;
  if (!results.empty()) {
    registers = resultRegisters(builder, assembly, results.size());
  }
  ArrayRef<Value> rest = registers;
  for (Value value : op->getResults()) {
    ptx::Words words = wordsOf(value.getType());
    value.replaceAllUsesWith(fromWords(builder, value.getType(), words, rest.take_front(words.count)));
    rest = rest.drop_front(words.count);
  }
  op->erase();
}

/// Calls an intrinsic once per element.
void callIntrinsic(ptx::IntrinsicOpInterface op) {
  Builder builder(op.getLoc(), op);
  Type type = op->getResult(0).getType();
  auto name = builder.getStringAttr(op.getIntrinsic());
  auto vector = dyn_cast<VectorType>(type);
  if (!vector) {
    auto call = LLVM::CallIntrinsicOp::create(builder, type, name, op->getOperands());
    op->replaceAllUsesWith(call);
    return op->erase();
  }
  Value result = LLVM::PoisonOp::create(builder, vector);
  for (int64_t i = 0; i < vector.getNumElements(); ++i) {
    Value index = LLVM::ConstantOp::create(builder, builder.getI32Type(), i);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(LLVM::ExtractElementOp::create(builder, operand, index));
    }
    auto call = LLVM::CallIntrinsicOp::create(builder, vector.getElementType(), name, operands);
    result = LLVM::InsertElementOp::create(builder, result, call.getResults(), index);
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

struct PtxToLLVM : tilewright::impl::PtxToLLVMBase<PtxToLLVM> {
  void runOnOperation() override {
    SmallVector<ptx::AssemblyOpInterface> ops;
    getOperation()->walk([&](ptx::AssemblyOpInterface op) { ops.push_back(op); });
    llvm::for_each(ops, lower);
    SmallVector<ptx::IntrinsicOpInterface> intrinsics;
    getOperation()->walk([&](ptx::IntrinsicOpInterface op) { intrinsics.push_back(op); });
    llvm::for_each(intrinsics, callIntrinsic);
  }
};

} // namespace
