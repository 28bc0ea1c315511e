// Assembles PTX to a cubin, with NVIDIA's library nvJitLink in this process, or with its program ptxas. Neither a GPU
// nor a driver is needed.
//
//     auto cubin = cuda::assemble(ptx, *hardware::lookupNvidia("sm_90a"), options);

#ifndef TILEWRIGHT_TARGET_CUDA_ASSEMBLE_H
#define TILEWRIGHT_TARGET_CUDA_ASSEMBLE_H

#include "tilewright/Hardware/Nvidia.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright::cuda {

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

/// How code hides latency without the help of other blocks.
enum class Overlap {
  None,      ///< no loop: all of a block's loads come before its arithmetic, and that before its stores
  Loads,     ///< a loop, which may load ahead into registers
  Reordered, ///< a loop that computes a tile's elements in turn, so that few registers suffice
  Matmul     ///< matrix instructions, mostly with operands in shared memory, in a loop or not
};

/// What determines, besides registers, how many blocks fit on a multiprocessor and how much another one helps.
struct Block {
  int threads;
  int64_t sharedBytes; ///< dynamic shared memory
  Overlap overlap = Overlap::None;
};

/// Limits of registers per thread with which more blocks fit on a multiprocessor, the lowest first. Empty if the code
/// would have to use far fewer registers than it does, or if there are enough warps already. More blocks help to hide
/// latency: while one waits for memory or at a barrier, others run. A loop that loads into registers needs these for
/// that itself, so there is at most one limit for it, the one for one more block.
std::vector<int> registersForMoreBlocks(const Cubin &cubin, const hardware::NvidiaInfo &info, const Block &block);

/// Calls assemble() without a limit, then with up to three limits of registersForMoreBlocks(), the lowest first.
/// Returns the first result that does not spill (without a loop: more than 64 bytes) and has no more of
/// findWgmmaRemarks() than the unlimited one, or else that one. Errors with a limit are ignored. Neither `options` nor
/// the kernel may limit the registers.
llvm::Expected<Cubin> assembleForOccupancy(llvm::StringRef ptx, const hardware::NvidiaInfo &info,
                                           const AssembleOptions &options, const Block &block);

/// The assembler that assemble() uses with these options: "nvJitLink 13.0", "ptxas 13.0.88".
llvm::Expected<std::string> describeAssembler(const AssembleOptions &options);

/// Whether the assembler serializes wgmma instructions whose accumulators begin undefined, as those before CUDA 12.9
/// do. Which one is used may depend on whether the kernel moves registers between warps (setmaxnreg). Without an
/// assembler the driver's is used, which may be of any version.
bool serializesUndefinedAccumulators(const AssembleOptions &options, bool movesRegisters);

/// Opens nvJitLink and runs it once, because the first call in a process is slower than later ones. Call it from a
/// thread while something else is compiled. Failures are ignored; assemble() will report them.
void warmUp(llvm::StringRef nvJitLink);

/// The assembler's remarks C7500 to C7599 in the log, which report that wgmma instructions of a Hopper kernel were
/// serialized. Empty if there are none.
std::vector<std::string> findWgmmaRemarks(llvm::StringRef log);

/// Whether an error of the assembler says that a kernel needs more registers than a thread has and can't spill them,
/// such as the accumulators of wgmma.
bool lacksRegisters(llvm::StringRef error);

} // namespace tilewright::cuda

#endif // TILEWRIGHT_TARGET_CUDA_ASSEMBLE_H
