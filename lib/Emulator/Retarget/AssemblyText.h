// A parser for the text of inline assembly.
//
//     {                                           braces are optional
//     .reg .b64 policy;
//     .reg .pred p, q<4>;                         q0, q1, q2, q3
//     @$2 ld.global.v2.b32 {$0, $1}, [$3 + 16];   // comments are skipped
//     wait: mbarrier.try_wait.parity.b64 p, [$4], $5;
//     }

#ifndef TILEWRIGHT_LIB_EMULATOR_RETARGET_ASSEMBLYTEXT_H
#define TILEWRIGHT_LIB_EMULATOR_RETARGET_ASSEMBLYTEXT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tilewright::emulator {

struct AssemblyOperand {
  enum Kind { Register, Immediate, Decimal, Address };
  Kind kind = Register;
  std::string name;   ///< of the register, or of the address's base register: "$0", "policy", "%smid"
  int64_t number = 0; ///< the immediate, or the offset of the address; the bits of 0f3F800000 and 0d3FF0000000000000
  double decimal = 0; ///< of "1.5", whose width is that of the instruction's type
};

struct AssemblyStatement {
  std::string label;     ///< "wait", or empty
  std::string opcode;    ///< "ld.global.v2.b32"
  std::string predicate; ///< a register, or empty
  bool isNegated = false;
  /// Each operand is the list of its elements; all but vectors, pairs of predicates "p|q", and coordinates behind the
  /// address of a tensor map, "[$1, {$2, $3}]", have one.
  llvm::SmallVector<llvm::SmallVector<AssemblyOperand, 4>, 4> operands;
};

struct Assembly {
  llvm::SmallVector<AssemblyStatement, 4> statements;
  llvm::StringSet<> declared; ///< the names of registers
};

llvm::Expected<Assembly> parseAssembly(llvm::StringRef text);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_RETARGET_ASSEMBLYTEXT_H
