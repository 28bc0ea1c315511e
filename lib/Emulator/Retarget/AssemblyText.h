// The text of inline assembly, taken apart.
//
//     {                                    statements, in braces or not
//     .reg .b64 policy;                    a declaration, which is skipped
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
  std::string name;   ///< of a register, or of that of an address: "$0", "policy"
  int64_t number = 0; ///< an immediate, or what is added to an address
};

struct AssemblyStatement {
  std::string opcode;    ///< "ld.global.v2.b32"
  std::string predicate; ///< a register, or empty
  bool isNegated = false;
  /// With the elements of vectors one after the other.
  llvm::SmallVector<llvm::SmallVector<AssemblyOperand, 4>, 4> operands;
};

llvm::Expected<llvm::SmallVector<AssemblyStatement, 4>> parseAssembly(llvm::StringRef text);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_RETARGET_ASSEMBLYTEXT_H
