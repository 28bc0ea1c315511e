// Files of LLVM bitcode that come from users.
//
// LLVM's reader trusts its input: a corrupt file can crash it, make it run forever, or overwrite memory. Therefore
// another process reads a file first, verifies the module, and writes it as bitcode again. This process reads only what
// that one has written:
//
//     file ── other process: read, verify, write ──▶ bitcode of this LLVM ── this process: read ──▶ llvm::Module
//
// If the other process ends early, the file is corrupt. It takes 30 to 100 ms for each content of a file.

#ifndef TILEWRIGHT_TARGET_BITCODE_H
#define TILEWRIGHT_TARGET_BITCODE_H

#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace tilewright::bitcode {

/// The module of a file, without debug information. Its functions are read when they are linked. Thread-safe.
llvm::Expected<std::unique_ptr<llvm::Module>> open(const std::string &file, llvm::LLVMContext &context);

/// Sets the command that starts the other process: it must call rewrite() with two more arguments, an input and an
/// output. Without a command, or if it does not start, files are read in this process. Must be called before open().
void setReader(std::vector<std::string> command);

/// Reads the input file, and writes the output that open() expects. To be called in the other process only, whose
/// memory and time it limits.
void rewrite(const std::string &input, const std::string &output);

} // namespace tilewright::bitcode

#endif // TILEWRIGHT_TARGET_BITCODE_H
