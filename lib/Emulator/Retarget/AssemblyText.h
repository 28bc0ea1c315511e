// A parser for the text of inline assembly.
//
//     {                                    braces are optional
//     .reg .b64 policy;                    declarations are skipped
//     @$2 ld.global.v2.b32 {$0, $1}, [$3 + 16];
//     }

#ifndef TILEWRIGHT_LIB_EMULATOR_RETARGET_ASSEMBLYTEXT_H
#define TILEWRIGHT_LIB_EMULATOR_RETARGET_ASSEMBLYTEXT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tilewright::emulator {

struct AssemblyOperand {
  enum Kind { Register, Immediate, Address };
  Kind kind = Register;
  std::string name;   ///< of the register, or of the address's base register: "$0", "policy"
  int64_t number = 0; ///< the immediate, or the offset of the address
};

struct AssemblyStatement {
  std::string opcode;    ///< "ld.global.v2.b32"
  std::string predicate; ///< a register, or empty
  bool isNegated = false;
  /// Each operand is the list of its elements; all but vectors have one.
  llvm::SmallVector<llvm::SmallVector<AssemblyOperand, 4>, 4> operands;
};

llvm::Expected<llvm::SmallVector<AssemblyStatement, 4>> parseAssembly(llvm::StringRef text);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_RETARGET_ASSEMBLYTEXT_H
