// The table of the instructions that the emulator supports: their names, and the functions that implement them.
//
// The code of a kernel calls one of these functions for each instruction that has no counterpart in LLVM's IR. To add
// an instruction, write its function and its row in the file of its family; see docs/emulator.md.

#ifndef TILEWRIGHT_EMULATOR_INSTRUCTION_H
#define TILEWRIGHT_EMULATOR_INSTRUCTION_H

#include <cstdint>
#include <string_view>
#include <vector>

namespace tilewright::emulator {

struct Thread;
struct WarpCall;

/// Executes an instruction for one thread. A register of any type is stored in the low bits of a slot of eight bytes
/// (two halves take 32 bits, a pointer 64, a predicate 1). `in` holds the operands, and `out` receives the results,
/// which must be zero-extended to the slot. `site` is the instruction's index in Kernel::sites.
using Function = void (*)(Thread &thread, int32_t site, const uint64_t *in, uint64_t *out);

/// Executes a collective instruction for all participating lanes of a warp, after all of them have arrived.
using WarpFunction = void (*)(const WarpCall &call);

/// The class under which Counters counts an instruction.
enum class InstructionClass : uint8_t {
  Integer,
  Float,
  Special, ///< approximations of functions
  Conversion,
  Matrix,
  Global,
  Shared,
  AsyncCopy,
  Atomic,
  Warp, ///< shuffles, votes, reductions of a warp
  Barrier,
  Control,
  Other
};
constexpr int kInstructionClasses = static_cast<int>(InstructionClass::Other) + 1;
const char *nameOf(InstructionClass kind);

/// The memory order of an atomic; the values are those of the operand.
enum class AtomicOrder : uint8_t { Relaxed = 0, Acquire = 1, Release = 2, AcquireRelease = 3 };

struct Instruction {
  /// The opcode of PTX or of AMD's instruction sets, without modifiers that do not affect the result. It is also the
  /// symbol that a kernel's code calls.
  const char *name;
  /// LLVM's intrinsic without its overloaded types, or null: "llvm.nvvm.shfl.sync.bfly".
  const char *intrinsic;
  Function function;
  InstructionClass kind;
  const char *meaning; ///< one sentence
  /// What defines it: a section of the PTX ISA, such as "9.7.9.6 shfl.sync", or a document of AMD or LLVM.
  const char *source;
  /// Whether operand 0 is the number of the call in the order of the code, before the instruction's own operands.
  bool needsPlace = false;
};

/// Every instruction.
const std::vector<const Instruction *> &instructions();

/// The row with this name, or null.
const Instruction *findInstruction(std::string_view name);

/// The row whose intrinsic is `name`, or `name` without the overloaded types at its end (".f32", ".p3.p1", ".v2f16");
/// null if there is none. For a type that LLVM marks as returned together with a predicate (".f32p"), the row's
/// intrinsic ends in ".p".
const Instruction *findIntrinsic(std::string_view name);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_INSTRUCTION_H
