// NVIDIA GPUs as a target. LLVM generates PTX from the LLVM dialect, and NVIDIA's assembler generates a cubin from PTX,
// in this process or in a separate one. Neither a GPU nor a driver is needed.
//
//     auto machine = nvptx::createTargetMachine(*hardware::lookupNvidia("sm_90a"));
//     auto module = nvptx::translate(source, context, **machine);
//     nvptx::optimize(**module, **machine);
//     auto ptx = nvptx::emitPtx(**module, **machine);
//     auto cubin = nvptx::assemble(*ptx, info, assembler);

#ifndef TILEWRIGHT_TARGET_NVPTX_NVPTX_H
#define TILEWRIGHT_TARGET_NVPTX_NVPTX_H

#include "tilewright/Hardware/Nvidia.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace tilewright::nvptx {

//===----------------------------------------------------------------------===//
// From the LLVM dialect to PTX
//===----------------------------------------------------------------------===//

struct MachineOptions {
  /// The PTX version that the kernel's instructions need, 86 for 8.6. The target's codeVersion() is used if it is
  /// later.
  int ptxVersion = 0;
};

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const hardware::NvidiaInfo &info,
                                                                         const MachineOptions &options = {});

/// Translates the module to LLVM IR for the machine. A multiplication and an addition are fused into one instruction,
/// with one rounding, if both have the fast-math flag `contract`. Functions with `nvvm.kernel` are kernels; all others
/// become internal.
///
/// Source lines are preserved in functions with a debug scope. Its compile unit should have the emission kind
/// DebugDirectivesOnly, because all others make the assembler generate unoptimized code. Denormal numbers are
/// preserved, except by intrinsics that flush them.
llvm::Expected<std::unique_ptr<llvm::Module>> translate(mlir::ModuleOp module, llvm::LLVMContext &context,
                                                        llvm::TargetMachine &machine);

/// Runs LLVM's -O3 without its vectorizers. Splits vectors of any length into 32-bit words and pairs of 16-bit
/// elements.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// Merges accesses to adjacent memory, as the first step of the PTX code generator does. For users of the module that
/// need the accesses that the GPU performs, such as the emulator.
void mergeAccesses(llvm::Module &module, llvm::TargetMachine &machine);

/// Generates PTX. Returns an error if the module calls an undefined function, including those of libdevice. After a
/// failure the module, its context and the machine must be leaked, because LLVM may have stopped in the middle of a
/// pass.
llvm::Expected<std::string> emitPtx(llvm::Module &module, llvm::TargetMachine &machine);

//===----------------------------------------------------------------------===//
// From PTX to a cubin
//===----------------------------------------------------------------------===//

struct AssembleOptions {
  std::string nvJitLink;           ///< path of the library, tried first; empty: none
  std::string ptxas;               ///< path of the program; empty: none
  std::optional<int> maxRegisters; ///< per thread; the kernel's own limit (nvvm.maxnreg, launch bounds) if empty
  bool lineInfo = false;           ///< keep the lines of .loc for profilers
  int optimization = 3;            ///< 0 to 3
};

/// The output of the assembler. A module has one kernel. If it has other functions, the numbers are the maximum over
/// all functions, except for spills, which are summed.
struct Cubin {
  std::string image;      ///< an ELF file
  int registers = 0;      ///< per thread
  int64_t spillBytes = 0; ///< of the spill stores and loads in the code, not of those executed
  int64_t stackBytes = 0; ///< per thread
  int64_t staticSharedBytes = 0;
  std::string log;       ///< including warnings
  std::string assembler; ///< such as "nvJitLink 13.0"
};

/// Thread-safe. An error contains the assembler's messages and the lines of PTX that they refer to.
llvm::Expected<Cubin> assemble(llvm::StringRef ptx, const hardware::NvidiaInfo &info, const AssembleOptions &options);

/// The resources of a block, other than registers, that determine how many blocks fit on a multiprocessor.
struct Block {
  int threads;
  int64_t sharedBytes; ///< dynamic shared memory
};

/// The most registers per thread with which one more block would fit on a multiprocessor. Returns nullopt if the code
/// would have to use far fewer registers than it does, or if there are enough warps already. More blocks help to hide
/// latency: while one waits for memory or at a barrier, others run.
std::optional<int> registersForOneMoreBlock(const Cubin &cubin, const hardware::NvidiaInfo &info, const Block &block);

/// Calls assemble(), and for a kernel without mma calls it again with registersForOneMoreBlock(), whose result is used
/// if it does not spill. `options` must not limit the registers.
llvm::Expected<Cubin> assembleForOccupancy(llvm::StringRef ptx, const hardware::NvidiaInfo &info,
                                           const AssembleOptions &options, const Block &block);

/// The assembler that assemble() uses with these options: "nvJitLink 13.0", "ptxas 13.0.88".
llvm::Expected<std::string> describeAssembler(const AssembleOptions &options);

/// Opens nvJitLink and runs it once, because the first call in a process is slower than later ones. Call it from a
/// thread while something else is compiled. Failures are ignored; assemble() will report them.
void warmUp(llvm::StringRef nvJitLink);

/// The assembler's remarks C7500 to C7599 in the log, which report that wgmma instructions of a Hopper kernel were
/// serialized. Empty if there are none.
std::vector<std::string> findWgmmaRemarks(llvm::StringRef log);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_TARGET_NVPTX_NVPTX_H
