// Functions of libraries of LLVM bitcode, which are linked into a kernel's module before it is optimized.

#ifndef TILEWRIGHT_TARGET_LIBRARIES_H
#define TILEWRIGHT_TARGET_LIBRARIES_H

#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright::libraries {

/// The types of a function in LLVM's notation: "float", "i32", "ptr".
struct Signature {
  std::string result;
  std::vector<std::string> parameters;
};

struct Contents {
  std::string triple;                         ///< empty if the library is for any target
  std::map<std::string, Signature> functions; ///< those that are defined
};

/// What a file of bitcode defines.
llvm::Expected<Contents> read(const std::string &file);

/// Replaces the declarations that refer to libraries (Conversion/Libraries.h) by the functions, with what these call,
/// as functions of the module that are inlined unless they are recursive. Code for the host may also call functions of
/// this process; the others that a GPU has are known when its code is generated.
llvm::Error link(llvm::Module &module, bool isForHost);

} // namespace tilewright::libraries

#endif // TILEWRIGHT_TARGET_LIBRARIES_H
