// Instructions of AMD's GPUs that wait, end the kernel, or advise the scheduler.

#include "Families.h"

#include "tilewright/Emulator/Block.h"

namespace tilewright::emulator {
namespace {

/// Accesses are complete when the next instruction starts, and the host's code is scheduled already.
void nothing(Thread &, int32_t, const uint64_t *, uint64_t *) {}

void sleep(Thread &thread, int32_t, const uint64_t *, uint64_t *) { thread.yield(); }

void trap(Thread &thread, int32_t site, const uint64_t *, uint64_t *) {
  thread.fail(Report::Fault, site, "executes a trap, which ends the queue's kernels");
}

/// Compiled code ends a wave only where an assertion fails. The code does not contain the message.
void endProgram(Thread &thread, int32_t site, const uint64_t *, uint64_t *) {
  thread.fail(Report::Assertion, site, "");
}

constexpr const char *kIntrinsics = "LLVM AMDGPUUsage, LLVM IR Intrinsics";

constexpr Instruction hint(const char *name, const char *intrinsic, const char *meaning) {
  return {name, intrinsic, nothing, InstructionClass::Other, meaning, kIntrinsics};
}

constexpr Instruction wait(const char *name, const char *intrinsic) {
  return {name,
          intrinsic,
          nothing,
          InstructionClass::Control,
          "does nothing: accesses to memory are complete",
          "CDNA 3 ISA, 4.4; RDNA 4 ISA, 5.6"};
}

} // namespace

static constexpr Instruction kRows[] = {
    wait("s_waitcnt", "llvm.amdgcn.s.waitcnt"),
    wait("s_wait_loadcnt", "llvm.amdgcn.s.wait.loadcnt"),
    wait("s_wait_storecnt", "llvm.amdgcn.s.wait.storecnt"),
    wait("s_wait_dscnt", "llvm.amdgcn.s.wait.dscnt"),
    wait("s_wait_kmcnt", "llvm.amdgcn.s.wait.kmcnt"),
    hint("sched_barrier", "llvm.amdgcn.sched.barrier", "keeps the order of instructions; does nothing here"),
    hint("sched_group_barrier", "llvm.amdgcn.sched.group.barrier", "orders instructions by kinds; does nothing here"),
    hint("iglp_opt", "llvm.amdgcn.iglp.opt", "selects a schedule; does nothing here"),
    hint("s_setprio", "llvm.amdgcn.s.setprio", "sets the wave's priority; does nothing here"),
    hint("s_nop", "llvm.amdgcn.s.nop", "does nothing"),
    {"s_sleep", "llvm.amdgcn.s.sleep", sleep, InstructionClass::Control,
     "lets other threads run, but does not wait for the given time", "CDNA 3 ISA, 12.6"},
    {"s_endpgm", "llvm.amdgcn.endpgm", endProgram, InstructionClass::Control,
     "ends the launch: the wave's assertion has failed", "CDNA 3 ISA, 12.5"},
    {"s_trap", "llvm.trap", trap, InstructionClass::Control, "ends the launch with an error",
     "LLVM AMDGPUUsage, Trap Handler ABI"},
};
const Family kWaveControlInstructions = kRows;

} // namespace tilewright::emulator
