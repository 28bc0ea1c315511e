// Registers of AMD's GPUs that tell a thread who it is, hidden arguments, and clocks.

#include "Families.h"

#include "tilewright/Emulator/Block.h"

#include <chrono>

namespace tilewright::emulator {
namespace {

template <int axis> void workitemId(Thread &thread, int32_t, const uint64_t *, uint64_t *out) {
  out[0] = axis == 0 ? thread.index : 0;
}

template <int axis> void workgroupId(Thread &thread, int32_t, const uint64_t *, uint64_t *out) {
  out[0] = static_cast<uint32_t>(thread.block->program[axis]);
}

void waveId(Thread &thread, int32_t, const uint64_t *, uint64_t *out) { out[0] = thread.warp->index; }

void hiddenArguments(Thread &thread, int32_t, const uint64_t *, uint64_t *out) {
  out[0] = reinterpret_cast<uint64_t>(&thread.block->hidden);
}

/// Operands: mask, base. Adds the number of lanes of the mask that are below this one; `first` is the lane of bit 0.
template <int first> void maskedCount(Thread &thread, int32_t, const uint64_t *in, uint64_t *out) {
  int below = static_cast<int>(thread.lane()) - first;
  uint64_t lanes = below <= 0 ? 0 : below >= 32 ? kAllLanes : firstLanes(below);
  out[0] = static_cast<uint32_t>(in[1] + __builtin_popcountll(in[0] & lanes));
}

uint64_t nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void cycles(Thread &, int32_t, const uint64_t *, uint64_t *out) { out[0] = nanoseconds(); }

/// The counter that all compute units share runs at 100 MHz.
void steadyTicks(Thread &, int32_t, const uint64_t *, uint64_t *out) { out[0] = nanoseconds() / 10; }

constexpr Instruction row(const char *name, const char *intrinsic, Function function, const char *meaning,
                          const char *source) {
  return {name, intrinsic, function, InstructionClass::Other, meaning, source};
}

constexpr const char *kIds = "LLVM AMDGPUUsage, LLVM IR Intrinsics";

} // namespace

static constexpr Instruction kRows[] = {
    row("workitem.id.x", "llvm.amdgcn.workitem.id.x", workitemId<0>, "the thread's number in its workgroup", kIds),
    row("workitem.id.y", "llvm.amdgcn.workitem.id.y", workitemId<1>, "zero: workgroups have one axis", kIds),
    row("workitem.id.z", "llvm.amdgcn.workitem.id.z", workitemId<2>, "zero: workgroups have one axis", kIds),
    row("workgroup.id.x", "llvm.amdgcn.workgroup.id.x", workgroupId<0>, "the program's place in the grid", kIds),
    row("workgroup.id.y", "llvm.amdgcn.workgroup.id.y", workgroupId<1>, "the program's place in the grid", kIds),
    row("workgroup.id.z", "llvm.amdgcn.workgroup.id.z", workgroupId<2>, "the program's place in the grid", kIds),
    row("wave.id", "llvm.amdgcn.wave.id", waveId, "the wave's number in its workgroup", kIds),
    row("implicitarg.ptr", "llvm.amdgcn.implicitarg.ptr", hiddenArguments,
        "the address of the hidden arguments, of which the numbers of workgroups and threads are provided",
        "LLVM AMDGPUUsage, Code Object V5 Metadata"),
    {"v_mbcnt_lo_u32_b32", "llvm.amdgcn.mbcnt.lo", maskedCount<0>, InstructionClass::Integer,
     "adds the number of lanes below this one that the mask names, of the first 32", "CDNA 3 ISA, 12.9"},
    {"v_mbcnt_hi_u32_b32", "llvm.amdgcn.mbcnt.hi", maskedCount<32>, InstructionClass::Integer,
     "adds the number of lanes below this one that the mask names, of those from 32 on", "CDNA 3 ISA, 12.9"},
    row("s_memtime", "llvm.amdgcn.s.memtime", cycles, "a count that grows: nanoseconds of the host",
        "CDNA 3 ISA, 12.5"),
    row("s_memrealtime", "llvm.amdgcn.s.memrealtime", steadyTicks, "a count of 10 nanoseconds each",
        "CDNA 3 ISA, 12.5"),
    row("readcyclecounter", "llvm.readcyclecounter", cycles, "a count that grows: nanoseconds of the host",
        "LLVM LangRef, llvm.readcyclecounter"),
    row("readsteadycounter", "llvm.readsteadycounter", steadyTicks, "a count of 10 nanoseconds each",
        "LLVM LangRef, llvm.readsteadycounter"),
};
const Family kWaveRegisterInstructions = kRows;

} // namespace tilewright::emulator
