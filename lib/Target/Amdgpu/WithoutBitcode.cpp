// Replaces the part of lld that links files of LLVM bitcode. It would link LLVM's whole LTO library into this one,
// which is 12 MB, and the code generators of all architectures. Code objects are linked from object files only.

#include "llvm/LTO/LTO.h"
#include "llvm/Support/ErrorHandling.h"

#include <memory>

//===----------------------------------------------------------------------===//
// lld's compiler of bitcode
//===----------------------------------------------------------------------===//

namespace lld::elf {

struct Ctx;
class BitcodeFile;

/// As in lld/ELF/LTO.h, which is not installed. lld always makes one, adds the files of bitcode, of which there are
/// none as InputFile::create() fails, and links what compile() returns besides the object files.
class BitcodeCompiler {
public:
  explicit BitcodeCompiler(Ctx &ctx);
  ~BitcodeCompiler();
  void add(BitcodeFile &file);
  llvm::SmallVector<void *, 0> compile(); ///< lld's vector has std::unique_ptr<InputFile>, which is a pointer
};

BitcodeCompiler::BitcodeCompiler(Ctx &) {}
BitcodeCompiler::~BitcodeCompiler() = default;
void BitcodeCompiler::add(BitcodeFile &) { llvm::report_fatal_error("this linker does not link bitcode"); }
llvm::SmallVector<void *, 0> BitcodeCompiler::compile() { return {}; }

} // namespace lld::elf

//===----------------------------------------------------------------------===//
// LLVM's reader of bitcode for linkers
//===----------------------------------------------------------------------===//

namespace llvm::lto {

Expected<std::unique_ptr<InputFile>> InputFile::create(MemoryBufferRef) {
  return createStringError("this linker does not link bitcode");
}
InputFile::~InputFile() = default;

/// Asked for if there is bitcode.
SmallVector<const char *> LTO::getRuntimeLibcallSymbols(const Triple &) { return {}; }

} // namespace llvm::lto

//===----------------------------------------------------------------------===//
// Code generators that bitcode could be for
//===----------------------------------------------------------------------===//

// lld initializes all that LLVM was built with. Those that this library has are linked; third_party/llvm/LLVM.cmake
// lists the others, for which there is nothing to initialize.
#define TILEWRIGHT_MISSING_TARGET(name)                                                                                \
  extern "C" void LLVMInitialize##name##TargetInfo() {}                                                                \
  extern "C" void LLVMInitialize##name##Target() {}                                                                    \
  extern "C" void LLVMInitialize##name##TargetMC() {}                                                                  \
  extern "C" void LLVMInitialize##name##AsmPrinter() {}                                                                \
  extern "C" void LLVMInitialize##name##AsmParser() {}
#include "tilewright/Target/Amdgpu/MissingTargets.def"
#undef TILEWRIGHT_MISSING_TARGET

// The kernel's code is generated, and never parsed.
extern "C" void LLVMInitializeAMDGPUAsmParser() {}
