// Emits LLVM's arithmetic for PTX instructions of inline assembly that compute a value from values.
//
//     shf.l.wrap.b32 x, $1, $2, 3;     ->     %x = call i32 @llvm.fshl.i32(i32 %2, i32 %1, i32 3)
//
// Registers are slots, as those of EmulatedCalls. Instructions without an equivalent in LLVM are rows of the table
// (Emulator/Instruction.h).

#ifndef TILEWRIGHT_LIB_EMULATOR_RETARGET_PTXARITHMETIC_H
#define TILEWRIGHT_LIB_EMULATOR_RETARGET_PTXARITHMETIC_H

#include "PtxTypes.h"

#include "llvm/IR/IRBuilder.h"

namespace tilewright::emulator {

/// One instruction that is being translated.
class PtxArithmetic {
public:
  using Values = llvm::SmallVector<llvm::Value *, 2>;

  PtxArithmetic(llvm::IRBuilder<> &builder, llvm::StringRef opcode, llvm::ArrayRef<llvm::Value *> sources)
      : b(builder), opcode(opcode), sources(sources) {}

  /// The slots of the results; none if the instruction is unknown, or has a modifier or type that is not supported.
  Values emit();

  llvm::IRBuilder<> &b;
  PtxOpcode opcode;
  llvm::ArrayRef<llvm::Value *> sources;

  PtxType type() const { return opcode.types.empty() ? PtxType() : opcode.types.back(); }
  unsigned bits() const { return type().bits; }

  /// The low bits of a source, as an integer.
  llvm::Value *integer(size_t index, unsigned bits);
  llvm::Value *integer(size_t index) { return integer(index, bits()); }
  /// A source as a float of a type: f16 and bf16 as float.
  llvm::Value *number(size_t index, PtxType type);
  llvm::Value *number(size_t index) { return number(index, type()); }
  /// The slot of an integer or a float.
  llvm::Value *slot(llvm::Value *value);

  llvm::Value *call(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value *> values) {
    return b.CreateIntrinsic(id, {values.front()->getType()}, values);
  }
  /// Replaces subnormal floats by zeros of the same sign.
  llvm::Value *flushed(llvm::Value *value);
  /// Clamps to [0, 1]; NaN becomes 0.
  llvm::Value *saturated(llvm::Value *value);
};

/// The families of instructions; each returns null for what it does not support.
llvm::Value *emitIntegerArithmetic(PtxArithmetic &in);
llvm::Value *emitBitOperation(PtxArithmetic &in);
llvm::Value *emitFloatArithmetic(PtxArithmetic &in);
llvm::Value *emitPtxConversion(PtxArithmetic &in);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_RETARGET_PTXARITHMETIC_H
