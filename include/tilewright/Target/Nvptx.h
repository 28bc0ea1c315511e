// NVIDIA's GPUs as a target: from the LLVM dialect to PTX by LLVM, and from PTX to a cubin by
// NVIDIA's assembler, in this process or in one of its own. No GPU and no driver is needed.
//
//     auto machine = nvptx::createTargetMachine(*hardware::lookupNvidia("sm_90a"));
//     auto module = nvptx::translate(source, context, **machine);
//     nvptx::optimize(**module, **machine);
//     auto ptx = nvptx::emitPtx(**module, **machine);
//     auto cubin = nvptx::assemble(*ptx, info, assembler);

#ifndef TILEWRIGHT_TARGET_NVPTX_H
#define TILEWRIGHT_TARGET_NVPTX_H

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
  /// What instructions of the kernel need, 86 for 8.6; the target's codeVersion() if that is later.
  int ptxVersion = 0;
};

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const hardware::NvidiaInfo &info,
                                                                         const MachineOptions &options = {});

/// LLVM IR for the machine. Products and sums become one instruction, with one rounding, where both carry the fast-math
/// flag `contract`. Functions with `nvvm.kernel` are kernels, all others become private to the module.
///
/// Lines of the source survive where functions have a debug scope; its compile unit should be of the kind
/// DebugDirectivesOnly, since the others ask the assembler for code that is not optimised. Denormal numbers are kept:
/// what may flush them is an intrinsic that says so.
llvm::Expected<std::unique_ptr<llvm::Module>> translate(mlir::ModuleOp module, llvm::LLVMContext &context,
                                                        llvm::TargetMachine &machine);

/// LLVM's -O3 without its vectorisers; vectors of any length become words and pairs of halves.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// Joins accesses of neighbouring memory, as the code generator for PTX begins with: for those who take the module as
/// it is, and want to see the accesses that the GPU makes.
void mergeAccesses(llvm::Module &module, llvm::TargetMachine &machine);

/// A function that the module calls and nobody defines, libdevice's too, is an error that names it. After a failure the
/// module, its context and the machine must be leaked: LLVM may have stopped half-way.
llvm::Expected<std::string> emitPtx(llvm::Module &module, llvm::TargetMachine &machine);

//===----------------------------------------------------------------------===//
// From PTX to a cubin
//===----------------------------------------------------------------------===//

struct AssembleOptions {
  std::string nvJitLink;           ///< path of the library, tried first; empty: none
  std::string ptxas;               ///< path of the program; empty: none
  std::optional<int> maxRegisters; ///< a thread; the kernel's own limit (nvvm.maxnreg, launch bounds) if empty
  bool lineInfo = false;           ///< keep the lines of .loc for profilers
  int optimization = 3;            ///< 0 to 3
};

/// What the assembler made, and what it said of it. A module has one kernel; with functions beside it, the numbers
/// are the largest of all, and spills are added up.
struct Cubin {
  std::string image;      ///< an ELF file
  int registers = 0;      ///< a thread
  int64_t spillBytes = 0; ///< stores and loads, in the code and not when running
  int64_t stackBytes = 0; ///< a thread
  int64_t staticSharedBytes = 0;
  std::string log;       ///< with its warnings
  std::string assembler; ///< such as "nvJitLink 13.0"
};

/// Thread-safe. An error carries the assembler's own words and the line of PTX that they name.
llvm::Expected<Cubin> assemble(llvm::StringRef ptx, const hardware::NvidiaInfo &info, const AssembleOptions &options);

/// What else than registers decides how many blocks of a kernel fit a multiprocessor.
struct Block {
  int threads;
  int64_t sharedBytes; ///< that the launch asks for
};

/// The most registers with which one more block would fit, if that is not far from what the code uses and there are few
/// warps so far: a block that waits for memory, or for its own threads, leaves the multiprocessor to the others.
std::optional<int> registersForOneMoreBlock(const Cubin &cubin, const hardware::NvidiaInfo &info, const Block &block);

/// As assemble(), and, for a kernel without products, once more with registersForOneMoreBlock() where these suffice
/// without spilling. `options` sets no limit.
llvm::Expected<Cubin> assembleForOccupancy(llvm::StringRef ptx, const hardware::NvidiaInfo &info,
                                           const AssembleOptions &options, const Block &block);

/// The assembler that assemble() would use: "nvJitLink 13.0", "ptxas 13.0.88".
llvm::Expected<std::string> describeAssembler(const AssembleOptions &options);

/// Does what makes a process's first call of nvJitLink slower than the others: opening the library and running it
/// once. To be called from a thread while something else is compiled; failures are left for assemble() to report.
void warmUp(llvm::StringRef nvJitLink);

/// The lines of the log in which the assembler says that it made a Hopper kernel's asynchronous products wait for each
/// other: its remarks from C7500 to C7599. Empty: it did not.
std::vector<std::string> findWgmmaRemarks(llvm::StringRef log);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_TARGET_NVPTX_H
