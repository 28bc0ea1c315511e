// The ptx dialect: instructions of one thread that carry their assembly.

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

/// How a value is cut into registers: `count` words of `bits` bits, of which memory has `memoryBits`.
struct Words {
  int count = 1;
  int bits = 32;       ///< 16, 32 or 64
  int memoryBits = 32; ///< 8 for a byte, which lies in a 16-bit register

  std::string registerBits() const { return std::to_string(bits); }
  /// ".v4.b32"
  std::string type() const;
  /// "{$0, $1, $2, $3}" or "$0", from this register on.
  std::string list(int first) const;
};

/// Of a scalar or vector whose size is a power of two bytes. Pointers are words of 64 bits, of 32 bits if they are to
/// shared memory, and i1 is one of 1 bit.
Words wordsOf(mlir::Type type, int widest = 32);

} // namespace tilewright::ptx

#endif // TILEWRIGHT_DIALECT_PTX_IR_PTX_H
