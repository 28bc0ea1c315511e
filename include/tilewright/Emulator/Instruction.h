// The instructions that the emulator knows: names, and the functions that do what they mean.
//
// The code of a kernel calls a function for each instruction that has no counterpart in LLVM's own IR. To add an
// instruction, write its function and its row in the file of its family; see docs/emulator.md.

#ifndef TILEWRIGHT_EMULATOR_INSTRUCTION_H
#define TILEWRIGHT_EMULATOR_INSTRUCTION_H

#include <cstdint>
#include <string_view>
#include <vector>

namespace tilewright::emulator {

struct Thread;
struct WarpCall;

/// One execution by one thread. A register is the low bits of a slot of eight bytes, whatever its type (two halves are
/// 32 bits, a pointer 64, a predicate 1): `in` has the operands, and `out` takes the results, whose slots hold no other
/// bits. `site` says where in the kernel; see Launch::sites.
using Function = void (*)(Thread &thread, int32_t site, const uint64_t *in, uint64_t *out);

/// One execution by those lanes of a warp that take part, when all of them have come.
using WarpFunction = void (*)(const WarpCall &call);

/// What counters call an instruction.
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

/// How an atomic orders a thread's other accesses, as an operand.
enum class AtomicOrder : uint8_t { Relaxed = 0, Acquire = 1, Release = 2, AcquireRelease = 3 };

struct Instruction {
  /// As PTX spells it, without what changes no result; also the symbol that a kernel's code calls.
  const char *name;
  /// LLVM's intrinsic without its overloaded types, or null: "llvm.nvvm.shfl.sync.bfly".
  const char *intrinsic;
  Function function;
  InstructionClass kind;
  const char *meaning; ///< a sentence
  const char *source;  ///< the section of the PTX ISA that says so: "9.7.9.6 shfl.sync"
};

/// Every instruction.
const std::vector<const Instruction *> &instructions();

/// The row of a name as PTX spells it, or null.
const Instruction *findInstruction(std::string_view name);

/// The row whose intrinsic is `name`, or `name` without the types at its end (".f32", ".p3.p1", ".v2f16"), where ".p"
/// stands for a type that LLVM marks as coming with a predicate (".f32p"); null if none.
const Instruction *findIntrinsic(std::string_view name);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_INSTRUCTION_H
