// The ptx dialect: thread-level instructions with their PTX assembly.

#ifndef TILEWRIGHT_DIALECT_PTX_IR_PTX_H
#define TILEWRIGHT_DIALECT_PTX_IR_PTX_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <string>

#include "tilewright/Dialect/Ptx/IR/PtxDialect.h.inc"

#include "tilewright/Dialect/Ptx/IR/PtxInterfaces.h.inc"

#define GET_OP_CLASSES
#include "tilewright/Dialect/Ptx/IR/PtxOps.h.inc"

namespace tilewright::ptx {

/// How a value is split into registers: `count` words of `bits` bits, of which `memoryBits` are in memory.
struct Words {
  int count = 1;
  int bits = 32;       ///< 16, 32 or 64
  int memoryBits = 32; ///< 8 for a byte, which is held in a 16-bit register

  std::string registerBits() const { return std::to_string(bits); }
  /// ".v4.b32"
  std::string type() const;
  /// "{$0, $1, $2, $3}" or "$0", starting at this register.
  std::string list(int first) const;
};

/// The words of a scalar or vector, whose size must be a power of two bytes. Pointers are words of 64 bits, or 32 bits
/// for shared memory; an i1 is a word of 1 bit.
Words wordsOf(mlir::Type type, int widest = 32);

} // namespace tilewright::ptx

#endif // TILEWRIGHT_DIALECT_PTX_IR_PTX_H
